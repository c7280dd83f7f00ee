"""The bots of a table: they play their turns and respond to draw offers.

A table that has only bots is played while somebody watches it, at the pace of its session; games of
tournaments are played without spectators, as fast as possible.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Protocol

from teahouse.core.random import game_seed
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.payloads import BotStatus
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.bots import Bots, TableBot
from teahouse.server.workers.pool import Flow, Share, WorkerError
from teahouse.session import commands, offers
from teahouse.session.consent import awaiting
from teahouse.session.events import Event
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.tables.bot_turns")

RETRY_SECONDS = 5.0
NOTICE_SECONDS = 0.3
SECRET = secrets.token_bytes(16)
"""Of this process: after a restart bots continue from the position."""

Decision = Callable[[GameSession], Sequence[Event]]


class BotRoom(Protocol):
    """The room as bots use it."""

    id: str
    closed: bool

    @property
    def session(self) -> GameSession: ...

    @property
    def watched(self) -> bool: ...

    @property
    def address(self) -> str: ...

    def update(self, decide: Decision) -> Awaitable[None]: ...

    def announce_state(self) -> None: ...


class BotTurns:
    """Runs at most one search for a move and one for a draw offer at a time."""

    def __init__(
        self, room: BotRoom, bots: Bots, tasks: BackgroundTasks, *, here: bool = True
    ) -> None:
        """Play whatever is due; unless `here`, only during `play` or while somebody watches."""
        self._here = here
        self._playing = 0
        self._room = room
        self._bots = bots
        self._tasks = tasks
        self._move_task: asyncio.Task[None] | None = None
        self._searched_turn: tuple[int, bool] | None = None
        self._draw_task: asyncio.Task[None] | None = None
        self._ponder_task: asyncio.Task[None] | None = None
        self._pondered = 0
        """The revision of the position that a bot ponders."""
        self._notice_task: asyncio.Task[None] | None = None
        self._waiting = False
        self._stopped = False

    @property
    def busy(self) -> bool:
        """Whether a bot is searching."""
        return self._move_task is not None or self._draw_task is not None

    @property
    def status(self) -> BotStatus | None:
        """Why the bots are not at their best, if so."""
        session = self._room.session
        if session.over or not _has_bots(session):
            return None
        preparing = self._bots.kernels.fraction(session.game)
        if preparing is None and not self._waiting:
            return None
        percent = preparing if preparing is None else int(100 * preparing)
        return BotStatus(percent, self._waiting)

    def stop(self) -> None:
        """Start no more searches."""
        self._stopped = True

    def schedule(self) -> None:
        """Start the searches that are due, and cancel those that are obsolete."""
        if self._stopped or self._room.closed:
            return
        session = self._room.session
        here = self._here or self._playing > 0
        paused = session.needs_audience and (session.pace.paused or not self._room.watched)
        if self._ponder_task is not None and self._pondered != session.revision:
            self._ponder_task.cancel()
        if self._move_task is None:
            if session.bot_to_move and not paused and (here or session.needs_audience):
                self._searched_turn = session.turn
                self._move_task = self._tasks.start(self._play())
                self._move_task.add_done_callback(self._move_done)
        elif self._move_task is not asyncio.current_task() and (
            paused or self._searched_turn != session.turn
        ):
            self._move_task.cancel()  # `_move_done` schedules the next one
        offer = session.offers.get("draw")
        if offer is not None and self._draw_task is None and here:
            seats = sorted(seat for seat in awaiting(session, offer) if session.is_bot(seat))
            if seats:
                self._draw_task = self._tasks.start(self._respond_to_draw(seats[0]))
                self._draw_task.add_done_callback(self._draw_done)
        self._announce()

    async def play(self) -> None:
        """Play for the bots until nothing is due, wherever the players are connected."""
        self._playing += 1
        try:
            self.schedule()
            while running := [one for one in (self._move_task, self._draw_task) if one]:
                await asyncio.wait(running)
                await asyncio.sleep(0)  # their callbacks may start the next ones
        finally:
            self._playing -= 1
            if not (self._here or self._playing) and self._move_task is not None:
                self._move_task.cancel()

    def _move_done(self, _: object) -> None:
        self._move_task = None
        self._waiting = False
        self.schedule()

    def _draw_done(self, _: object) -> None:
        self._draw_task = None
        self.schedule()

    async def _play(self) -> None:
        """Play as long as it is a bot's turn; after an error wait before `_move_done` retries."""
        try:
            await self._play_in_share()
        except Exception as error:
            if isinstance(error, StoreError):  # the database is unavailable: not a bug
                log.warning("Table %s: storing a bot's move failed: %s", self._room.id, error)
            else:
                log.exception("Table %s: a bot's turn failed.", self._room.id)
            await asyncio.sleep(RETRY_SECONDS)

    async def _play_in_share(self) -> None:
        room = self._room
        if not room.session.bots_only:
            await self._play_turns(Share.OPPONENT)
            return
        limit = self._bots.bot_game(room.address)
        self._set_waiting(limit.locked())
        async with limit:
            self._set_waiting(False)
            await self._play_turns(Share.BOT_ONLY)

    async def _play_turns(self, share: Share) -> None:
        room = self._room
        while not room.closed and room.session.bot_to_move:
            session = room.session
            if session.bots_only != (share is Share.BOT_ONLY):
                return  # a bot has taken over from the last person
            turn, position = session.turn, session.position
            self._searched_turn = turn
            shown = asyncio.create_task(asyncio.sleep(self._move_seconds(session)))
            try:
                bot = table_bot(room.id, session, position.player)
                move = await self._bots.choose(position, bot, room.address, share)
                await shown
            except WorkerError as error:
                log.warning("Table %s: the bot's search failed: %s", room.id, error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            finally:
                shown.cancel()
            await self._commit(lambda current: _bot_move(current, turn, move))  # noqa: B023
            if not room.session.bot_to_move and not room.session.over:
                self._ponder(bot)

    def _move_seconds(self, session: GameSession) -> float:
        """Return the shortest time of a move, so that people can watch bots among themselves."""
        shown = session.bots_only and self._room.watched
        speed = session.pace.speed if shown else None
        return 0.0 if speed is None else self._bots.settings.bot_move_seconds / speed

    async def _commit(self, decide: Decision) -> None:
        """Update the room. A cancellation waits for it: half of an update would reload the room."""
        update = asyncio.ensure_future(self._room.update(decide))
        try:
            await asyncio.shield(update)
        except ApiError:
            if not self._room.closed:
                raise  # else it is loaded again, with its bots
        except asyncio.CancelledError:
            await asyncio.wait([update])
            raise

    def _ponder(self, bot: TableBot) -> None:
        """Let a bot think while its opponent does, where the server allows it."""
        room = self._room
        if self._ponder_task is None and self._bots.settings.ponder:
            self._pondered = room.session.revision
            work = self._bots.ponder(room.session.position, bot, room.address)
            self._ponder_task = self._tasks.start(work)
            self._ponder_task.add_done_callback(lambda _: setattr(self, "_ponder_task", None))

    async def _respond_to_draw(self, seat: int) -> None:
        room = self._room
        try:
            flow = Flow(room.address, room.id)
            accept = await self._bots.accepts_draw(room.session.position, seat, flow)
        except Exception as error:
            if not isinstance(error, WorkerError):
                log.exception("Table %s: evaluating a draw offer failed.", room.id)
            accept = False
        await self._commit(lambda current: offers.respond_as_bot(current, seat, accept))

    def _set_waiting(self, waiting: bool) -> None:
        if waiting != self._waiting:
            self._waiting = waiting
            self._room.announce_state()

    def _announce(self) -> None:
        """Prepare the bots if necessary, and keep clients informed until they are ready."""
        room, kernels = self._room, self._bots.kernels
        session = room.session
        if session.over or not _has_bots(session):
            return
        kernels.request(session.game, room.address)
        if self._notice_task is None and room.watched and kernels.pending(session.game):
            self._notice_task = self._tasks.start(self._send_notices())

    async def _send_notices(self) -> None:
        room, game, sent = self._room, self._room.session.game, self.status
        try:
            while not room.closed and room.watched:
                status = self.status
                if status != sent:
                    room.announce_state()
                    sent = status
                if not self._bots.kernels.pending(game):
                    return
                await asyncio.sleep(NOTICE_SECONDS)
        finally:
            self._notice_task = None


def _has_bots(session: GameSession) -> bool:
    return any(session.is_bot(seat) for seat in range(len(session.seats)))


def table_bot(table: str, session: GameSession, seat: int) -> TableBot:
    """Return the bot of a seat, with a seed that follows from the game's or from the table.

    In a game that counts nobody can compute it: the game's seed is public, and whoever knew the
    bot's replies could try every move at another table first.
    """
    seed = session.created.seed
    if session.created.counts:
        seed = int.from_bytes(sha256(SECRET + table.encode()).digest()[:6])
    elif seed is None:  # a game from a given position
        seed = int.from_bytes(sha256(table.encode()).digest()[:6])
    return TableBot(table, seat, session.seats[seat].level or 1, game_seed(seed, seat))


def _bot_move(session: GameSession, turn: tuple[int, bool], move: str) -> Sequence[Event]:
    """Return the event of a bot's move, unless the search is obsolete."""
    if session.turn != turn:
        return []
    return [commands.play(session, session.position.player, session.ply, move)]
