"""Plays for a bot account: answers challenges, and plays several games at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from teahouse.client import AsyncClient, ClientError, RequestError, Table
from teahouse.client.lobby import ChallengeGone, ChallengeReceived, GameStarted
from teahouse.client.models import Challenge, Realtime
from teahouse.core.errors import IllegalMove, OptionError
from teahouse.core.position import Position
from teahouse.search.ugi import EngineFailure
from teahouse.terminal.connect.players import ClockReading, MovePlayer, PlayerFactory
from teahouse.terminal.connect.rules import AcceptRules

log = logging.getLogger("teahouse.connect")

REMATCH_SECONDS = 60.0
"""How long a table is kept open after its game, for a rematch."""
Report = Callable[[str], None]
T = TypeVar("T")


class Runner:
    """A bot account at work."""

    def __init__(
        self,
        client: AsyncClient,
        factory: PlayerFactory,
        rules: AcceptRules,
        concurrency: int,
        report: Report,
        max_games: int | None = None,
        tournaments: Sequence[str] = (),
    ) -> None:
        self._client = client
        self._factory = factory
        self._rules = rules
        self._concurrency = concurrency
        self._report = report
        self._max_games = max_games
        self._tournaments = tournaments
        self._finished = 0
        self._done = asyncio.Event()
        self._tasks = _Tasks()
        self._tables: set[str] = set()
        """Tables with an open connection."""
        self._playing: set[str] = set()
        """Those of them whose game is not over."""
        self._awaited: set[str] = set()
        """Challenges that are being accepted."""
        self._waiting: dict[str, Challenge] = {}
        """Challenges to be answered once a game is over."""
        self._threads = ThreadPoolExecutor(concurrency, "connect")

    async def run(self) -> None:
        """Play until `max_games` games are over; raise `ClientError` if it cannot continue."""
        working = self._tasks.create(self._work())
        stopping = self._tasks.create(self._done.wait())
        try:
            await asyncio.wait({stopping, working}, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
        finally:
            await self._tasks.cancel()
            self._threads.shutdown(cancel_futures=True)

    async def _work(self) -> None:
        lobby = await self._client.lobby(self._rules.challenged_games)
        if lobby.account is None:
            raise ClientError("This token belongs to no account.")
        self._report(f"Connected to {self._client.api.url} as {lobby.account.name}.")
        for tournament in self._tournaments:
            await self._client.join_tournament(tournament)
            self._report(f"Entered the tournament {tournament}.")
        async for event in lobby.events():
            if isinstance(event, GameStarted):
                self._start(event)
            elif isinstance(event, ChallengeReceived):
                await self._answer(event.challenge)
            elif isinstance(event, ChallengeGone):
                self._waiting.pop(event.id, None)

    # Challenges.

    @property
    def _busy(self) -> bool:
        return len(self._playing) + len(self._awaited) >= self._concurrency

    async def _answer(self, challenge: Challenge) -> None:
        """Accept a challenge, decline it, or keep it for later while there is too much to do."""
        who = challenge.challenger_name or "A guest"
        refusal = self._rules.refusal(challenge)
        try:
            if refusal is not None:
                self._report(f"Declined a challenge of {who}: {refusal}.")
                await self._client.decline(challenge.id)
            elif self._busy:
                self._waiting[challenge.id] = challenge
            else:
                self._report(f"Accepted a challenge of {who}: {challenge.game}.")
                self._awaited.add(challenge.id)
                started = await self._client.accept(challenge.id)
                if started is not None:
                    self._start(started)  # it counts before the next challenge is answered
        except RequestError as error:
            self._report(f"A challenge of {who} could not be answered: {error}")
        finally:
            self._awaited.discard(challenge.id)

    async def _answer_waiting(self) -> None:
        while self._waiting and not self._busy:
            first = next(iter(self._waiting))
            await self._answer(self._waiting.pop(first))

    # Games.

    def _start(self, started: GameStarted) -> None:
        if started.table not in self._tables:
            self._tables.add(started.table)
            self._playing.add(started.table)
            self._tasks.create(self._game(started))

    async def _game(self, started: GameStarted) -> None:
        """Play a game to its end, whatever happens to the engine."""
        table: Table | None = None
        try:
            table = await self._client.join(started.table, started.secrets)
            if table.over or not table.own_seats:
                return
            self._report(f"Playing {table.game.title}: {table.url}")
            answering = self._tasks.create(self._answer_offers(table))
            await self._play(table)
            self._report(f"{table.game.title} is over: {table.result_text}")
            self._playing.discard(started.table)
            self._count()
            await self._answer_waiting()
            await self._wait_for_rematch(table)
            answering.cancel()
        except ClientError as error:
            self._report(f"Table {started.table} was left: {error}")
        finally:
            self._playing.discard(started.table)
            self._tables.discard(started.table)
            if table is not None:
                await self._client.leave(table)

    def _count(self) -> None:
        self._finished += 1
        if self._finished == self._max_games:
            self._done.set()

    async def _play(self, table: Table) -> None:
        loop = asyncio.get_running_loop()
        player: MovePlayer | None = None
        try:
            async for position in table.turns():
                try:
                    if player is None:
                        player = await loop.run_in_executor(
                            self._threads, self._factory, table.game
                        )
                    clock = _reading(table)
                    move = await loop.run_in_executor(self._threads, player.choose, position, clock)
                    await table.play_at(position, move)
                except (EngineFailure, IllegalMove, OptionError) as failure:
                    await self._give_up(table, position, failure)
        finally:
            if player is not None:
                await loop.run_in_executor(None, player.close)

    async def _give_up(self, table: Table, position: Position, failure: Exception) -> None:
        """Resign the game of an engine that has failed."""
        text = failure.report if isinstance(failure, EngineFailure) else str(failure)
        self._report(f"Resigned {table.url}: {text}")
        await table.resign(position.player)

    async def _answer_offers(self, table: Table) -> None:
        """Accept rematches, and takebacks where nothing is at stake; decline all else."""
        with suppress(ClientError):  # the connection has ended: so does the game here
            while True:
                for offer in table.offers:
                    for seat in set(offer.awaiting).intersection(table.own_seats):
                        rematch = offer.kind == "rematch" and not self._busy
                        takeback = offer.kind == "takeback" and not table.rated
                        with suppress(RequestError):
                            await table.respond(offer.kind, rematch or takeback, seat)
                await table.next_change()

    async def _wait_for_rematch(self, table: Table) -> None:
        """Stay for a while after the game."""
        with suppress(TimeoutError):
            async with asyncio.timeout(REMATCH_SECONDS):
                while table.rematch is None:
                    await table.next_change()


class _Tasks:
    """Tasks that are cancelled together."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def create(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def cancel(self) -> None:
        """Cancel all tasks and wait until they have ended."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _reading(table: Table) -> ClockReading:
    seconds = tuple(table.seconds_left(seat) for seat in range(len(table.seats)))
    control = table.time_control
    return ClockReading(seconds, control.increment if isinstance(control, Realtime) else 0.0)
