"""The searches of the UGI engine: a level's bot, or the best move within the limits of `go`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi, tan
from threading import Event, Timer
from time import perf_counter

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.bot import Bot
from teahouse.search.engine import Engine
from teahouse.search.kernels import all_kernels, all_ready, bot_kernels, search_kernels
from teahouse.search.levels import profile
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.networks import find_network
from teahouse.search.prepare import Preparation
from teahouse.search.result import AnalysedMove, Analysis
from teahouse.search.ugi.engine_options import EngineSettings
from teahouse.search.ugi.protocol import Go

Send = Callable[[str], None]
PROVEN_SCORE = 10_000
"""Centipawns of a proven win."""
MAX_PAWNS = 0.98  # clamps unproven values, as a share of a quarter turn, below the score of a proof
POLL_SECONDS = 0.05  # seconds between polls for compiled kernels
TURNS_LEFT = 25  # by which the remaining time is divided
INCREMENT_SHARE = 0.75  # share of the increment spent on each move
OVERHEAD_SECONDS = 0.03  # overhead of the pipe
MIN_SECONDS = 0.01
DEFAULT_SECONDS = 1.0  # time of a search without limits


class Searcher:
    """Searches for one game with fixed settings; keeps its tree from move to move."""

    def __init__(self, game: Game, settings: EngineSettings, preparation: Preparation) -> None:
        self._game = game
        self.settings = settings
        """Only the seed may change."""
        self._preparation = preparation
        network = settings.engine == "network" and settings.level == 0
        self._network = find_network(game) if network else None
        self._engine: Engine | None = None
        self._bot: Bot | None = None
        preparation.add(game, first=True)

    def load(self, cancel: Event) -> None:
        """Load compiled kernels, so that the first move does not wait; compile nothing."""
        if all_ready(self._kernels(Go()), self._game):
            self.choose(self._game.start(), Go(seconds=MIN_SECONDS), cancel, lambda _: None)
            self._engine = None

    def choose(self, position: Position, go: Go, cancel: Event, send: Send) -> str:
        """Return a move and send `info` lines meanwhile; `cancel` ends the search early."""
        seconds = allotted_seconds(go, position)
        if seconds is None and go == Go() and not self.settings.level:
            seconds = DEFAULT_SECONDS
        wait = not set(self._kernels(go)) <= set(all_kernels(self._game))
        if seconds is None:
            self._wait_for_kernels(go, cancel)
        timer = None
        if self.settings.level and seconds is not None:
            timer = Timer(seconds, cancel.set)
            timer.daemon = True
            timer.start()
        reporter = _Reporter(position, self.settings.multipv, go.depth, cancel, send)
        try:
            if self.settings.level:
                return self._play_level(position, cancel, wait, send)
            return self._search(position, go, seconds, cancel, wait, reporter)
        finally:
            if timer is not None:
                timer.cancel()

    def _play_level(self, position: Position, cancel: Event, wait: bool, send: Send) -> str:
        """Return the move of the level's bot."""
        settings = self.settings
        if self._bot is None:
            engine = None if settings.engine == "network" else "search"
            threads = settings.threads
            self._bot = Bot(self._game, settings.level, threads=threads, engine=engine, wait=wait)
        before = self._bot.simulations
        move = self._bot.choose(position, seed=settings.seed, cancel=cancel)
        send(f"info nodes {self._bot.simulations - before} pv {move}")
        return move

    def _search(
        self,
        position: Position,
        go: Go,
        seconds: float | None,
        cancel: Event,
        wait: bool,
        reporter: _Reporter,
    ) -> str:
        """Return the best move.

        Searches by nodes depend neither on earlier ones nor on time: reports would cost nodes.
        """
        started = perf_counter()
        engine = self._engine
        if go.nodes is not None or engine is None or not engine.prepared:
            self._engine = engine = None  # free its memory before allocating another
            engine = self._new_engine(position, go.nodes, wait)
        else:
            engine.set_position(position, self.settings.seed)
        reporter.engine = engine
        progress = reporter.report if go.nodes is None or go.depth else None
        analysis = engine.run(seconds, go.nodes, progress, cancel, started)
        self._engine = engine if go.nodes is None else None
        reporter.report(analysis)
        return analysis.best

    def _new_engine(self, position: Position, nodes: int | None, wait: bool) -> Engine:
        profiled, settings = profile(self._game), self.settings
        return Engine(
            position,
            profiled.params,
            threads=min(settings.threads, nodes or settings.threads),
            seed=settings.seed,
            memory=settings.hash,
            max_simulations=min(nodes or MAX_SIMULATIONS, MAX_SIMULATIONS),
            reuse_tree=nodes is None,
            wait=wait,
            network=self._network,
            puct=profiled.puct,
        )

    def _kernels(self, go: Go) -> tuple[jit.Kernel, ...]:
        """Return the kernels that a search needs."""
        settings = self.settings
        if settings.level:
            return bot_kernels(self._game, settings.level, settings.threads)
        threads = min(settings.threads, go.nodes or settings.threads)
        params, network = profile(self._game).params, self._network is not None
        return search_kernels(params, threads, go.nodes is None, network)

    def _wait_for_kernels(self, go: Go, cancel: Event) -> None:
        """Wait until the kernels are compiled; a search without a time limit is worth it."""
        if jit.interpreted():
            return
        kernels = [one for one in self._kernels(go) if one in all_kernels(self._game)]
        preparation, game = self._preparation, self._game
        while not (all_ready(kernels, game) or preparation.error(game) or preparation.done):
            if cancel.wait(POLL_SECONDS):
                return


