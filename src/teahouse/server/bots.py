"""Bots: what they would play, and what they think of a position."""

from __future__ import annotations

import json
import secrets
from typing import Any

from teahouse.core.position import Position
from teahouse.server.errors import Refused
from teahouse.server.ipc import packed
from teahouse.server.worker_pool import Workers

CHOOSE_SECONDS = 300.0  # longer than any level thinks
SPARE_SECONDS = 60.0  # for compiling and for a busy machine
DRAW_SECONDS = 1.0
WORSE = 0.9  # of what all expect at the beginning
NICE = 10  # the house itself comes first


class Bots:
    """They think in processes of their own, a bot's turn before a hint."""

    def __init__(self, workers: int, max_waiting: int, hint_seconds: float) -> None:
        self._workers = Workers(workers, NICE)
        self._most_waiting = max_waiting
        self._hint_seconds = hint_seconds
        self._hints = 0

    async def close(self) -> None:
        """Stop thinking."""
        await self._workers.close()

    async def choose(self, position: Position, level: int) -> str:
        """The move that a bot of this level plays."""
        question = {"kind": "choose", "level": level, **_posed(position)}
        return str(json.loads(await self._workers.ask(question, seconds=CHOOSE_SECONDS)))

    async def hint(self, position: Position) -> dict[str, Any]:
        """What a bot thinks of a position."""
        if self._hints >= self._most_waiting:
            raise Refused("busy", "the bots have too much to think about; try again in a moment")
        self._hints += 1
        try:
            return await self._analysis(position, self._hint_seconds)
        finally:
            self._hints -= 1

    async def accepts_draw(self, position: Position, seat: int) -> bool:
        """Whether the bot on this seat takes a draw: if it thinks that it stands worse."""
        value = (await self._analysis(position, DRAW_SECONDS))["value"]
        sides = position.game.teams
        own = next(side for side in sides if seat in side)
        expected = value if position.player in own else (1 - value) / (len(sides) - 1)
        return bool(expected < WORSE / len(sides))

    async def _analysis(self, position: Position, seconds: float) -> dict[str, Any]:
        question = {"kind": "analyse", "think": seconds, **_posed(position)}
        limit = seconds + SPARE_SECONDS
        found: dict[str, Any] = json.loads(
            await self._workers.ask(question, seconds=limit, later=True)
        )
        return found


def _posed(position: Position) -> dict[str, Any]:
    return {**packed(position), "seed": secrets.randbelow(1 << 53)}
