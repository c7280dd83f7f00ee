"""A table in memory: it applies commands, stores and broadcasts events, and runs clock and bots."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.server.ratings.seats import SeatRatings, seat_ratings
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.account_news import encode_news
from teahouse.server.tables.bot_turns import BotTurns, Decision
from teahouse.server.tables.deadline_timer import DeadlineTimer
from teahouse.server.tables.feed import SnapshotFeed
from teahouse.server.tables.log import TableLog
from teahouse.server.tables.notifications import RemoteEvents
from teahouse.server.tables.room_messages import RoomMessages
from teahouse.server.tables.room_services import Rooms, Services
from teahouse.server.tables.rows import Change, SavedSession
from teahouse.server.tables.seat_keys import Access
from teahouse.server.tables.session_row import bot_due, session_row
from teahouse.server.tables.subscribers import Subscriber, Subscribers
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.server.web.messages import ExploreIn
from teahouse.server.web.wire import from_json, to_json
from teahouse.server.workers.hints import hint
from teahouse.server.workers.pool import Flow
from teahouse.session import commands
from teahouse.session.errors import CommandError
from teahouse.session.events import Event, LoggedEvent, Rematched, Timestamp
from teahouse.session.rematch import next_game, seat_order
from teahouse.session.start import next_deadline
from teahouse.session.state import GameSession, LastMove

log = logging.getLogger("teahouse.server.tables.room")

RELOADING = "The table is being reloaded. Please try again in a moment."


class Room:
    """One table. All changes of `session` hold the room's lock.

    A session is replaced, never changed, so a reference can be read across an `await`.
    """

    def __init__(
        self,
        table_id: str,
        key_hashes: list[str | None],
        session: GameSession,
        recent: Sequence[LoggedEvent],
        services: Services,
        rooms: Rooms,
    ) -> None:
        self.id = table_id
        self.key_hashes = key_hashes
        self._log = TableLog(table_id, key_hashes, session, services.store, self)
        self.closed = False
        self._last_used = services.store.now().uptime
        self._services = services
        self._store = services.store
        self._rooms = rooms
        self._lock = asyncio.Lock()
        self._joining = 0
        """Clients that wait for the snapshot before they join."""
        self._tasks = BackgroundTasks()
        self._subscribers = Subscribers(lambda: self.session.seats)
        self.feed = SnapshotFeed(
            table_id, services.renderer, self._subscribers, self._tasks, services.shared_snapshots
        )
        here = services.defer is None
        self._bots = BotTurns(self, services.bots, self._tasks, here=here)
        self._timer = DeadlineTimer(lambda: self._tasks.start(self._time_out()))
        self._messages = RoomMessages(table_id, session, recent, self._subscribers, self._bots)

    @classmethod
    def create(
        cls,
        table_id: str,
        key_hashes: list[str | None],
        created: LoggedEvent,
        services: Services,
        rooms: Rooms,
    ) -> tuple[Room, Change]:
        """Return the room of a new table, and the change that stores it."""
        session = GameSession.replay([created])
        log = [created, *session.commit(commands.join_at_once(session), created.time)]
        room = cls(table_id, key_hashes, session, log, services, rooms)
        row = session_row(table_id, key_hashes, session, created.time)
        news = encode_news(table_id, None, session) if services.store.multi_process else ()
        return room, Change(log, row, SavedSession.of(session), new=True, news=news)

    # Lifecycle.

    @property
    def session(self) -> GameSession:
        """The current session; it is replaced, never changed."""
        return self._log.session

    def start(self) -> None:
        """Start the bots' turns and the clock."""
        self._services.fair_play.watch(self.id, self.session)
        self._schedule()

    async def load_ratings(self) -> None:
        """Read the ratings of the players; what cannot be read is not shown."""
        if not any(seat.account for seat in self.session.seats):
            return
        session, now = self.session, self._store.now().wall
        try:
            self._messages.ratings = await self._store.read(
                lambda connection: seat_ratings(connection, self.id, session, now)
            )
        except StoreError as error:
            log.warning("Table %s: the ratings could not be read: %s", self.id, error)

    @property
    def ratings(self) -> SeatRatings:
        """The ratings of the players, where they are rated."""
        return self._messages.ratings

    def touch(self) -> None:
        """Record that the room is in use."""
        self._last_used = self._store.now().uptime

    @property
    def last_used(self) -> float:
        """When somebody last used the room, by the server's uptime."""
        return self._last_used

    def idle_for(self, seconds: float) -> bool:
        """Return whether nobody has needed the room for a time."""
        used = len(self._subscribers) + self._joining
        busy = used > 0 or self._bots.busy or self._lock.locked()
        return not busy and self._store.now().uptime - self._last_used > seconds

    @property
    def deadline(self) -> float | None:
        """Seconds until the running clock or the time for the start expires, or None."""
        return next_deadline(self.session, self._store.now())

    def evict(self) -> None:
        """Stop the clock's timer: the room is about to be dropped from memory."""
        self.closed = True
        self._timer.stop()
        self.feed.close()

    async def close(self, reason: str) -> None:
        """Stop all work and disconnect everybody."""
        self._timer.stop()
        self._bots.stop()
        await self._tasks.cancel()
        async with self._lock:  # what is being committed is broadcast first
            self.evict()
            self._subscribers.disconnect_all(reason)

    def _check_open(self) -> None:
        if self.closed:
            raise ApiError("busy", RELOADING)

    # Commands.

    async def submit(self, command: commands.Command) -> tuple[int, bool]:
        """Carry out a player's command.

        Return the sequence number of the last event, and whether the command was a duplicate.
        """
        async with self._lock:
            self._check_open()
            await self._log.time_out()
            while True:
                try:
                    events = await self._log.decide(
                        lambda session, now: commands.decide(
                            session, command, now, self._rooms.new_id
                        )
                    )
                except CommandError as error:
                    if await self._log.read_missed():  # it may be allowed by now
                        continue
                    raise ApiError.from_command(error) from None
                return self.session.seq, isinstance(command, commands.Play) and not events

    async def update(self, decide: Decision) -> None:
        """Commit the events that a function derives from the current session.

        Raise `ApiError` if the room was dropped meanwhile; `update_table` repeats it then.
        """
        async with self._lock:
            self._check_open()
            await self._log.decide(lambda session, _: decide(session))

    async def rewrite(self, job: Callable[[sa.Connection], None]) -> None:
        """Change the table's rows other than by events; all clients reconnect."""
        async with self._lock:
            self._check_open()
            try:
                await asyncio.shield(self._store.write(job))
            finally:
                self.fail()

    async def hint(self, address: str, ply: int, moves: Sequence[str]) -> dict[str, Any]:
        """Return a hint for a position of the game, or after a variation from there.

        The search is charged to an address.
        """
        services, (position, _) = self._services, self.session.at(ply)
        if moves:
            request = ExploreIn.from_position(position, moves)
            position, _ = await services.jobs.position(request, address)
        flow = Flow(address, self.id)
        return await hint(services.bots, services.fair_play, position, flow)

    async def follow(self, remote: RemoteEvents) -> None:
        """Apply and broadcast events that other processes have stored."""
        async with self._lock:
            if not self.closed:
                await self._log.follow(remote)

    async def act(self) -> None:
        """Do what is due without a command: end a game on time, and play for bots."""
        async with self._lock:
            if not self.closed:
                await self._log.read_missed()
                await self._log.time_out()
        await self._bots.play()

    # Called by the log.

    def broadcast(
        self,
        before: GameSession,
        session: GameSession,
        log: Sequence[LoggedEvent],
        now: Timestamp,
    ) -> None:
        """Broadcast new events and the session they led to."""
        if session.over and not before.over:
            self._rooms.game_over()
        self._rooms.notify(self.id, before, session)
        self._messages.broadcast(session, log, now)
        self._subscribers.take_claimed(log)
        self._services.fair_play.watch(self.id, session)
        if session.revision != before.revision:
            self.feed.push(session)
        self._schedule()

    def committed(self) -> None:
        """Let any process play for the bots of the table, if there are several."""
        if self._services.defer is not None and bot_due(self.session):
            self._services.defer(self.id)

    async def rematch(
        self, session: GameSession, agreed: Rematched, now: Timestamp
    ) -> tuple[Change, Callable[[], None]]:
        """Return what stores the table of a rematch, and what adds it; secrets follow their owners.

        Who did not agree has none there.
        """
        order, without = seat_order(session), agreed.without
        hashes = [None if seat in without else self.key_hashes[seat] for seat in order]
        created = LoggedEvent(1, now, next_game(session, secrets.randbelow(1 << 53), without))
        room, creation = Room.create(agreed.table, hashes, created, self._services, self._rooms)
        await room.load_ratings()
        return creation, lambda: self._rooms.add(room)

    def fail(self) -> None:
        """Drop the room after a failed write: memory and database may differ."""
        self.evict()
        self._subscribers.disconnect_all(RELOADING)
        self._rooms.discard(self)

    # Subscribers.

    async def join(self, subscriber: Subscriber, access: Access, after: int) -> None:
        """Subscribe a client and send what it has missed since event `after`."""
        if subscriber.snapshots:  # before the lock is held: moves do not wait for the rendering
            self._joining += 1
            try:
                await self.feed.current(self.session)
            finally:
                self._joining -= 1
        async with self._lock:
            self._check_open()
            await self._log.read_missed()  # the client may have seen later events elsewhere
            seats = access.seats(self.session)
            if seats and self.session.created.rated and access.player is None:
                raise ApiError("sign_in_required", "This game is rated. Sign in to play it.")
            if not seats and self._subscribers.spectators >= self._services.max_spectators:
                raise ApiError("at_capacity", "This table has too many spectators.")
            await self._log.time_out()

            def joining(session: GameSession, _: Timestamp) -> Sequence[Event]:
                nonlocal seats
                seats = access.seats(session)
                return commands.join(session, seats, access.player)

            await self._log.decide(joining)
            snapshot = await self.feed.current(self.session) if subscriber.snapshots else None
            subscriber.seats = seats
            self._subscribers.add(subscriber)
            now = self._store.now()
            self._messages.welcome(subscriber, self.session, after, snapshot, now)
            self._schedule()  # a table of bots resumes when somebody watches
        self._announce_presence()

    def leave(self, subscriber: Subscriber) -> None:
        """Unsubscribe a client."""
        if self._subscribers.remove(subscriber):
            self.touch()
            self._announce_presence()
            self._schedule()

    def _announce_presence(self) -> None:
        self._subscribers.announce_presence()
        self._rooms.presence_changed(self)

    @property
    def subscribers(self) -> Subscribers:
        """Who is connected, through this process and others."""
        return self._subscribers

    @property
    def spectators(self) -> int:
        """The number of clients without a seat."""
        return self._subscribers.spectators

    @property
    def watched(self) -> bool:
        """Whether anybody is connected."""
        return len(self._subscribers) > 0

    @property
    def address(self) -> str:
        """The address that bots' searches are charged to: a player's, else a spectator's."""
        return self._subscribers.address

    def announce_state(self) -> None:
        """Broadcast a state that has changed without an event."""
        self._messages.broadcast(self.session, [], self._store.now())

    # Reading.

    async def body(self) -> dict[str, Any]:
        """Return the complete public state of the table."""
        session = self.session  # no lock: moves do not wait for the rendering
        snapshot = await self.feed.current(session)
        return {**self._messages.body(session, self._store.now()), "snapshot": snapshot}

    async def page_body(self) -> dict[str, Any]:
        """Return the part of the public state that the table's page shows without a script."""
        session = self.session
        raw = await self.feed.current(session)
        return {
            **self._messages.body(session, self._store.now()),
            "snapshot": from_json(to_json(raw)),
        }

    async def position_at(self, ply: int) -> tuple[Position, LastMove | None]:
        """Return the position after a number of moves, and the move that led there."""
        async with self._lock:
            if ply > self.session.ply:
                raise ApiError("not_found", f"This game has plies 0 to {self.session.ply}.")
            return self.session.at(ply)

    async def record(self) -> Record:
        """Return the game so far as a record."""
        async with self._lock:
            return self.session.record()

    # Bots and the clock.

    def _schedule(self) -> None:
        """Start what happens without a command: bots' turns and timeouts."""
        if not self.closed:
            self._bots.schedule()
            self._timer.set(self.deadline)

    async def _time_out(self) -> None:
        try:
            async with self._lock:
                if not self.closed:
                    await self._log.time_out()
                    self._timer.set(self.deadline)
        except StoreError as error:  # the registry loads the table again
            log.warning("Table %s: the timeout could not be stored: %s", self.id, error)
