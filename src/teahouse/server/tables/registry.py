"""The registry of tables: it creates them, loads them on demand and evicts idle ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

import sqlalchemy as sa

from teahouse.server.accounts.models import Account
from teahouse.server.operations import logs
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.fair_play import PAST_POSITIONS, FairPlay
from teahouse.server.tables.followers import TableFollowers
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.jobs import TableJobs
from teahouse.server.tables.new_table import created_event, requested_setup, seat_secrets
from teahouse.server.tables.room import RELOADING, Room
from teahouse.server.tables.room_loader import load_room
from teahouse.server.tables.room_services import Services
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.tables.shared_fair_play import SharedFairPlay
from teahouse.server.tables.shared_presence import SharedPresence
from teahouse.server.tables.shared_snapshots import SharedSnapshots
from teahouse.server.tables.upkeep import RETRY_SECONDS, run_upkeep
from teahouse.server.tables.wake_timers import WakeTimers
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session.events import LoggedEvent
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.tables.registry")

ABANDONED_SECONDS = 30 * 86_400.0  # until a game no longer counts as unfinished
DRAIN_SECONDS = 2.0  # for clients to close their side of a connection

REWRITTEN = "rewritten"
"""The topic of notifications about tables rewritten other than by events."""

Listener = Callable[[str, GameSession | None, GameSession], None]
"""Called with a table's id and its session before and after a commit; before is None for a new
table."""


class Registry:
    """All tables, in memory and in the database."""

    def __init__(
        self,
        settings: ServerSettings,
        store: Store,
        bots: Bots,
        renderer: Renderer,
        jobs: JobPool,
    ) -> None:
        self.settings = settings
        self.store = store
        self.bots = bots
        self.renderer = renderer
        self.jobs = jobs
        self.fair_play = FairPlay(jobs)
        self.game_finished = asyncio.Event()
        """Set whenever a game ends."""
        run = settings.run_jobs
        self._table_jobs = TableJobs(store, self.act, run=run) if store.multi_process else None
        self._rooms: dict[str, Room] = {}
        self._services = Services(
            store,
            bots,
            renderer,
            jobs,
            self.fair_play,
            settings.max_spectators,
            self._table_jobs.due if self._table_jobs else None,
            SharedSnapshots(store, self._rooms) if store.multi_process else None,
        )
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self._wake_timers = WakeTimers(lambda one: self._tasks.start(self._wake([one])))
        """For evicted tables with a running clock, and those that could not be loaded."""
        self._listeners: list[Listener] = []
        self._tasks = BackgroundTasks()
        self._followers = TableFollowers(store, self._rooms, self._tasks)
        SharedFairPlay(store, self.fair_play, self._rooms, self._wake)
        self._presence = SharedPresence(store, self._rooms, self._tasks)
        self._closing = False
        self._unfinished = 0
        self._connections = 0

    async def start(self) -> None:
        """Resume bots' turns and running clocks, and start the upkeep."""
        self._followers.start()
        self._presence.start()
        self.store.notifications.subscribe(REWRITTEN, self._rewritten)
        await self.count_unfinished()
        await self._watch_stored_games()
        if self._table_jobs is None:
            self._tasks.start(self._wake(await self.store.tables_to_wake()))
        else:
            await self._table_jobs.start()
        self._tasks.start(run_upkeep(self))

    async def drain(self) -> None:
        """Finish running commits, accept no more clients, and disconnect those there are.

        Return once they are gone, or after `DRAIN_SECONDS`.
        """
        await self._stop_acting()
        rooms = list(self._rooms.values())
        for room in rooms:
            await room.close("The server is restarting. Please reconnect.")
        deadline = asyncio.get_running_loop().time() + DRAIN_SECONDS
        while any(room.watched for room in rooms):
            if asyncio.get_running_loop().time() > deadline:
                return
            await asyncio.sleep(0.02)

    async def close(self) -> None:
        """Disconnect everybody; clients reconnect by themselves."""
        await self._stop_acting()
        await self._tasks.cancel()
        for room in list(self._rooms.values()):
            await room.close("The server is shutting down.")

    async def _stop_acting(self) -> None:
        """Accept no more clients, and leave what is due at tables to other processes."""
        self._closing = True
        self._wake_timers.close()
        if self._table_jobs is not None:
            jobs, self._table_jobs = self._table_jobs, None
            await jobs.close()

    # Connections.

    def connect(self) -> None:
        """Count a new connection; raise `ApiError` if there are too many, or the server stops."""
        if self._closing:
            raise ApiError("busy", "The server is restarting. Please reconnect.")
        if self._connections >= self.settings.max_connections:
            raise ApiError("at_capacity", "The server is full. Please try again later.")
        self._connections += 1

    def disconnect(self) -> None:
        """Count a closed connection."""
        self._connections -= 1

    @property
    def load(self) -> dict[str, int]:
        """The load of the server: connections, unfinished games, tables in memory."""
        return {
            "connections": self._connections,
            "unfinished_games": self._unfinished,
            "tables_in_memory": len(self._rooms),
        }

    @property
    def rooms(self) -> Iterable[Room]:
        """The tables in memory."""
        return self._rooms.values()

    # Tables.

    async def room(self, table_id: str) -> Room:
        """Return a table's room, loaded from the database if necessary."""
        room = self._rooms.get(table_id)
        if room is None:
            if self._closing:
                raise ApiError("busy", RELOADING)
            loading = self._loading.get(table_id)
            if loading is None:
                loading = self._loading[table_id] = asyncio.create_task(self._load(table_id))
                loading.add_done_callback(lambda _: self._loading.pop(table_id, None))
            room = await asyncio.shield(loading)
        room.touch()
        return room

    async def readable_room(self, table_id: str) -> Room:
        """Return a table's room to read from, also during shutdown."""
        if not self._closing:
            return await self.room(table_id)
        room = await load_room(table_id, self._services, self)  # those in memory may be out of date
        room.evict()
        return room

    def loaded_room(self, table_id: str) -> Room | None:
        """Return a table's room if it is in memory."""
        return self._rooms.get(table_id)

    async def _load(self, table_id: str) -> Room:
        room = await load_room(table_id, self._services, self)
        self._start(room)
        return room

    async def create(
        self,
        request: ms.NewTableIn,
        address: str = "",
        accounts: Sequence[Account | None] = (),
        rated: bool = False,
        tournament: str | None = None,
        start_within: int | None = None,
        table_id: str | None = None,
    ) -> tuple[str, dict[int, str]]:
        """Create a table; return its id and a secret for every guest's seat.

        `accounts` has for every seat the account that plays it; later seats may be left out.
        Where bots play all seats, a secret for the first one lets its creator set the pace.
        `table_id` is random by default. A tournament's game that cannot be rated is casual.
        """
        game, start = requested_setup(request)
        if self._unfinished >= self.settings.max_tables:
            raise ApiError("at_capacity", "The server has too many games. Please try again later.")
        # With three sides, a bot replaces a player who leaves.
        bots = len(game.teams) > 2 or any(seat.kind == "bot" for seat in request.seats)
        if start is not None and bots:
            await self.fair_play.check([game.position(start)], address)
        created = created_event(
            request,
            game,
            start,
            accounts,
            rated=rated,
            tournament=tournament,
            start_within=start_within,
        )
        keys = seat_secrets(created)
        hashes = [
            hash_secret(keys[seat]) if seat in keys else None for seat in range(len(created.seats))
        ]
        first = LoggedEvent(1, self.store.now(), created)
        room, creation = Room.create(table_id or new_id(), hashes, first, self._services, self)
        await room.load_ratings()
        if not await self.store.append([creation]):
            raise StoreError(f"Table {room.id} exists already.")
        self.add(room)
        return room.id, keys

    async def rewrite(self, table_id: str, job: Callable[[sa.Connection], None]) -> None:
        """Change a table's rows other than by events, such as the names in its log."""
        try:
            room = await self.room(table_id)
        except ApiError as error:
            if error.code != "not_found":
                raise
            await self.store.write(job)  # the game is not installed any more
            return
        await room.rewrite(job)
        self.store.publish(REWRITTEN, [table_id])

    def _rewritten(self, text: str) -> None:
        """Load tables again that another process has rewritten."""
        for table_id in text.split(" "):
            if (room := self._rooms.get(table_id)) is not None:
                room.fail()

    def add_listener(self, listener: Listener) -> None:
        """Call a function after every commit, on the event loop; it must be quick."""
        self._listeners.append(listener)

    # Called by rooms.

    def new_id(self) -> str:
        """Return an id for the table of a rematch."""
        return new_id()

    def add(self, room: Room) -> None:
        """Add the room of a new table."""
        self._unfinished += 1
        self._start(room)
        room.committed()
        self.notify(room.id, None, room.session)

    def notify(self, table_id: str, before: GameSession | None, after: GameSession) -> None:
        """Call the listeners after a commit; one that fails does not stop the others."""
        for listener in self._listeners:
            try:
                listener(table_id, before, after)
            except Exception:
                log.exception("A listener failed for table %s.", table_id)

    def presence_changed(self, room: Room) -> None:
        """Publish who is connected to a table."""
        self._presence.changed(room)

    def game_over(self) -> None:
        """Count a game as finished."""
        self._unfinished -= 1
        self.game_finished.set()

    def discard(self, room: Room) -> None:
        """Forget a room whose state may differ from the database, and load it again later."""
        if self._rooms.get(room.id) is room:
            del self._rooms[room.id]
        if not room.session.over and not self.store.multi_process:
            self._wake_timers.set(room.id, RETRY_SECONDS)

    async def act(self, table_id: str) -> None:
        """Do what is due at a table without a command."""
        logs.table_id.set(table_id)
        try:
            room = await self.room(table_id)
        except ApiError as error:
            if error.code != "not_found":
                raise
            log.warning("Table %s is not resumed: %s", table_id, error)
            await self.store.clear_due(table_id)  # the game is not installed, or is broken
            return
        await room.act()

    # Upkeep.

    def _start(self, room: Room) -> None:
        self._wake_timers.cancel(room.id)
        self._rooms[room.id] = room
        room.start()

    async def _wake(self, table_ids: Sequence[str]) -> None:
        """Load tables at which a bot or a clock may act, or whose positions have to be known."""
        for table_id in table_ids:
            try:
                await self.room(table_id)
            except ApiError as error:
                log.warning("Table %s is not resumed: %s", table_id, error)
                if error.code == "busy":  # its events could not be replayed in time
                    self._wake_timers.set(table_id, RETRY_SECONDS)
            except StoreError as error:
                log.warning("Table %s cannot be loaded yet: %s", table_id, error)
                self._wake_timers.set(table_id, RETRY_SECONDS)
            except Exception:
                log.exception("Table %s cannot be loaded.", table_id)
            await asyncio.sleep(0)

    @property
    def clocks_running(self) -> bool:
        """Whether a clock runs at any table, in memory or not."""
        return bool(self._wake_timers) or any(
            room.deadline is not None for room in self._rooms.values()
        )

    def evict(self, room: Room) -> None:
        """Drop an idle room from memory; it is loaded again when its clock expires."""
        deadline = room.deadline
        room.evict()
        del self._rooms[room.id]
        if deadline is not None and not self.store.multi_process:
            self._wake_timers.set(room.id, deadline)

    async def _watch_stored_games(self) -> None:
        """Put the live games between people into the index of fair play."""
        since = self.store.now().wall - ABANDONED_SECONDS
        stored = await self.store.read(
            lambda connection: table_rows.live_tables(connection, since, PAST_POSITIONS)
        )
        outdated = await self.fair_play.watch_stored(stored, self.store.now().wall)
        self._tasks.start(self._wake(outdated))

    async def count_unfinished(self) -> None:
        """Count the unfinished games, also those of other processes."""
        since = self.store.now().wall - ABANDONED_SECONDS
        self._unfinished = await self.store.count_unfinished(since)
