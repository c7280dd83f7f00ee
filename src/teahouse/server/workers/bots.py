"""Bots: their moves, their hints and their responses to draw offers.

Short and long searches have separate worker processes, so that a low level never waits for a high
one.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any
from weakref import WeakValueDictionary

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.levels import profile
from teahouse.server.operations import metrics
from teahouse.server.settings import ServerSettings
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import from_json
from teahouse.server.workers.ipc import position_fields
from teahouse.server.workers.kernels import KernelPreparation
from teahouse.server.workers.pool import Flow, Share, WorkerError, WorkerPool

log = logging.getLogger("teahouse.server.workers.bots")

GRACE_SECONDS = 5.0
"""Seconds over its budget after which a worker is killed."""
QUICK_SECONDS = 0.1
"""Searches that are expected to take less go to the quick worker."""
SIMULATION_SECONDS = 50e-6
"""Expected time of a simulation where a level was not measured."""
MIN_LIMIT = 2.0
LIMIT_FACTOR = 10.0
"""A budget in simulations is cut short after so many times its expected seconds, and two more."""
INTERPRETED_SECONDS = 1.5e-3
"""Expected time of a simulation whose kernel is not compiled yet."""
PONDER_SECONDS = 30.0
EVALUATION_SECONDS = 0.4
"""Time of a slice of a review; searches that were begun are finished."""
JUDGE_SECONDS = 10.0
EVALUATION_TIMEOUT = 30.0
DRAW_SECONDS = 1.0
DRAW_THRESHOLD = 0.9
"""Accept a draw below this fraction of the expected score at the start."""
QUICK_NICENESS = 2  # the server itself has priority, then short searches
NICENESS = 5
COMPILER = "teahouse.core.jit.compiler"  # takes a second to import


@dataclass(frozen=True)
class TableBot:
    """A bot at a table; its seed makes it play differently from others."""

    table: str
    seat: int
    level: int
    seed: int


class Bots:
    """Searches in worker processes."""

    def __init__(self, settings: ServerSettings) -> None:
        arguments = (str(settings.worker_memory), COMPILER)
        self._quick = WorkerPool(1, str(QUICK_NICENESS), *arguments)
        self._pool = WorkerPool(settings.workers, str(NICENESS), *arguments)
        self._settings = settings
        self._hints: Counter[str] = Counter()
        self._bot_games: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._analyses: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._pondering: set[asyncio.Future[bytes]] = set()
        self.kernels = KernelPreparation(settings.max_compilations)

    @property
    def settings(self) -> ServerSettings:
        """The settings of the server."""
        return self._settings

    @property
    def pools(self) -> dict[str, WorkerPool]:
        """The pools of worker processes by name."""
        return {"quick_search": self._quick, "search": self._pool}

    def start(self) -> None:
        """Start the workers, and compile the kernels of all games in the background."""
        self._quick.start()
        self._pool.start()
        if self._settings.prepare:
            self.kernels.start()

    async def close(self) -> None:
        """Stop the workers and the compilation."""
        await self.kernels.close()
        await self._quick.close()
        await self._pool.close()

    async def choose(self, position: Position, bot: TableBot, address: str, share: Share) -> str:
        """Return the move that a bot plays."""
        self._stop_pondering()
        budget = profile(position.game).levels[bot.level - 1]
        cost = expected_seconds(position.game, bot.level)
        # A budget in seconds is kept by the bot itself; the limit is far enough not to weaken it.
        limit = (budget.seconds or LIMIT_FACTOR * cost) + MIN_LIMIT
        if not await self.kernels.ready(position.game, bot.level):
            cost = INTERPRETED_SECONDS * (budget.simulations or math.inf)
        pool = self._quick if cost <= QUICK_SECONDS else self._pool
        with metrics.THINKING_SECONDS.labels(bot.level).time():
            response = await pool.request(
                {"kind": "choose", "seconds": limit, **asdict(bot), **position_fields(position)},
                timeout=(budget.seconds or limit) + GRACE_SECONDS,
                flow=Flow(address, bot.table),
                share=share,
            )
        return str(from_json(response))

    async def ponder(self, position: Position, bot: TableBot, address: str) -> None:
        """Search while the opponent is to move, until cancelled.

        Return at once if the workers are busy, and as soon as they get other work.
        """
        timed = profile(position.game).levels[bot.level - 1].seconds is not None
        idle = self._quick.idle and self._pool.idle and self.kernels.done
        if not (self._settings.ponder and timed and idle):
            return
        request = {
            "kind": "ponder",
            "seconds": PONDER_SECONDS,
            **asdict(bot),
            **position_fields(position),
        }
        work = asyncio.ensure_future(
            self._pool.request(
                request,
                timeout=PONDER_SECONDS + GRACE_SECONDS,
                flow=Flow(address, bot.table),
                share=Share.BOT_ONLY,
            )
        )
        self._pondering.add(work)
        try:
            await work
        except WorkerError as error:
            log.warning("Table %s: pondering failed: %s", bot.table, error)
        except asyncio.CancelledError:
            if not work.cancelled():
                raise
        finally:
            work.cancel()
            self._pondering.discard(work)

    def _stop_pondering(self) -> None:
        for work in self._pondering:
            work.cancel()

    async def analyse(self, position: Position, flow: Flow) -> dict[str, Any]:
        """Return an analysis for a hint; raise `ApiError` if too many are queued."""
        with self._hint(flow.address):
            return await self._analyse(position, self._settings.hint_seconds, flow)

    @contextmanager
    def _hint(self, address: str) -> Iterator[None]:
        """Count a hint while it is computed."""
        settings = self._settings
        if self._hints[address] >= settings.max_hints_per_address:
            message = "Hints for you are still being computed. Please wait for them."
            raise ApiError("busy", message)
        if self._hints.total() >= settings.max_queued_hints:
            raise ApiError("busy", "Too many hints are being computed. Please try again later.")
        self._hints[address] += 1
        try:
            yield
        finally:
            self._hints[address] -= 1
            self._hints += Counter()  # drops zeros

    async def deepen(
        self, position: Position, page: str, seconds: float, lines: int, address: str
    ) -> dict[str, Any]:
        """Continue the analysis of a page for some seconds, and return its best lines.

        Wait while as many others are computed for the address as it may have hints.
        """
        self._stop_pondering()
        self.kernels.request(position.game, address)
        request = {
            "kind": "deepen",
            "page": page,
            "seconds": seconds,
            "lines": lines,
            "seed": secrets.randbelow(1 << 53),
            **position_fields(position),
        }
        async with self._limit(self._analyses, address, self._settings.max_hints_per_address):
            response = await self._pool.request(
                request,
                timeout=seconds + GRACE_SECONDS,
                flow=Flow(address, page),
                share=Share.ANALYSIS,
                attempts=1,
            )
        preparing = self.kernels.fraction(position.game)
        percent = None if preparing is None else int(100 * preparing)
        return {**from_json(response), "preparing": percent}

    async def evaluate(
        self, fields: dict[str, Any], flow: Flow, share: Share = Share.REVIEW
    ) -> bytes:
        """Return evaluations for a review as JSON: those that were finished in a slice of time."""
        self._stop_pondering()
        return await self._pool.request(
            {"kind": "evaluate", "seconds": EVALUATION_SECONDS, **fields},
            timeout=EVALUATION_TIMEOUT,
            flow=flow,
            share=share,
        )

    async def evaluate_retry(self, fields: dict[str, Any], flow: Flow) -> bytes:
        """Return the evaluation of a move to retry; it counts as a hint."""
        with self._hint(flow.address):
            return await self.evaluate({"seconds": JUDGE_SECONDS, **fields}, flow, Share.HINT)

    async def accepts_draw(self, position: Position, seat: int, flow: Flow) -> bool:
        """Return whether the bot on this seat accepts a draw: if it expects to score less."""
        value = (await self._analyse(position, DRAW_SECONDS, flow))["value"]
        sides = position.game.teams
        own = next(side for side in sides if seat in side)
        expected = value if position.player in own else (1 - value) / (len(sides) - 1)
        return bool(expected < DRAW_THRESHOLD / len(sides))

    async def _analyse(self, position: Position, seconds: float, flow: Flow) -> dict[str, Any]:
        self._stop_pondering()
        fields = {"seed": secrets.randbelow(1 << 53), **position_fields(position)}
        response = await self._pool.request(
            {"kind": "analyse", "seconds": seconds, **fields},
            timeout=seconds + GRACE_SECONDS,
            flow=flow,
            share=Share.HINT,
        )
        analysis: dict[str, Any] = from_json(response)
        return analysis

    def bot_game(self, address: str) -> asyncio.Semaphore:
        """Return the semaphore that limits an address's concurrent bot-only games."""
        return self._limit(self._bot_games, address, self._settings.max_bot_games)

    def _limit(
        self, limits: WeakValueDictionary[str, asyncio.Semaphore], address: str, count: int
    ) -> asyncio.Semaphore:
        """Return the semaphore of an address, which exists as long as somebody uses it."""
        limit = limits.get(address)
        if limit is None:
            limit = limits[address] = asyncio.Semaphore(count)
        return limit


def expected_seconds(game: Game, level: int) -> float:
    """Return how long a bot is expected to think: as measured, or by its budget.

    Not every level need be measured. A simulation of another takes as long as one of the strongest
    level that is measured and has a budget in simulations.
    """
    profiled = profile(game)
    seconds = {rating.level: rating.seconds for rating in profiled.ratings}
    if level in seconds:
        return seconds[level]
    budget = profiled.levels[level - 1]
    if budget.seconds:
        return budget.seconds
    each = SIMULATION_SECONDS
    for known, total in sorted(seconds.items()):
        each = total / (profiled.levels[known - 1].simulations or math.inf) or each
    return each * (budget.simulations or 0)
