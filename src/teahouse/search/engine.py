"""Thinking about a game: a tree and a prover worked on side by side, kept from move to move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from threading import Event
from time import perf_counter

from teahouse.core.position import Position
from teahouse.search.mcts.params import Settings
from teahouse.search.mcts.search import MAX_SIMULATIONS, Search
from teahouse.search.proof.dfpn_search import Claim, Prover
from teahouse.search.result import Analysis, summarize

ROUND_SECONDS = 0.01  # between two looks at the clock and at `cancel`
PROGRESS_SECONDS = 0.1
PROVER_DEPTH = 200
TRIAL_GAMES = 32  # that tell how far the end of the game is


class Engine:
    """What is known about a position, and threads that find out more."""

    def __init__(
        self,
        position: Position,
        settings: Settings,
        *,
        threads: int = 1,
        seed: int = 0,
        memory: int = 256,
        simulations: int = MAX_SIMULATIONS,
        keeps: bool = False,
    ) -> None:
        """If it `keeps` its tree for later positions, it is made ready for turning to them too."""
        self.position = position
        self.settings = settings
        self._bytes = memory << 20
        if settings.exact:
            self._bytes -= self._bytes // 4
        self.threads = threads
        self._search = Search(position, seed, self._bytes, simulations, settings, threads)
        if keeps:
            self._search.follow(position)  # has it compiled, so that no move's time goes there
        self._prover: Prover | None = None
        self._proofs: dict[int, int] = {}
        self._won = False

    def turn_to(self, position: Position, seed: int) -> bool:
        """Go on with another position of the same game; whether the tree knew the way there.

        If it did not, one with this seed is begun. What the prover found out is kept either way.
        """
        assert position.game == self.position.game
        self.position = position
        known = self._search.follow(position)
        if not known:
            self._search.begin(position, seed)
        return known

    def run(
        self,
        seconds: float | None,
        simulations: int | None,
        progress: Callable[[Analysis], None] | None = None,
        cancel: Event | None = None,
        began: float | None = None,
    ) -> Analysis:
        """Think for so many seconds or simulations more, or until it is known how the game ends.

        If it `began` before, with turning to the position, the seconds count from then; but half of
        them are left to think.
        """
        search = self._search
        before = search.simulations
        prover = self._new_prover()
        self._proofs = {}
        self._won = False
        started = perf_counter()
        if began is not None and seconds is not None:
            started = max(began, started - seconds / 2)

        def found() -> Analysis:
            if not search.children():  # the prover had all the time
                search.run(1)
            count, elapsed = search.simulations - before, perf_counter() - started
            return summarize(self.position, search, self._proofs, count, elapsed)

        shown = -PROGRESS_SECONDS
        for elapsed in self._rounds(prover, seconds, simulations, started):
            if cancel is not None and cancel.is_set():
                break
            if progress is None or elapsed - shown < PROGRESS_SECONDS:
                continue
            if self.threads == 1 or search.children():  # else other threads are about to begin
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
        """Let all threads work; the time since the start every now and then."""
        until = None if seconds is None else started + seconds
        shifts = [
            self._shift(number, prover if number == 0 else None, seconds, simulations, started)
            for number in range(self.threads)
        ]
        if self.threads == 1:
            for _ in shifts[0]:
                yield perf_counter() - started
                if self._search.settled or (until is not None and perf_counter() >= until):
                    return
            return
        stop = Event()

        def go(shift: Iterator[None]) -> None:
            for _ in shift:
                if stop.is_set() or (until is not None and perf_counter() >= until):
                    return

        with ThreadPoolExecutor(self.threads) as pool:
            tasks = [pool.submit(go, shift) for shift in shifts]
            try:
                going = True
                while going:
                    going = bool(wait(tasks, ROUND_SECONDS).not_done)
                    yield perf_counter() - started
                    if self._search.settled or self._won:
                        return
            finally:
                stop.set()
        for task in tasks:
            task.result()  # so that what went wrong there is known here

    def _shift(
        self,
        number: int,
        prover: Prover | None,
        seconds: float | None,
        simulations: int | None,
        started: float,
    ) -> Iterator[None]:
        """What a thread does, a moment at a time: it may have a prover to begin with."""
        if prover is not None:
            share = self.settings.exact
            until = None if seconds is None else started + share * seconds
            proving = _Worker(prover, prover.run, simulations and max(1, int(share * simulations)))
            while not (proving.done or (until is not None and perf_counter() >= until)):
                proving.work(until)
                yield
            if prover.settled:
                self._proofs = self._proven(prover)
                if prover.known(self.position.state):
                    self._won = True
                    return  # if all is lost, what is hardest to refute is still to be found
        growing = _Worker(
            self._search,
            partial(self._search.run, thread=number),
            simulations and (simulations + number) // self.threads,
        )
        while not growing.done:
            growing.work(None if seconds is None else started + seconds)
            yield

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


class _Worker:
    """A thread of a search or a prover, and how much it does between two looks at the clock."""

    def __init__(
        self, task: Search | Prover, run: Callable[[int], object], budget: int | None
    ) -> None:
        self._task = task
        self._run = run
        self._left = MAX_SIMULATIONS if budget is None else budget
        self._last = 1
        self._each = ROUND_SECONDS  # seconds that one simulation or position took

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""
        return self._left <= 0 or self._task.settled

    def work(self, until: float | None) -> None:
        """Work for a moment."""
        began = perf_counter()
        seconds = ROUND_SECONDS if until is None else min(ROUND_SECONDS, until - began)
        share = min(self._left, 4 * self._last, max(1, int(seconds / self._each)))
        self._run(share)
        self._left -= share
        self._last = share
        self._each = max(perf_counter() - began, 1e-6) / share
