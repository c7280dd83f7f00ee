"""The engine: tree search and df-pn on one position, with state reused from move to move."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Event
from time import perf_counter

from teahouse.core import jit
from teahouse.core.playouts import count_games
from teahouse.core.position import Position
from teahouse.search.kernels import search_kernels, usable_now
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.search import MAX_SIMULATIONS, TreeSearch
from teahouse.search.networks import Network
from teahouse.search.proof.dfpn_search import DfpnSearch, Goal
from teahouse.search.puct.params import PuctParams
from teahouse.search.puct.search import PuctSearch
from teahouse.search.result import (
    Analysis,
    principal_variations,
    summarize,
)
from teahouse.search.tablebase import Tablebase

SLICE_SECONDS = 0.01  # seconds between checks of the clock and of `cancel`
PROGRESS_SECONDS = 0.1
SOLVER_DEPTH = 200
UNPREPARED_SECONDS = 1.0  # time limit of a search whose kernels are not compiled yet
TRIAL_GAMES = 32  # random games that estimate the distance to the end


class Engine:
    """Analyses positions of one game; keeps the tree and the solver's table between calls."""

    def __init__(
        self,
        position: Position,
        params: SearchParams,
        *,
        threads: int = 1,
        seed: int = 0,
        memory: int = 256,
        max_simulations: int = MAX_SIMULATIONS,
        reuse_tree: bool = False,
        wait: bool = True,
        network: Network | None = None,
        puct: PuctParams | None = None,
        tablebase: Tablebase | None = None,
    ) -> None:
        """Allocate up to `memory` MB for a tree of up to `max_simulations`.

        With a `network`, tree search is PUCT with the parameters `puct` instead of MCTS.
        With a `tablebase`, the value of every move is proven at once.
        With `reuse_tree`, compile the kernels of `set_position` now, not in the time of a move.
        Without `wait`, search interpreted and for at most `UNPREPARED_SECONDS` as long as another
        process has not compiled the kernels.
        """
        self.position = position
        self.params = params
        self._bytes = memory << 20
        if params.solver_share:
            self._bytes -= self._bytes // 4
        self.threads = threads
        self._max_simulations = max_simulations
        self._reuse_tree = reuse_tree
        self._wait = wait
        self.network = network
        self._puct = puct or PuctParams()
        self._tablebase = tablebase
        self._new_tree(seed)

    @property
    def prepared(self) -> bool:
        """Whether the kernels are compiled, or interpretation is requested."""
        return self._backend is jit.default_backend()

    def _new_tree(self, seed: int) -> None:
        """Allocate the tree, with the kernels that can be used now."""
        kernels = search_kernels(
            self.params, self.threads, self._reuse_tree, self.network is not None
        )
        game = self.position.game
        usable = self._wait or jit.interpreted() or usable_now(kernels, game)
        self._backend = jit.default_backend() if usable else jit.INTERPRETED
        self._tree = self._allocate(seed, self.threads if usable else 1)
        if self._reuse_tree:
            self._tree.advance(self.position)
        self._solver: DfpnSearch | None = None
        self._proofs: dict[int, int] = {}
        self._won = False

    def _allocate(self, seed: int, threads: int) -> TreeSearch | PuctSearch:
        arguments = (self.position, seed, self._bytes, self._max_simulations)
        if self.network is None:
            return TreeSearch(*arguments, self.params, threads, self._backend)
        return PuctSearch(*arguments, self.network, self._puct, threads, self._backend)

    def set_position(self, position: Position, seed: int) -> bool:
        """Continue with another position of the same game; return whether the tree was reused.

        A position that the tree does not contain gets a new tree with this seed. The solver's table
        is kept in either case.
        """
        assert position.game == self.position.game
        self.position = position
        if not self.prepared:
            self._new_tree(seed)
            return False
        reused = self._tree.advance(position)
        if not reused:
            self._tree.reset(position, seed)
        return reused

    def run(
        self,
        seconds: float | None,
        simulations: int | None,
        progress: Callable[[Analysis], None] | None = None,
        cancel: Event | None = None,
        started: float | None = None,
    ) -> Analysis:
        """Search within a budget, or until the position's value is proven.

        `started` is when the move's clock began to run, if that was before this call; half of the
        seconds are left for the search in any case.
        """
        if not self.prepared:
            seconds = min(seconds or UNPREPARED_SECONDS, UNPREPARED_SECONDS)
        tree = self._tree
        before = tree.simulations
        solver = None if self._tablebase else self._new_solver()
        self._proofs = self._tablebase.proofs(self.position) if self._tablebase else {}
        own = 1 << self.position.game.side(self.position.player)
        self._won = own in self._proofs.values()
        start = perf_counter()
        if started is not None and seconds is not None:
            start = max(started, start - seconds / 2)

        def analysis() -> Analysis:
            if not tree.children():  # the solver used up the budget
                tree.run(1)
            count, elapsed = tree.simulations - before, perf_counter() - start
            found = summarize(self.position, tree, self._proofs, count, elapsed)
            return (
                found
                if self._tablebase is None
                else replace(found, line=self._exact_line(found.best))
            )

        reported = -PROGRESS_SECONDS
        with closing(self._run_threads(solver, seconds, simulations, start)) as slices:
            for elapsed in slices:
                if cancel is not None and cancel.is_set():
                    break
                if progress is None or elapsed - reported < PROGRESS_SECONDS:
                    continue
                if tree.threads == 1 or tree.children():  # else a thread may be expanding the root
                    reported = elapsed
                    progress(analysis())
        return analysis()

    @property
    def settled(self) -> bool:
        """Whether the value of the position is proven."""
        return self._tree.solved or self._won

    def lines(self, moves: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the expected continuation after each of these moves, the move first."""
        if self._tablebase is not None:
            return [self._exact_line(move) for move in moves]
        return principal_variations(self.position, self._tree, self._proofs, moves)

    def _exact_line(self, move: str) -> tuple[str, ...]:
        """Return a move and perfect play after it."""
        assert self._tablebase is not None
        return (move, *self._tablebase.line(self.position.play(move)))

    def _run_threads(
        self,
        solver: DfpnSearch | None,
        seconds: float | None,
        simulations: int | None,
        start: float,
    ) -> Generator[float, None, None]:
        """Run all threads; yield the elapsed seconds between slices.

        No thread runs any more once it ends or is closed.
        """
        if self._won:  # by the tablebase
            return
        deadline = None if seconds is None else start + seconds
        threads = [
            self._run_thread(number, solver if number == 0 else None, seconds, simulations, start)
            for number in range(self._tree.threads)
        ]
        if self._tree.threads == 1:
            for _ in threads[0]:
                yield perf_counter() - start
                if self._tree.solved or (deadline is not None and perf_counter() >= deadline):
                    return
            return
        stop = Event()

        def run(thread: Iterator[None]) -> None:
            for _ in thread:
                if stop.is_set() or (deadline is not None and perf_counter() >= deadline):
                    return

        with ThreadPoolExecutor(self._tree.threads) as pool:
            tasks = [pool.submit(run, thread) for thread in threads]
            try:
                running = True
                while running:
                    running = bool(wait(tasks, SLICE_SECONDS).not_done)
                    yield perf_counter() - start
                    if self._tree.solved or self._won:
                        return
            finally:
                stop.set()
        for task in tasks:
            task.result()  # re-raise an exception of the thread

    def _run_thread(
        self,
        number: int,
        solver: DfpnSearch | None,
        seconds: float | None,
        simulations: int | None,
        start: float,
    ) -> Iterator[None]:
        """Run one thread, first the solver if given, then the tree; yield after every slice."""
        if solver is not None:
            share = self.params.solver_share
            deadline = None if seconds is None else start + share * seconds
            budget = simulations and max(1, int(share * simulations))
            slices = _Slices(solver.run, lambda: solver.settled, budget)
            while not (slices.done or (deadline is not None and perf_counter() >= deadline)):
                slices.run(deadline)
                yield
            if solver.settled:
                self._proofs = self._solved_moves(solver)
                if solver.probe(self.position.state):
                    self._won = True
                    return  # keep searching a lost position for the most stubborn defence
        slices = _Slices(
            partial(self._tree.run, thread=number),
            lambda: self._tree.finished,
            simulations and (simulations + number) // self._tree.threads,
        )
        while not slices.done:
            slices.run(None if seconds is None else start + seconds)
            yield

    def _new_solver(self) -> DfpnSearch | None:
        """Return a solver for a win of the player to move, if the end of the game is near."""
        params, position = self.params, self.position
        if not params.solver_share or len(position.legal) == 1:
            return None
        trials = count_games(
            position.game,
            position,
            TRIAL_GAMES,
            seed=0,
            threads=1,
            device="cpu",
            progress=None,
            backend=self._backend,
        )
        if trials.moves > TRIAL_GAMES * params.solver_horizon:
            return None
        side = position.game.side(position.player)
        goal = Goal.win(side)
        if self._solver is None or self._solver.goal != goal:
            self._solver = DfpnSearch(position, goal, self._bytes // 3, SOLVER_DEPTH, self._backend)
        self._solver.set_root(position.state)
        self._solver.run(0)
        return self._solver

    def _solved_moves(self, solver: DfpnSearch) -> dict[int, int]:
        """Return the proof, a set of outcomes, of each move that a finished solver decided."""
        position = self.position
        sides = len(position.game.teams)
        side = position.game.side(position.player)
        if solver.probe(position.state):
            return {move: 1 << side for move, won, _ in solver.probe_moves(position.state) if won}
        if sides > 2 or solver.depth_limited or solver.draw_seen:
            return {}
        return {move: 1 << 1 - side for move, _, _ in solver.probe_moves(position.state)}


class _Slices:
    """Runs a search in slices of about `SLICE_SECONDS`, by the rate of the slice before."""

    def __init__(
        self, run: Callable[[int], object], finished: Callable[[], bool], budget: int | None
    ) -> None:
        self._run = run
        self._finished = finished
        self._left = MAX_SIMULATIONS if budget is None else budget
        self._last = 1
        self._seconds_each = SLICE_SECONDS

    @property
    def done(self) -> bool:
        """Whether the budget is used up or the search has finished."""
        return self._left <= 0 or self._finished()

    def run(self, deadline: float | None) -> None:
        """Run one slice, shorter if the deadline is near."""
        start = perf_counter()
        seconds = SLICE_SECONDS if deadline is None else min(SLICE_SECONDS, deadline - start)
        count = min(self._left, 4 * self._last, max(1, int(seconds / self._seconds_each)))
        self._run(count)
        self._left -= count
        self._last = count
        self._seconds_each = max(perf_counter() - start, 1e-6) / count
