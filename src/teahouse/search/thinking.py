"""Thinking about a game: a tree and a prover worked on side by side, kept from move to move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from time import perf_counter

from teahouse.core.plain import copied, freeze
from teahouse.core.position import Position
from teahouse.search.findings import Analysis, findings
from teahouse.search.prover import Claim, Prover
from teahouse.search.search import MOST_SIMULATIONS, Search
from teahouse.search.settings import Settings

ROUND_SECONDS = 0.01  # between two looks at the clock and at `cancel`
PROGRESS_SECONDS = 0.1
FURTHEST_KEPT = 12  # decisions between two positions, for a tree to be kept
MOST_TRIED = 1000  # moves played to find the way from one to the other
PROVER_DEPTH = 200
TRIAL_GAMES = 32  # that tell how far the end of the game is


class Thinking:
    """What is known about a position, and threads that find out more."""

    def __init__(
        self,
        position: Position,
        settings: Settings,
        *,
        threads: int = 1,
        seed: int = 0,
        memory: int = 256,
        simulations: int = MOST_SIMULATIONS,
    ) -> None:
        self.position = position
        self.settings = settings
        self._bytes = memory << 20
        if settings.exact:
            self._bytes -= self._bytes // 4
        self.threads = threads
        self._simulations = simulations
        self._search = self._new_search(seed)
        self._prover: Prover | None = None
        self._proofs: dict[int, int] = {}

    def _new_search(self, seed: int) -> Search:
        return Search(
            self.position, seed, self._bytes, self._simulations, self.settings, self.threads
        )

    def turn_to(self, position: Position, seed: int) -> bool:
        """Go on with another position of the same game; whether the tree knew the way there.

        If it did not, one with this seed is begun. What the prover found out is kept either way.
        """
        path = self._way(position)
        self.position = position
        if path is None:
            del self._search  # so that its memory is free before more is taken
            self._search = self._new_search(seed)
        else:
            self._search.follow(path, position)
        return path is not None

    def run(
        self,
        seconds: float | None,
        simulations: int | None,
        progress: Callable[[Analysis], None] | None = None,
        cancel: Event | None = None,
    ) -> Analysis:
        """Think for so many seconds or simulations more, or until it is known how the game ends."""
        search = self._search
        before = search.simulations
        prover = self._new_prover()
        self._proofs = {}
        started = perf_counter()

        def found() -> Analysis:
            if not search.children():  # the prover had all the time
                search.run(1)
            count, elapsed = search.simulations - before, perf_counter() - started
            return findings(self.position, search, self._proofs, count, elapsed)

        shown = -PROGRESS_SECONDS
        for elapsed in self._rounds(prover, seconds, simulations, started):
            if cancel is not None and cancel.is_set():
                break
            if progress is not None and elapsed - shown >= PROGRESS_SECONDS:
                shown = elapsed
                progress(found())
        return found()

    def _rounds(
        self,
        prover: Prover | None,
        seconds: float | None,
        simulations: int | None,
        started: float,
    ) -> Iterator[float]:
        """Let all work side by side for a moment; the time since the start after each."""
        threads = self.threads
        workers = [
            _Worker(
                self._search,
                partial(self._search.run, thread=number),
                simulations and (simulations + number) // threads,
            )
            for number in range(threads)
        ]
        exact = self.settings.exact
        proving = None
        if prover is not None:
            share = simulations and max(1, int(exact * simulations))
            proving = _Worker(prover, prover.run, share)
        until = None if seconds is None else started + seconds
        prove_until = None if seconds is None else started + exact * seconds
        with ThreadPoolExecutor(threads) as pool:
            while True:
                if proving and (proving.done or (prove_until and perf_counter() >= prove_until)):
                    if prover and prover.settled:
                        self._proofs = self._proven(prover)
                    if prover and prover.known(self.position.state):
                        return  # if all is lost, what is hardest to refute is still to be found
                    proving = None
                active = [worker for worker in workers if not worker.done]
                if proving:  # it takes the place of a thread, or comes first if there is but one
                    active = [proving, *active[: threads - 1]]
                if not active:
                    return
                if len(active) == 1:
                    active[0].work(until)
                else:
                    list(pool.map(_Worker.work, active, [until] * len(active)))
                yield perf_counter() - started
                if self._search.settled:
                    return
                if until is not None and perf_counter() >= until:
                    return

    def _new_prover(self) -> Prover | None:
        """A prover of the win of whoever decides, if the end of the game is near enough."""
        settings, position = self.settings, self.position
        if not settings.exact or len(position.legal) == 1:
            return None
        trials = position.playouts(TRIAL_GAMES)
        if trials.moves > TRIAL_GAMES * settings.exact_within:
            return None
        side = position.game.side(position.player)
        claim = Claim(frozenset({side}), frozenset({side}))
        if self._prover is None or self._prover.claim != claim:
            self._prover = Prover(position, claim, self._bytes // 3, PROVER_DEPTH)
        self._prover.begin(position.state)
        self._prover.run(0)
        return self._prover

    def _proven(self, prover: Prover) -> dict[int, int]:
        """What a settled claim says about moves: a set of outcomes for each that is known."""
        position = self.position
        sides = len(position.game.teams)
        side = position.game.side(position.player)
        if prover.known(position.state):
            return {move: 1 << side for move, won, _ in prover.moves(position.state) if won}
        if sides > 2 or prover.cut or prover.met_draws:
            return {}
        return {move: 1 << 1 - side for move, _, _ in prover.moves(position.state)}

    def _way(self, position: Position) -> list[int] | None:
        """The moves that lead from the root to a position, if the tree knows them."""
        search = self._search
        game = position.game
        decisions = position.ply - self.position.ply
        if game != self.position.game or not 0 <= decisions <= FURTHEST_KEPT:
            return None
        tried = 0
        # Each entry is a node, its state and the way there; the most visited is looked at first.
        stack = [(0, self.position.plain(), list[int]())]
        while stack and tried < MOST_TRIED:
            node, state, way = stack.pop()
            if len(way) == decisions:
                if freeze(state, game.layout.state) == position.state:
                    return way
                continue
            children = [child for child in search.children(node) if child.visits]
            for child in sorted(children, key=lambda child: child.visits):
                follower = copied(state)
                game.rules.play(game.board, follower, child.move)
                stack.append((child.node, follower, [*way, child.move]))
                tried += 1
        return None


class _Worker:
    """A thread of a search or a prover, and how much it does between two looks at the clock."""

    def __init__(
        self, task: Search | Prover, run: Callable[[int], object], budget: int | None
    ) -> None:
        self._task = task
        self._run = run
        self._left = MOST_SIMULATIONS if budget is None else budget
        self._share = 1

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""
        return self._left <= 0 or self._task.settled

    def work(self, until: float | None) -> None:
        """Work for a moment."""
        began = perf_counter()
        left = ROUND_SECONDS if until is None else min(ROUND_SECONDS, until - began)
        share = min(self._share, self._left)
        self._run(share)
        self._left -= share
        took = max(perf_counter() - began, 1e-6)
        self._share = max(1, min(4 * share, int(share * left / took)))
