"""Bots: their moves, their hints and their responses to draw offers."""

from __future__ import annotations

import secrets
from typing import Any

from teahouse.core.position import Position
from teahouse.server.errors import ApiError
from teahouse.server.ipc import position_fields
from teahouse.server.wire import from_json
from teahouse.server.worker_pool import WorkerPool

CHOOSE_TIMEOUT = 300.0  # longer than any level searches
EXTRA_TIMEOUT = 60.0  # for compiling, and for a busy machine
DRAW_SECONDS = 1.0
DRAW_THRESHOLD = 0.9
"""Accept a draw below this fraction of the expected score at the start."""
NICENESS = 10  # the server itself comes first


class Bots:
    """Searches in worker processes; bots' turns have priority over hints."""

    def __init__(self, workers: int, max_queued_hints: int, hint_seconds: float) -> None:
        self._pool = WorkerPool(workers, NICENESS)
        self._max_queued_hints = max_queued_hints
        self._hint_seconds = hint_seconds
        self._hints = 0

    async def close(self) -> None:
        """Stop the workers."""
        await self._pool.close()

    async def choose(self, position: Position, level: int) -> str:
        """Return the move that a bot of this level plays."""
        request = {"kind": "choose", "level": level, **_search_fields(position)}
        return str(from_json(await self._pool.request(request, timeout=CHOOSE_TIMEOUT)))

    async def analyse(self, position: Position) -> dict[str, Any]:
        """Return an analysis for a hint; raise `ApiError` if too many are queued."""
        if self._hints >= self._max_queued_hints:
            raise ApiError("busy", "Too many hints are being computed. Please try again later.")
        self._hints += 1
        try:
            return await self._analyse(position, self._hint_seconds)
        finally:
            self._hints -= 1

    async def accepts_draw(self, position: Position, seat: int) -> bool:
        """Return whether the bot on this seat accepts a draw: if it considers itself worse off."""
        value = (await self._analyse(position, DRAW_SECONDS))["value"]
        sides = position.game.teams
        own = next(side for side in sides if seat in side)
        expected = value if position.player in own else (1 - value) / (len(sides) - 1)
        return bool(expected < DRAW_THRESHOLD / len(sides))

    async def _analyse(self, position: Position, seconds: float) -> dict[str, Any]:
        request = {"kind": "analyse", "seconds": seconds, **_search_fields(position)}
        response = await self._pool.request(
            request, timeout=seconds + EXTRA_TIMEOUT, low_priority=True
        )
        analysis: dict[str, Any] = from_json(response)
        return analysis


def _search_fields(position: Position) -> dict[str, Any]:
    return {**position_fields(position), "seed": secrets.randbelow(1 << 53)}
