"""Snapshots rendered in worker processes, so that moves are broadcast while boards are drawn."""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections import OrderedDict
from dataclasses import dataclass

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.tables.snapshots import snapshot
from teahouse.server.web.wire import RawJson, to_json
from teahouse.server.workers.ipc import position_fields
from teahouse.server.workers.pool import Flow, Share, WorkerError, WorkerPool
from teahouse.session.state import LastMove

CACHE_SIZE = 500
RENDER_TIMEOUT = 6.0  # one second, plus five until a worker counts as hung
RENDERER_MEMORY = 1_000  # megabytes until a worker is replaced
MAX_WAITING = 4
"""Snapshots queued at the worker that has their base, before another one steals them."""
BATCH_SIZE = 8
"""Snapshots that a worker renders in one go."""

CacheKey = tuple[Game, bytes, int, bytes, str]


@dataclass(frozen=True)
class Rendered:
    """A snapshot, or its diff to another one."""

    number: int
    """The id to request a diff to it."""
    json: RawJson


class Renderer:
    """Renders snapshots, with an LRU cache of whole ones."""

    def __init__(self, workers: int) -> None:
        memory = str(RENDERER_MEMORY)
        self.pool = WorkerPool(workers, "0", memory, max_waiting=MAX_WAITING, batch_size=BATCH_SIZE)
        self._numbers = itertools.count(1)
        self._cache: OrderedDict[CacheKey, Rendered] = OrderedDict()

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
        return (await self.rendered(position, ply, last, flow)).json

    async def rendered(
        self, position: Position, ply: int, last: LastMove | None, flow: Flow
    ) -> Rendered:
        """Return the snapshot of a position with its number."""
        found = await self._cached(position, ply, last, flow)
        if found is None:  # the worker failed; render here instead: a snapshot must not get lost
            json = to_json(await asyncio.to_thread(snapshot, position, ply, last))
            return Rendered(next(self._numbers), RawJson(json))
        return found

    async def diff(
        self, base: int, position: Position, ply: int, last: LastMove | None, flow: Flow
    ) -> Rendered | None:
        """Return the diff of a snapshot to the one with the id `base`.

        Return None if the worker no longer has the base.
        """
        return await self._render(position, ply, last, flow, base)

    async def _cached(
        self, position: Position, ply: int, last: LastMove | None, flow: Flow
    ) -> Rendered | None:
        before, move = (last[0].state, last[1]) if last else (b"", "")
        key = (position.game, position.state, ply, before, move)
        found = self._cache.pop(key, None)
        if found is None:
            found = await self._render(position, ply, last, flow, None)
        if found is not None:
            self._cache[key] = found
        if len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return found

    async def _render(
        self, position: Position, ply: int, last: LastMove | None, flow: Flow, base: int | None
    ) -> Rendered | None:
        number = next(self._numbers)
        request = {
            "kind": "snapshot",
            "number": number,
            "base": base,
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
        except WorkerError:
            return None
        return None if response == b"null" else Rendered(number, RawJson(response))