def allotted_seconds(go: Go, position: Position) -> float | None:
    """Return the time for this move; None if nothing limits it."""
    limits = [] if go.seconds is None else [go.seconds - min(OVERHEAD_SECONDS, go.seconds / 2)]
    if go.clocks is not None:
        side = position.game.side(position.player)
        left, increment = go.clocks[side], go.increments[side]
        share = left / TURNS_LEFT + INCREMENT_SHARE * increment
        limits.append(min(share, left / 2 - OVERHEAD_SECONDS))
    return max(min(limits), MIN_SECONDS) if limits else None


class _Reporter:
    """Sends `info` lines, and ends a search that has reached its depth."""

    def __init__(
        self, position: Position, lines: int, depth: int | None, cancel: Event, send: Send
    ) -> None:
        self.engine: Engine | None = None
        self._position = position
        self._count = lines
        self._depth = depth
        self._cancel = cancel
        self._send = send

    def report(self, analysis: Analysis) -> None:
        """Send a line for each of the best moves."""
        for number, (move, line) in enumerate(self._lines(analysis), 1):
            milliseconds = round(1000 * analysis.seconds)
            speed = round(analysis.simulations / max(analysis.seconds, 1e-3))
            multipv = f" multipv {number}" if self._count > 1 else ""
            self._send(
                f"info depth {len(line)}{multipv} score cp {centipawns(move)} "
                f"nodes {analysis.simulations} nps {speed} time {milliseconds} pv {' '.join(line)}"
            )
        if self._depth is not None and (len(analysis.line) >= self._depth or analysis.proof):
            self._cancel.set()

    def _lines(self, analysis: Analysis) -> Iterator[tuple[AnalysedMove, tuple[str, ...]]]:
        """Yield the best moves, each with its expected continuation."""
        best = analysis.moves[: self._count]
        if self.engine is None or len(best) == 1:
            yield best[0], analysis.line
            return
        yield from zip(best, self.engine.lines([move.move for move in best]), strict=True)


def centipawns(move: AnalysedMove) -> int:
    """Return a value as chess programs show it: 0 is even, 100 about two chances in three."""
    if move.proof in ("win", "loss"):
        return PROVEN_SCORE if move.proof == "win" else -PROVEN_SCORE
    return round(90 * tan(MAX_PAWNS * pi / 2 * (2 * move.value - 1)))
