"""The asynchronous client of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from teahouse.client.errors import ProtocolError
from teahouse.client.http import PROTOCOL, HttpApi
from teahouse.client.lobby import GameStarted, Lobby
from teahouse.client.models import (
    Account,
    Challenge,
    SeatSpec,
    TimeControl,
    Tournament,
    Untimed,
)
from teahouse.client.table import Table
from teahouse.core.options import option_texts

PATIENCE = 300.0
"""Seconds that a server may be unreachable, as in a restart, until requests and tables fail."""


class AsyncClient:
    """A connection to a server, with an API token or as a guest.

    >>> async with AsyncClient("http://localhost:8000", token="th_…") as client:  # doctest: +SKIP
    ...     table = await client.create_table("orochi", [Person(), HouseBot(3)])
    ...     async for position in table.turns():
    ...         await table.play(position.legal[0])
    """

    def __init__(self, url: str, token: str | None = None, *, patience: float = PATIENCE) -> None:
        self.api = HttpApi(url, token, patience)
        self._patience = patience
        self._open: list[Table | Lobby] = []

    async def __aenter__(self) -> AsyncClient:
        try:
            await self.check_protocol()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave all tables and close all connections."""
        await asyncio.gather(*(table.close() for table in self._open))
        await self.api.close()

    async def check_protocol(self) -> None:
        """Raise `ProtocolError` if the server uses another protocol version."""
        found = await self.api.get("/api")
        if not isinstance(found, dict) or found.get("protocol") != PROTOCOL:
            message = f"{self.api.url} is not a Teahouse server with protocol version {PROTOCOL}."
            raise ProtocolError(message)

    async def account(self) -> Account | None:
        """Return the account of the token; None for guests."""
        return Account.parse((await self.api.get("/api/account"))["account"])

    async def join(self, table_id: str, secrets: Sequence[str] = ()) -> Table:
        """Return a table: to play the account's seats and those of the secrets, or to watch."""
        table = Table(self.api, table_id, secrets, self._patience)
        await self._enter(table)
        return table

    async def lobby(self, accepts: Iterable[str] = ()) -> Lobby:
        """Return the lobby: open challenges, and events about one's own games.

        `accepts` are games to which the server shows people that they can challenge this bot.
        """
        lobby = Lobby(self.api, self._patience, accepts)
        await self._enter(lobby)
        return lobby

    async def _enter(self, place: Table | Lobby) -> None:
        self._open.append(place)
        try:
            await place.open()
        except BaseException:
            await self.leave(place)
            raise

    async def leave(self, place: Table | Lobby) -> None:
        """Close the connection to a table, whose game continues, or to the lobby."""
        if place in self._open:
            self._open.remove(place)
        await place.close()

    # Challenges.

    async def challenge(
        self,
        game: str,
        *,
        to: str | None = None,
        options: Mapping[str, Any] | None = None,
        time_control: TimeControl | None = None,
        rated: bool = False,
        seat: int | None = None,
        rating_range: tuple[int, int] | None = None,
        listed: bool = True,
    ) -> Challenge:
        """Challenge an account by its name, or everybody.

        Real-time challenges stay open as long as the client is in the `lobby`, which yields an
        event when the game begins.
        """
        body = {
            "game": game,
            "to": to,
            "options": option_texts(options or {}),
            "time_control": (time_control or Untimed()).json(),
            "rated": rated,
            "seat": seat,
            "rating_range": rating_range,
            "listed": listed,
            "guest": self.api.guest,
        }
        return Challenge.parse(await self.api.post("/api/challenges", body))

    async def challenges(self) -> list[Challenge]:
        """Return the challenges that are open to everybody."""
        return [Challenge.parse(one) for one in (await self.api.get("/api/lobby"))["challenges"]]

    async def accept(self, challenge_id: str) -> GameStarted | None:
        """Accept a challenge; return the game, or None if it waits for more players."""
        answer = await self._answer(challenge_id, "accept")
        if answer["table"] is None:
            return None
        secrets = () if answer["secret"] is None else (answer["secret"],)
        return GameStarted(answer["table"], secrets)

    async def decline(self, challenge_id: str) -> None:
        """Decline a challenge, or withdraw one's own."""
        await self._answer(challenge_id, "cancel")

    async def _answer(self, challenge_id: str, how: str) -> Any:
        return await self.api.post(
            f"/api/challenges/{challenge_id}/{how}", {"guest": self.api.guest}
        )

    # Tournaments.

    async def tournaments(self, status: str = "open") -> list[Tournament]:
        """Return the public tournaments that are `open`, `running` or `past`."""
        found = await self.api.get(f"/api/tournaments?status={quote(status)}")
        return [Tournament.parse(one) for one in found[status]]

    async def join_tournament(self, tournament_id: str, password: str | None = None) -> None:
        """Join a tournament; the `lobby` yields an event when a game of it begins."""
        await self.api.post(f"/api/tournaments/{tournament_id}/join", {"password": password})

    async def withdraw(self, tournament_id: str) -> None:
        """Leave a tournament."""
        await self.api.post(f"/api/tournaments/{tournament_id}/withdraw")

    # Tables.

    async def create_table(
        self,
        game: str,
        seats: Sequence[SeatSpec],
        *,
        options: Mapping[str, Any] | None = None,
        time_control: TimeControl | None = None,
        rated: bool = False,
        seed: int | None = None,
        listed: bool = False,
    ) -> Table:
        """Create a table and join it; `Person()` is a seat of this client.

        A rated game needs an account and a clock.
        """
        body: dict[str, Any] = {
            "game": game,
            "options": option_texts(options or {}),
            "seats": [seat.json() for seat in seats],
            "time_control": (time_control or Untimed()).json(),
            "rated": rated,
            "listed": listed,
        }
        created = await self.api.post(
            "/api/tables", body | ({} if seed is None else {"seed": seed})
        )
        own = {seat for seat, spec in enumerate(body["seats"]) if spec["kind"] == "local"}
        keys = [one["secret"] for one in created["seats"] if one["seat"] in own]
        return await self.join(created["id"], keys)
