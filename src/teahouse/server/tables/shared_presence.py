"""Who is connected to tables through other processes: published by them, with an expiry."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

import teahouse
from teahouse.server.storage.store import Store
from teahouse.server.tables.room import Room
from teahouse.server.tables.subscribers import ProcessPresence
from teahouse.server.tasks import BackgroundTasks

PRESENCE = "presence"
REPEAT_SECONDS = 10.0
EXPIRY_SECONDS = 25.0
"""A process that misses two repetitions counts as gone."""


class SharedPresence:
    """Publishes who is connected here, and tells rooms who is connected elsewhere."""

    def __init__(self, store: Store, rooms: Mapping[str, Room], tasks: BackgroundTasks) -> None:
        self._store = store
        self._rooms = rooms
        self._tasks = tasks
        self._changed: dict[str, Room] = {}
        self._process = store.notifications.process

    def start(self) -> None:
        """Subscribe to the other processes, and republish presence periodically."""
        if self._store.multi_process:
            self._store.notifications.subscribe(PRESENCE, self._on_notification)
            self._tasks.start(self._repeat())

    def changed(self, room: Room) -> None:
        """Publish who is connected to a room, batched with other rooms."""
        if self._store.multi_process:
            if not self._changed:
                asyncio.get_running_loop().call_soon(self._flush)
            self._changed[room.id] = room

    def _flush(self) -> None:
        changed, self._changed = self._changed, {}
        # An evicted room is published too, unless it has been loaded again.
        self._publish(self._rooms.get(one, room) for one, room in changed.items())

    def _publish(self, rooms: Iterable[Room]) -> None:
        self._store.publish(PRESENCE, [self._encode(room) for room in rooms])

    def _encode(self, room: Room) -> str:
        here = room.subscribers.here
        seats = ",".join(map(str, sorted(here.seats)))
        diffs = teahouse.__version__ if here.diffs else ""
        return f"{self._process}:{room.id}:{seats}:{here.spectators}:{diffs}"

    def _on_notification(self, text: str) -> None:
        until = asyncio.get_running_loop().time() + EXPIRY_SECONDS
        for item in text.split(" "):
            process, table_id, seats, spectators, diffs = item.split(":")
            room = self._rooms.get(table_id)
            if room is not None:
                known = frozenset(int(seat) for seat in seats.split(",") if seat)
                same = diffs == teahouse.__version__  # other versions may render differently
                present = ProcessPresence(known, int(spectators), until, same)
                if room.watched and not room.subscribers.knows(process):
                    self.changed(room)  # it may not know yet who is connected here
                room.subscribers.set_presence(process, present)

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(REPEAT_SECONDS)
            now = asyncio.get_running_loop().time()
            for room in list(self._rooms.values()):
                room.subscribers.expire_presence(now)
            self._publish(room for room in self._rooms.values() if room.watched)
