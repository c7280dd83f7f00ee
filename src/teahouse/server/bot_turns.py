"""The bots of a table: they play their turns and respond to draw offers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from teahouse.server.bots import Bots
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.worker_pool import WorkerError
from teahouse.session import commands
from teahouse.session.events import Event
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.bot_turns")

RETRY_SECONDS = 5.0

Decision = Callable[[GameSession], Sequence[Event]]


class BotRoom(Protocol):
    """What bots need of a room."""

    id: str
    closed: bool

    @property
    def session(self) -> GameSession: ...

    def update(self, decide: Decision) -> Awaitable[None]: ...


class BotTurns:
    """Runs at most one search for a move and one for a draw offer at a time."""

    def __init__(self, room: BotRoom, bots: Bots, tasks: BackgroundTasks) -> None:
        self._room = room
        self._bots = bots
        self._tasks = tasks
        self._move_task: asyncio.Task[None] | None = None
        self._searched_turn: tuple[int, bool] | None = None
        self._draw_task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a bot is searching."""
        return self._move_task is not None or self._draw_task is not None

    def schedule(self) -> None:
        """Start the searches that are due, and cancel one that is obsolete."""
        session = self._room.session
        if self._move_task is None:
            if session.bot_to_move:
                self._move_task = self._tasks.start(self._play())
        elif self._move_task is not asyncio.current_task() and self._searched_turn != session.turn:
            self._move_task.cancel()  # its end schedules the next one
        offer = session.offers.get("draw")
        if offer is not None and self._draw_task is None:
            seats = sorted(seat for seat in session.awaiting(offer) if session.is_bot(seat))
            if seats:
                self._draw_task = self._tasks.start(self._respond_to_draw(seats[0]))

    async def _play(self) -> None:
        """Play as long as it is a bot's turn."""
        room = self._room
        try:
            while not room.closed and room.session.bot_to_move:
                session = room.session
                turn, position = session.turn, session.position
                self._searched_turn = turn
                try:
                    level = session.seats[position.player].level or 1
                    move = await self._bots.choose(position, level)
                except WorkerError as error:
                    log.warning("Table %s: the bot's search failed: %s", room.id, error)
                    await asyncio.sleep(RETRY_SECONDS)
                    continue
                await room.update(lambda current: _bot_move(current, turn, move))  # noqa: B023
        finally:
            self._move_task = None
            if not room.closed:
                self.schedule()

    async def _respond_to_draw(self, seat: int) -> None:
        room = self._room
        try:
            try:
                accept = await self._bots.accepts_draw(room.session.position, seat)
            except WorkerError:
                accept = False
            await room.update(lambda current: commands.respond_as_bot(current, seat, accept))
        finally:
            self._draw_task = None
            if not room.closed:
                self.schedule()


def _bot_move(session: GameSession, turn: tuple[int, bool], move: str) -> Sequence[Event]:
    """Return the event of a bot's move, unless the search is obsolete."""
    if session.turn != turn:
        return []
    return [commands.play(session, session.position.player, session.ply, move)]
