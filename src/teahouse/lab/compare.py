"""Compare two rule sets: play pairs of games until every difference is precise enough.

The figures are looked at again and again while games are played. Their intervals are confidence
sequences (`sequential.py`), so that looking does no harm, and each gets an equal part of the 5 %
(Bonferroni), so that all differences hold together with 95 %.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from teahouse.core.catalog import as_game
from teahouse.core.errors import OptionError, quoted
from teahouse.core.executor import Executor, LocalExecutor
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.core.validate import check_int, check_positive, check_seed
from teahouse.lab.comparison import ComparedFigure, Comparison
from teahouse.lab.diagnose import warnings
from teahouse.lab.games import RANDOM, GameRun
from teahouse.lab.pairs import (
    PRECISION,
    SIDES,
    Pairs,
    Precision,
    common_measures,
    unshared_measures,
)
from teahouse.lab.plan import evaluation_simulations
from teahouse.lab.store import LabStore, default_folder
from teahouse.lab.study import GameTask, PlayGames
from teahouse.search.levels import LEVELS

ALPHA = 0.05
"""The chance that any difference of a comparison is missed by its interval."""
SAMPLES = (RANDOM, "level 4")
SECONDS = 240.0
FIRST_LOOK = 32
GIVE_UP = 256
"""Pairs without a single value after which a figure is no longer waited for."""


@dataclass(frozen=True)
class CompareProgress:
    """The state of a comparison in progress."""

    games: int
    """Games of both sides so far, with those that were stored."""
    looked: Comparison | None = None
    """The comparison, after a look at its figures."""


Progress = Callable[[CompareProgress], None]


def compare(
    a: str | Game,
    b: str | Game,
    *,
    samples: Sequence[str] = SAMPLES,
    figures: Sequence[str] | None = None,
    precision: float | Mapping[str, float] | Precision = PRECISION,
    seconds: float | None = SECONDS,
    max_pairs: int | None = None,
    paired: bool | None = None,
    folder: Path | str | None = None,
    jobs: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: Event | None = None,
    executor: Executor | None = None,
) -> Comparison:
    """Play games under two rule sets until every difference has the requested precision.

    `precision` is the half width of the differences' intervals: points for figures in %, else % of
    the value; or, in the figures' units, a mapping such as `{"length.mean": 2.0}`, with the default
    for the others. It ends before that after `seconds`, after `max_pairs` games of each sample and
    side, or when `cancel` is set. With a `folder` every finished game is stored there, and the
    games of a rule set serve all its comparisons. `executor` plays the games; by default `jobs`
    processes do: with more than one, a script needs the guard `if __name__ == "__main__"`.

    Games of the same number have the same seed on both sides, which makes differences more precise
    where the rules differ little; with `paired=False` they have not, by default so if a and b are
    the same. `progress` is called after every game, and with the comparison at every look.
    """
    a, b = as_game(a), as_game(b)
    same = (a.name, a.options) == (b.name, b.options)
    paired = not same if paired is None else paired
    if paired and same:
        raise OptionError("Games with the same options and seeds are the same; use paired=False.")
    if seconds is not None:
        check_positive("seconds", seconds)
    if max_pairs is not None:
        check_int("max_pairs", max_pairs, FIRST_LOOK)
    check_int("jobs", jobs, 1)
    seeds = (check_seed(seed), seed if paired else game_seed(seed, 1))
    asked = Precision.parse(precision)
    every = [_pairs((a, b), seeds, kind, figures) for kind in dict.fromkeys(samples)]
    family = _Family([pairs for pairs in every if pairs.measures], asked, max_pairs)
    asked.check([key for pairs in family.samples for key in pairs.keys])

    def result() -> Comparison:
        counts = {pairs.sample: pairs.counted for pairs in family.samples}
        alike = ("a and b are the same rules: what differs is chance.",) if same else ()
        found = (*alike, *unshared_measures(a, b), *_warnings(family.samples))
        return Comparison(a, b, family.rows, counts, paired, seed, found)

    stop = _Stop(cancel, seconds)
    with ExitStack() as stack:
        stores = []
        if folder is not None:
            stores = [
                LabStore(Path(folder) / default_folder(game, own).name, game, own)
                for game, own in zip((a, b), seeds, strict=True)
            ]
        for store in stores:
            stack.enter_context(store.locked())
        _play(family, stores, executor or LocalExecutor(jobs), stop, progress, result)
    return result()


def _pairs(
    games: tuple[Game, Game], seeds: tuple[int, int], kind: str, figures: Sequence[str] | None
) -> Pairs:
    """Return the pairs of a sample, without games."""
    if kind not in (RANDOM, *(f"level {level}" for level in LEVELS)):
        raise OptionError(f"Unknown sample {quoted(kind)}; samples: random, level 1 to level 8.")
    measures = common_measures(*games, kind != RANDOM, figures)
    evaluated = any(measure.evaluated for measure, _ in measures)
    simulations = evaluation_simulations(games[0]) if evaluated else 0
    a, b = (GameRun(game, kind, seed, simulations) for game, seed in zip(games, seeds, strict=True))
    return Pairs((a, b), measures)


def _play(
    family: _Family,
    stores: Sequence[LabStore],
    executor: Executor,
    stop: Event,
    progress: Progress | None,
    result: Callable[[], Comparison],
) -> None:
    """Read the stored games of a and b, if they are stored, and play the missing ones."""
    owners = {pairs.name(side): (pairs, side) for pairs in family.samples for side in (0, 1)}
    for pairs, side in owners.values() if stores else ():
        for game in stores[side].games(pairs.runs[side]).values():
            pairs.add(side, game)
    job = PlayGames({name: pairs.runs[side] for name, (pairs, side) in owners.items()})
    tell = progress or (lambda _: None)
    tasks = family.tasks(lambda: tell(CompareProgress(family.games, result())))
    for (name, _), game in executor.map(job, tasks, stop):
        pairs, side = owners[name]
        if stores:
            stores[side].add(pairs.runs[side], game)
        pairs.add(side, game)
        tell(CompareProgress(family.games))
    family.finish()


def _warnings(samples: Sequence[Pairs]) -> tuple[str, ...]:
    """Return warnings about either rule set."""
    return tuple(
        f"{name}: {text}"
        for side, name in enumerate(SIDES)
        for text in warnings(
            samples[0].runs[side].game, {pairs.sample: pairs.first_games(side) for pairs in samples}
        )
    )


class _Family:
    """All figures of a comparison: when to update them, and which games to play next."""

    def __init__(
        self, samples: Sequence[Pairs], precision: Precision, max_pairs: int | None
    ) -> None:
        if not samples:
            raise OptionError("No figure to compare: these samples have none of those asked for.")
        self.samples = samples
        self._precision = precision
        self._max_pairs = max_pairs
        self._alpha = ALPHA / sum(len(pairs.measures) for pairs in samples)
        self._rows: list[list[ComparedFigure]] = [[] for _ in samples]
        self._open = set(range(len(samples)))

    @property
    def rows(self) -> tuple[ComparedFigure, ...]:
        """The figures at the last look."""
        return tuple(row for rows in self._rows for row in rows)

    @property
    def games(self) -> int:
        """The games of both sides so far."""
        return sum(pairs.games for pairs in self.samples)

    def tasks(self, looked: Callable[[], None]) -> Iterator[GameTask]:
        """Yield the games to play next until every figure is precise enough.

        Looks are at fixed numbers of pairs, so that the result does not depend on the order in
        which games end, nor on interruptions.
        """
        issued = [0] * len(self.samples)
        while True:
            for index in sorted(self._open):
                while index in self._open and self._look(index):
                    looked()
            playing = [index for index in self._open if issued[index] != self._max_pairs]
            if not playing:
                return
            index = min(playing, key=lambda one: issued[one])
            pairs, number = self.samples[index], issued[index]
            issued[index] += 1
            for side in (0, 1):
                if not pairs.has(side, number):
                    yield pairs.name(side), number

    def _look(self, index: int) -> bool:
        """Update the figures of a sample if the games of its next look are finished."""
        pairs = self.samples[index]
        wanted = _next_look(pairs.counted)
        if self._max_pairs is not None:
            wanted = min(wanted, self._max_pairs)
        if pairs.ready < wanted:
            return False
        self._count(index, wanted)
        waiting = [row for row in self._rows[index] if row.count or wanted < GIVE_UP]
        if all(row.reached for row in waiting) or wanted == self._max_pairs:
            self._open.remove(index)
        return True

    def finish(self) -> None:
        """Count the pairs since the last look of samples that were interrupted."""
        for index in sorted(self._open):
            self._count(index, self.samples[index].ready)

    def _count(self, index: int, count: int) -> None:
        pairs = self.samples[index]
        pairs.counted = count
        self._rows[index] = pairs.rows(count, self._alpha, self._precision)


def _next_look(count: int) -> int:
    return count + max(16, count // 8) if count else FIRST_LOOK


class _Stop(Event):
    """Set when the caller cancels or the time is up."""

    def __init__(self, cancel: Event | None, seconds: float | None) -> None:
        super().__init__()
        self._cancel = cancel
        self._end = None if seconds is None else time.monotonic() + seconds

    def is_set(self) -> bool:
        return (
            super().is_set()
            or (self._cancel is not None and self._cancel.is_set())
            or (self._end is not None and time.monotonic() >= self._end)
        )
