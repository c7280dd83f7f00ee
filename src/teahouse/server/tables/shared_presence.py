"""Who is connected to tables by other processes: told by notifications, and forgotten in time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

import teahouse
from teahouse.server.storage.store import Store
from teahouse.server.tables.room import Room
from teahouse.server.tables.subscribers import Elsewhere
from teahouse.server.tasks import BackgroundTasks

PRESENCE = "presence"
REPEAT_SECONDS = 10.0
EXPIRY_SECONDS = 25.0
"""After two missed repetitions a process counts as gone."""


class SharedPresence:
    """Tells other processes who is connected here, and rooms who is connected there."""

    def __init__(self, store: Store, rooms: Mapping[str, Room], tasks: BackgroundTasks) -> None:
        self._store = store
        self._rooms = rooms
        self._tasks = tasks
        self._changed: dict[str, Room] = {}
        self._process = store.notifications.process

    def start(self) -> None:
        """Listen to the other processes, and repeat for them what they may have missed."""
        if self._store.several:
            self._store.notifications.subscribe(PRESENCE, self._on_notification)
            self._tasks.start(self._repeat())

    def changed(self, room: Room) -> None:
        """Tell the others who is connected to a room, together with other rooms."""
        if self._store.several:
            if not self._changed:
                asyncio.get_running_loop().call_soon(self._flush)
            self._changed[room.id] = room

    def _flush(self) -> None:
        changed, self._changed = self._changed, {}
        # Who leaves a room that was dropped is told too, unless it is in memory again.
        self._tell(self._rooms.get(one, room) for one, room in changed.items())

    def _tell(self, rooms: Iterable[Room]) -> None:
        self._store.tell(PRESENCE, [self._word(room) for room in rooms])

    def _word(self, room: Room) -> str:
        here = room.subscribers.here
        seats = ",".join(map(str, sorted(here.seats)))
        drawings = teahouse.__version__ if here.drawings else ""
        return f"{self._process}:{room.id}:{seats}:{here.spectators}:{drawings}"

    def _on_notification(self, text: str) -> None:
        until = asyncio.get_running_loop().time() + EXPIRY_SECONDS
        for word in text.split(" "):
            process, table_id, seats, spectators, drawings = word.split(":")
            room = self._rooms.get(table_id)
            if room is not None:
                known = frozenset(int(seat) for seat in seats.split(",") if seat)
                same = drawings == teahouse.__version__  # another one may draw something else
                present = Elsewhere(known, int(spectators), until, same)
                if room.watched and not room.subscribers.knows(process):
                    self.changed(room)  # it may not know yet who is connected here
                room.subscribers.set_elsewhere(process, present)

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(REPEAT_SECONDS)
            now = asyncio.get_running_loop().time()
            for room in list(self._rooms.values()):
                room.subscribers.expire_elsewhere(now)
            self._tell(room for room in self._rooms.values() if room.watched)
