"""The blocking client: the asynchronous one, run by a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from teahouse.client.client import PATIENCE, AsyncClient
from teahouse.client.lobby import GameStarted, LobbyEvent
from teahouse.client.models import (
    Account,
    Challenge,
    Offer,
    Seat,
    SeatSpec,
    TableEvent,
    TimeControl,
    Tournament,
)
from teahouse.client.table import Table
from teahouse.core.game import Game
from teahouse.core.position import Position

T = TypeVar("T")


class _Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result; an interrupt cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, values: AsyncIterator[T]) -> Iterator[T]:
        """Yield what an asynchronous iterator yields."""

        async def following() -> tuple[T, ...]:
            try:
                return (await anext(values),)
            except StopAsyncIteration:
                return ()

        while value := self.run(following()):
            yield value[0]

    def close(self) -> None:
        """Stop the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class BlockingTable:
    """A table, as `Table`, with methods that block."""

    def __init__(self, loop: _Loop, table: Table) -> None:
        self._loop = loop
        self.table = table
        """The asynchronous table; reading it is safe, its methods belong to the thread."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.table.id

    @property
    def url(self) -> str:
        """The address of its page."""
        return self.table.url

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self.table.game

    @property
    def position(self) -> Position:
        """The current position."""
        return self.table.position

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves played so far."""
        return self.table.moves

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who plays."""
        return self.table.seats

    @property
    def own_seats(self) -> tuple[int, ...]:
        """The seats of this client."""
        return self.table.own_seats

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The pending offers."""
        return self.table.offers

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.table.over

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won."""
        return self.table.winners

    @property
    def result_text(self) -> str | None:
        """The result and its reason in words."""
        return self.table.result_text

    def seconds_left(self, seat: int) -> float | None:
        """Return a seat's remaining time by its clock; None without one."""
        return self.table.seconds_left(seat)

    def turns(self) -> Iterator[Position]:
        """Yield the position whenever it is this client's turn, until the game is over."""
        return self._loop.iterate(self.table.turns())

    def events(self) -> Iterator[TableEvent]:
        """Yield what happens from now on; end with the game."""
        return self._loop.iterate(self.table.events())

    def finished(self) -> str:
        """Wait for the end of the game and return its result in words."""
        return self._loop.run(self.table.finished())

    def play(self, move: str) -> bool:
        """Play a move of the current position; return whether it counted."""
        return self._loop.run(self.table.play(move))

    def resign(self, seat: int | None = None) -> None:
        """Resign."""
        self._loop.run(self.table.resign(seat))

    def offer(self, kind: str, seat: int | None = None) -> None:
        """Offer a takeback, a draw or a rematch."""
        self._loop.run(self.table.offer(kind, seat))

    def respond(self, kind: str, accept: bool, seat: int | None = None) -> None:
        """Accept or decline an offer."""
        self._loop.run(self.table.respond(kind, accept, seat))

    def chat(self, text: str, seat: int | None = None) -> None:
        """Send a chat message."""
        self._loop.run(self.table.chat(text, seat))


class Client:
    """A connection to a server, as `AsyncClient`, with methods that block.

    >>> with Client("http://localhost:8000", token="th_…") as client:  # doctest: +SKIP
    ...     table = client.create_table("orochi", [Person(), HouseBot(3)])
    ...     for position in table.turns():
    ...         table.play(position.legal[0])
    """

    def __init__(self, url: str, token: str | None = None, *, patience: float = PATIENCE) -> None:
        self._loop = _Loop()
        try:
            self._client = self._loop.run(_create(url, token, patience))
        except BaseException:
            self._loop.close()
            raise

    def __enter__(self) -> Client:
        try:
            self._loop.run(self._client.check_protocol())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave all tables and close all connections."""
        self._loop.run(self._client.close())
        self._loop.close()

    def account(self) -> Account | None:
        """Return the account of the token; None for guests."""
        return self._loop.run(self._client.account())

    def join(self, table_id: str, secrets: Sequence[str] = ()) -> BlockingTable:
        """Return a table: to play the account's seats and those of the secrets, or to watch."""
        return BlockingTable(self._loop, self._loop.run(self._client.join(table_id, secrets)))

    def leave(self, table: BlockingTable) -> None:
        """Close the connection to a table; the game continues."""
        self._loop.run(self._client.leave(table.table))

    def events(self, accepts: Iterable[str] = ()) -> Iterator[LobbyEvent]:
        """Enter the lobby and yield what happens: challenges, games that begin, turns.

        `accepts` are games to which the server shows people that they can challenge this bot.
        """
        lobby = self._loop.run(self._client.lobby(accepts))
        return self._loop.iterate(lobby.events())

    def challenges(self) -> list[Challenge]:
        """Return the challenges that are open to everybody."""
        return self._loop.run(self._client.challenges())

    def challenge(
        self,
        game: str,
        *,
        to: str | None = None,
        options: Mapping[str, Any] | None = None,
        time_control: TimeControl | None = None,
        rated: bool = False,
    ) -> Challenge:
        """Challenge an account by its name, or everybody."""
        made = self._client.challenge(
            game, to=to, options=options, time_control=time_control, rated=rated
        )
        return self._loop.run(made)

    def accept(self, challenge_id: str) -> GameStarted | None:
        """Accept a challenge; return the game, or None if it waits for more players."""
        return self._loop.run(self._client.accept(challenge_id))

    def decline(self, challenge_id: str) -> None:
        """Decline a challenge, or withdraw one's own."""
        self._loop.run(self._client.decline(challenge_id))

    def tournaments(self, status: str = "open") -> list[Tournament]:
        """Return the public tournaments that are `open`, `running` or `past`."""
        return self._loop.run(self._client.tournaments(status))

    def join_tournament(self, tournament_id: str, password: str | None = None) -> None:
        """Join a tournament; `events` yields one when a game of it begins."""
        self._loop.run(self._client.join_tournament(tournament_id, password))

    def withdraw(self, tournament_id: str) -> None:
        """Leave a tournament."""
        self._loop.run(self._client.withdraw(tournament_id))

    def create_table(
        self,
        game: str,
        seats: Sequence[SeatSpec],
        *,
        options: Mapping[str, Any] | None = None,
        time_control: TimeControl | None = None,
        rated: bool = False,
        seed: int | None = None,
        listed: bool = False,
    ) -> BlockingTable:
        """Create a table and join it; `Person()` is a seat of this client."""
        created = self._client.create_table(
            game,
            seats,
            options=options,
            time_control=time_control,
            rated=rated,
            seed=seed,
            listed=listed,
        )
        return BlockingTable(self._loop, self._loop.run(created))


async def _create(url: str, token: str | None, patience: float) -> AsyncClient:
    return AsyncClient(url, token, patience=patience)
