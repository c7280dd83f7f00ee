"""The asynchronous client of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from teahouse.client.errors import ProtocolError
from teahouse.client.http import PROTOCOL, HttpApi
from teahouse.client.models import Account, SeatSpec, TimeControl, Untimed
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
        self._open: list[Table] = []

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
        """Raise `ProtocolError` if the server speaks another protocol."""
        found = await self.api.get("/api")
        if not isinstance(found, dict) or found.get("protocol") != PROTOCOL:
            message = f"{self.api.url} is no Teahouse server of protocol {PROTOCOL}."
            raise ProtocolError(message)

    async def account(self) -> Account | None:
        """Return the account of the token; None for guests."""
        return Account.parse((await self.api.get("/api/account"))["account"])

    async def join(self, table_id: str, secrets: Sequence[str] = ()) -> Table:
        """Return a table: to play the account's seats and those of the secrets, or to watch."""
        table = Table(self.api, table_id, secrets, self._patience)
        self._open.append(table)
        try:
            await table.open()
        except BaseException:
            await self.leave(table)
            raise
        return table

    async def leave(self, table: Table) -> None:
        """Close the connection to a table; the game goes on."""
        if table in self._open:
            self._open.remove(table)
        await table.close()

    async def create_table(
        self,
        game: str,
        seats: Sequence[SeatSpec],
        *,
        options: Mapping[str, Any] | None = None,
        time_control: TimeControl | None = None,
        seed: int | None = None,
        listed: bool = False,
    ) -> Table:
        """Create a table and join it; `Person()` is a seat of this client."""
        body: dict[str, Any] = {
            "game": game,
            "options": option_texts(options or {}),
            "seats": [seat.json() for seat in seats],
            "time_control": (time_control or Untimed()).json(),
            "listed": listed,
        }
        created = await self.api.post(
            "/api/tables", body | ({} if seed is None else {"seed": seed})
        )
        own = {seat for seat, spec in enumerate(body["seats"]) if spec["kind"] == "local"}
        keys = [one["secret"] for one in created["seats"] if one["seat"] in own]
        return await self.join(created["id"], keys)
