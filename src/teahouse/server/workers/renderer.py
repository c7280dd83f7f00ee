"""Snapshots rendered in worker processes, so that moves are broadcast while boards are drawn."""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.tables.snapshots import snapshot
from teahouse.server.web.wire import RawJson, to_json
from teahouse.server.workers.ipc import position_fields
from teahouse.server.workers.pool import Flow, Share, WorkerError, WorkerPool
from teahouse.session.state import LastMove

CACHE_SIZE = 500
RENDER_TIMEOUT = 6.0  # a second, and five more until a worker counts as hung
RENDERER_MEMORY = 1_000  # megabytes until a worker is replaced

CacheKey = tuple[Game, bytes, int, bytes, str]


class Renderer:
    """Renders snapshots, with an LRU cache."""

    def __init__(self, workers: int) -> None:
        self.pool = WorkerPool(workers, "0", str(RENDERER_MEMORY))
        self._cache: OrderedDict[CacheKey, RawJson] = OrderedDict()

    @property
    def queued(self) -> int:
        """The number of snapshots that wait for a worker."""
        return self.pool.queued

    async def close(self) -> None:
        """Stop the workers."""
        await self.pool.close()

    async def snapshot(
        self, position: Position, ply: int, last: LastMove | None, flow: Flow
    ) -> RawJson:
        """Return the snapshot of a position; `ply` is the table's.

        A flow without a table is for a view that somebody has asked for; games in play come first.
        """
        before, move = (last[0].state, last[1]) if last else (b"", "")
        key = (position.game, position.state, ply, before, move)
        rendered = self._cache.pop(key, None)
        if rendered is None:
            rendered = await self._render(position, ply, last, flow)
        self._cache[key] = rendered
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return rendered

    async def _render(
        self, position: Position, ply: int, last: LastMove | None, flow: Flow
    ) -> RawJson:
        request = {
            "kind": "snapshot",
            "table_ply": ply,
            "last": last and (base64.b64encode(last[0].state).decode(), last[1]),
            **position_fields(position),
        }
        try:
            response = await self.pool.request(
                request,
                timeout=RENDER_TIMEOUT,
                flow=flow,
                share=Share.OPPONENT if flow.table else Share.HINT,
            )
            return RawJson(response)
        except WorkerError:  # render here instead: a snapshot must not get lost
            return RawJson(to_json(await asyncio.to_thread(snapshot, position, ply, last)))
