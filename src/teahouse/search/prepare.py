"""Prepare bots: compile the kernels they need in other processes, most likely ones first.

preparation = prepare_in_background([load("orochi"), load("toot")])
preparation.fraction(game)      # 0.4; the bot answers interpreted meanwhile
preparation.close()
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from threading import Condition, Thread
from time import monotonic

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.jit.folder import cache_folder
from teahouse.search.compile_process import CompileError, CompileProcess
from teahouse.search.kernels import (
    all_kernels,
    all_ready,
    bot_kernels,
    compile_costs,
    compile_kernel,
    is_ready,
)

log = logging.getLogger("teahouse.search.prepare")

ATTEMPTS = 2  # per kernel: the process may have been killed for another reason
COST_PER_SECOND = 10_000.0  # initial estimate, in units of `compile_costs`
IDLE_SECONDS = 60.0  # seconds before an idle process is closed
JOIN_SECONDS = 0.1
NEARLY_DONE = 0.95  # cap of the progress of a kernel in work


def kernels_ready(game: Game, level: int) -> bool:
    """Return whether a bot of this level can play at full strength at once."""
    return jit.interpreted() or all_ready(bot_kernels(game, level), game)


def prepare(game: Game, progress: Callable[[float], None] | None = None) -> None:
    """Compile the kernels of all levels in this process; report the fraction done."""
    costs = compile_costs(game)
    total = sum(costs.values())
    done = 0
    for kernel, cost in costs.items():
        if progress:
            progress(done / total)
        compile_kernel(kernel, game)
        done += cost
    if progress:
        progress(1.0)


def prepare_in_background(games: Iterable[Game], processes: int = 1) -> Preparation:
    """Start to compile the kernels of these games in so many processes."""
    preparation = Preparation(processes)
    for game in games:
        preparation.add(game)
    return preparation


class Preparation:
    """Games whose kernels are being compiled. Any thread may call any method."""

    def __init__(self, processes: int = 1) -> None:
        cache_folder()  # decide on a temporary one before any process is started
        self._changed = Condition()
        self._waiting: dict[Game, list[jit.Kernel]] = {}
        self._running: dict[Game, dict[jit.Kernel, float]] = {}  # with the time of the start
        self._errors: dict[Game, str] = {}
        self._urgent: set[Game] = set()
        self._owners: dict[Game, CompileProcess] = {}  # warm for the next kernel
        self._taken: Counter[Game] = Counter()
        self._cost_per_second = COST_PER_SECOND
        self._closed = False
        self._processes = [CompileProcess() for _ in range(processes)]
        self._threads: list[Thread] = []

    def add(self, game: Game, *, first: bool = False) -> None:
        """Add a game that is not ready; with `first`, before all others. Again after a failure."""
        with self._changed:
            if self._closed or jit.interpreted():
                return
            self._errors.pop(game, None)
            running = self._running.get(game, {})
            missing = [
                kernel
                for kernel in all_kernels(game)
                if kernel not in running and not is_ready(kernel, game)
            ]
            if first and missing:
                self._urgent.add(game)
            waiting = {game: missing} if missing else {}
            others = {one: rest for one, rest in self._waiting.items() if one != game}
            self._waiting = waiting | others if first else others | waiting
            if self._waiting and not self._threads:
                self._threads = [
                    Thread(target=self._work, args=(process,), daemon=True)
                    for process in self._processes
                ]
                for thread in self._threads:
                    thread.start()
            self._changed.notify_all()

    def fraction(self, game: Game) -> float:
        """Return how much of a game's compile time is done, from 0 to 1."""
        if jit.interpreted():
            return 1.0
        costs = compile_costs(game)
        with self._changed:
            running = dict(self._running.get(game, {}))
            rate = self._cost_per_second
        done = 0.0
        for kernel, cost in costs.items():
            if is_ready(kernel, game):
                done += cost
            elif kernel in running:
                done += min(NEARLY_DONE * cost, (monotonic() - running[kernel]) * rate)
        return done / sum(costs.values())

    def error(self, game: Game) -> str | None:
        """Return why a game could not be prepared; None if it did not fail."""
        with self._changed:
            return self._errors.get(game)

    @property
    def done(self) -> bool:
        """Whether nothing is left to compile."""
        with self._changed:
            return not (self._waiting or self._running)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is left to compile; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._closed or not (self._waiting or self._running), timeout
            )

    def close(self) -> None:
        """Stop compiling."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        for process, thread in zip(self._processes, self._threads, strict=False):
            while thread.is_alive():  # a thread may be starting a process
                process.close()
                thread.join(JOIN_SECONDS)
            process.close()

    def _work(self, process: CompileProcess) -> None:
        """Compile with one process until closed."""
        while True:
            with self._changed:
                if not self._changed.wait_for(self._has_work, IDLE_SECONDS):
                    process.close()  # it holds some hundred megabytes
                    self._changed.wait_for(self._has_work)
                if self._closed:
                    return
                game, kernel = self._take(process)
            error = self._compile(process, kernel, game)
            with self._changed:
                started = self._running[game].pop(kernel)
                if not self._running[game]:
                    del self._running[game]
                if error and not self._closed:
                    self._errors[game] = error
                    self._waiting.pop(game, None)
                    log.warning("Bots of %s stay weak: %s", game.title, error)
                elif not error:
                    seconds = max(monotonic() - started, 0.01)
                    self._cost_per_second = compile_costs(game)[kernel] / seconds
                if game not in self._waiting and game not in self._running:
                    self._forget(game)
                self._changed.notify_all()

    def _forget(self, game: Game) -> None:
        """Drop what was noted on a game that has nothing left to compile."""
        self._urgent.discard(game)
        self._owners.pop(game, None)
        del self._taken[game]

    def _has_work(self) -> bool:
        return self._closed or bool(self._waiting)

    def _take(self, process: CompileProcess) -> tuple[Game, jit.Kernel]:
        """Return the next kernel to compile: the first of each game before the second of any."""

        def rank(game: Game) -> tuple[bool, bool, int]:
            other = self._owners.get(game, process) is not process
            return other, game not in self._urgent, self._taken[game]

        game = min(self._waiting, key=rank)
        self._owners.setdefault(game, process)
        self._taken[game] += 1
        kernel = self._waiting[game].pop(0)
        if not self._waiting[game]:
            del self._waiting[game]
        self._running.setdefault(game, {})[kernel] = monotonic()
        return game, kernel

    def _compile(self, process: CompileProcess, kernel: jit.Kernel, game: Game) -> str | None:
        """Compile a kernel; return what failed, if anything."""
        error = None
        for _ in range(ATTEMPTS):
            if self._closed or is_ready(kernel, game):
                return None
            try:
                process.compile(kernel, game)
                return None
            except CompileError as failure:
                error = str(failure)
        return error
