"""Kernels of the bots' searches, compiled apart from the workers that search.

From the start of the server on, the kernels of every game with its default options are compiled.
Those of other boards follow when somebody plays there, one board at a time, with equal shares for
all addresses. Until its kernels are ready, a bot plays interpreted.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from typing import TypeVar

from teahouse.core.catalog import games, load
from teahouse.core.game import Game
from teahouse.search.prepare import Preparation, kernels_ready, prepare_in_background
from teahouse.search.threads import usable_cores
from teahouse.server.workers.fair_queue import FairQueue

log = logging.getLogger("teahouse.server.workers.kernels")

POLL_SECONDS = 0.25
ERROR_SECONDS = 30.0
"""The pause after an error."""
RETRY_SECONDS = 300.0
"""Until a game that could not be prepared may be requested again."""
MAX_REMEMBERED = 500
"""Games that are known to be ready."""

Key = TypeVar("Key")


class KernelPreparation:
    """Compiles kernels in the background, and knows which are ready."""

    def __init__(self, max_per_address: int) -> None:
        self._max_per_address = max_per_address
        self._ready: OrderedDict[tuple[Game, int], None] = OrderedDict()
        """Games and levels that are ready."""
        self._settled: OrderedDict[Game, None] = OrderedDict()
        """Games that are ready, or that cannot be prepared."""
        self._fractions: dict[Game, float | None] = {}
        """How much of each game in preparation is done; None before that is known."""
        self._defaults: set[Game] = set()
        self._played: list[Game] = []
        """Games of `_defaults` at which somebody plays: they are prepared first."""
        self._waiting: set[Game] = set()
        self._queue: FairQueue[tuple[str, Game]] = FairQueue()
        """The games of `_waiting`, each with the address that it is charged to."""
        self._queued: Counter[str] = Counter()
        self._board: Game | None = None
        """The last game that was taken from the queue."""
        self._task: asyncio.Task[None] | None = None

    @property
    def done(self) -> bool:
        """Whether nothing is left to compile."""
        return not (self._fractions or self._waiting)

    def start(self) -> None:
        """Start to compile the games with their default options."""
        self._fractions = {load(name): None for name in games()}
        self._defaults = set(self._fractions)
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop compiling."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def ready(self, game: Game, level: int) -> bool:
        """Return whether a bot of this level can play at full strength."""
        if (game, level) in self._ready:
            return True
        ready = await asyncio.to_thread(kernels_ready, game, level)
        if ready:
            _remember(self._ready, (game, level))
        return ready

    def request(self, game: Game, address: str) -> None:
        """Queue a game, charged to an address, unless too many are queued for that address."""
        if self._task is None or game in self._settled or game in self._waiting:
            return
        if game in self._defaults:
            self._defaults.discard(game)
            self._played.append(game)
        elif game in self._fractions:
            return
        elif self._queued[address] < self._max_per_address:
            self._queued[address] += 1
            self._waiting.add(game)
            self._queue.push([(address, 1.0)], (address, game))

    def pending(self, game: Game) -> bool:
        """Return whether a game is being prepared, or waits for that."""
        return game in self._fractions or game in self._waiting

    def fraction(self, game: Game) -> float | None:
        """Return how much of a game is prepared; None if it is ready, or nothing is known."""
        return 0.0 if game in self._waiting else self._fractions.get(game)

    async def _run(self) -> None:
        """Compile until cancelled."""
        processes = max(1, usable_cores() // 2)
        preparation = await asyncio.to_thread(
            prepare_in_background, list(self._fractions), processes
        )
        try:
            while True:
                try:
                    await self._step(preparation)
                except Exception:  # of an external game, for one; the others go on
                    log.exception("Compiling kernels failed.")
                    await asyncio.sleep(ERROR_SECONDS)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            await asyncio.shield(asyncio.to_thread(preparation.close))

    async def _step(self, preparation: Preparation) -> None:
        """Submit the next games, and update the progress."""
        while self._played:
            game = self._played.pop()
            await asyncio.to_thread(preparation.add, game, first=True)
        await self._update(preparation)
        if self._queue and self._board not in self._fractions:
            await self._add_board(preparation)

    async def _update(self, preparation: Preparation) -> None:
        """Update the fractions, and forget games that are ready."""
        for game in list(self._fractions):
            fraction = await asyncio.to_thread(preparation.fraction, game)
            self._fractions[game] = fraction
            failed = preparation.error(game) is not None
            if fraction >= 1.0 or failed:
                del self._fractions[game]
                _remember(self._settled, game)
            if failed:  # perhaps for want of memory or descriptors
                loop = asyncio.get_running_loop()
                loop.call_later(RETRY_SECONDS, self._settled.pop, game, None)

    async def _add_board(self, preparation: Preparation) -> None:
        """Prepare the next game of the queue."""
        address, game = self._queue.pop()
        self._queue.charge([(address, 1.0)], 1.0)
        self._queued[address] -= 1
        self._queued += Counter()  # drops zeros
        self._waiting.discard(game)
        self._board = game
        self._fractions[game] = 0.0
        await asyncio.to_thread(preparation.add, game)


def _remember(known: OrderedDict[Key, None], key: Key) -> None:
    known[key] = None
    if len(known) > MAX_REMEMBERED:
        known.popitem(last=False)
