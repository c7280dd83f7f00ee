"""Keep tables in memory up to date with the changes of other processes.

Each commit notifies the other processes of the tables it has changed, with the new events unless
they are long. Lost notifications are detected by gaps in the sequence numbers, and by polling all
tables in memory every few seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tables.notifications import TABLES, RemoteEvents, decode_change, decode_events
from teahouse.server.tables.room import Room
from teahouse.server.tasks import BackgroundTasks

log = logging.getLogger("teahouse.server.tables.followers")

POLL_SECONDS = 3.0


class TableFollowers:
    """Keeps rooms up to date with the database; with SQLite there is nothing to follow."""

    def __init__(self, store: Store, rooms: Mapping[str, Room], tasks: BackgroundTasks) -> None:
        self._store = store
        self._rooms = rooms
        self._tasks = tasks
        self._pending: dict[str, int] = {}
        """The last sequence number still to be read, by table."""
        self._reading: asyncio.Task[None] | None = None
        self._poll_now = asyncio.Event()

    def start(self) -> None:
        """Subscribe to the other processes, and start polling."""
        if self._store.multi_process:
            self._store.notifications.subscribe(TABLES, self._on_notification)
            self._store.notifications.on_reconnect(self._poll_now.set)
            self._tasks.start(self._poll())

    def _on_notification(self, text: str) -> None:
        behind = {}
        for table_id, seq, events in map(decode_change, text.split(" ")):
            room = self._rooms.get(table_id)
            if room is not None and seq > room.session.seq:
                if events:
                    self._tasks.start(room.follow(decode_events(events)))
                else:
                    behind[table_id] = seq
        self._behind(behind)

    def _behind(self, last: Mapping[str, int]) -> None:
        """Read the events that rooms miss; later notifications are batched into the next read."""
        for table_id, seq in last.items():
            if table_id in self._rooms:
                self._pending[table_id] = max(seq, self._pending.get(table_id, 0))
        if self._pending and self._reading is None:
            self._reading = self._tasks.start(self._read())
            self._reading.add_done_callback(self._read_done)

    def _read_done(self, _: object) -> None:
        self._reading = None
        self._behind({})

    async def _read(self) -> None:
        while self._pending:
            pending, self._pending = self._pending, {}
            rooms = {one: self._rooms[one] for one in pending if one in self._rooms}
            wanted = [
                (table_id, seq)
                for table_id, room in rooms.items()
                for seq in range(room.session.seq + 1, pending[table_id] + 1)
            ]
            if not wanted:
                continue
            try:
                found = await self._store.events(wanted)
            except StoreError as error:
                log.warning("Reading changes of %d tables failed: %s", len(rooms), error)
                return
            for table_id, events in found.items():
                # A room that is committing must not keep the others waiting.
                self._tasks.start(rooms[table_id].follow(RemoteEvents(events)))

    async def _poll(self) -> None:
        while True:
            self._poll_now.clear()
            try:
                if self._rooms:
                    self._behind(await self._store.last_events(list(self._rooms)))
            except StoreError as error:
                log.warning("Polling for changes of other processes failed: %s", error)
            except Exception:
                log.exception("Polling for changes of other processes failed.")
            try:
                await asyncio.wait_for(self._poll_now.wait(), POLL_SECONDS)
            except TimeoutError:
                continue
