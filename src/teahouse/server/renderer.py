"""Views, drawn in a process of their own so that moves are told while boards are drawn."""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.ipc import packed
from teahouse.server.snapshots import view
from teahouse.server.worker_pool import WorkError, Workers

MAX_KEPT = 500
VIEW_SECONDS = 20.0

Last = tuple[Position, str] | None
Key = tuple[Game, bytes, int, bytes, str]


class Painter:
    """Draws positions, and remembers those drawn of late."""

    def __init__(self, workers: int) -> None:
        self._workers = Workers(workers, 0)
        self._kept: OrderedDict[Key, str] = OrderedDict()

    @property
    def waiting(self) -> int:
        """How many views wait to be drawn."""
        return self._workers.waiting

    async def close(self) -> None:
        """Draw no more."""
        await self._workers.close()

    async def view(self, position: Position, ply: int, last: Last) -> str:
        """The view of a position as JSON; `ply` is the table's."""
        before, move = (last[0].state, last[1]) if last else (b"", "")
        key = (position.game, position.state, ply, before, move)
        drawn = self._kept.pop(key, None)
        if drawn is None:
            drawn = await self._draw(position, ply, last)
        self._kept[key] = drawn
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return drawn

    async def _draw(self, position: Position, ply: int, last: Last) -> str:
        question = {
            "kind": "view",
            "at": ply,
            "last": last and (base64.b64encode(last[0].state).decode(), last[1]),
            **packed(position),
        }
        try:
            return (await self._workers.ask(question, seconds=VIEW_SECONDS)).decode()
        except WorkError:
            return await asyncio.to_thread(view, position, ply, last)
