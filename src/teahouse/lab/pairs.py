"""Pairs of games by two rule sets: the numbers of each game, and the figures of the first pairs.

Game number i of both sides is a pair. Games without a number are left out: then the k-th number of
one side is paired with the k-th of the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.validate import check_positive
from teahouse.lab.comparison import ComparedFigure
from teahouse.lab.figures import sample_slug
from teahouse.lab.games import GameRun, PlayedGame
from teahouse.lab.measures import Measure, measures
from teahouse.lab.sequential import difference_interval, mean_interval

PRECISION = 10.0
PART_SCALE = 0.25
"""Deviation to expect of a share of a game's plies; of a share of games it is 1."""
KEPT_GAMES = 256
"""Games of a side that are kept, for warnings."""

SIDES = ("a", "b")
MeasurePair = tuple[Measure, Measure]


@dataclass(frozen=True)
class Precision:
    """Half widths of the differences' intervals that are asked for."""

    percent: float = PRECISION
    """Points for a figure in %, else % of the larger value; at least of 1."""
    own: Mapping[str, float] = field(default_factory=dict)
    """Half widths in the figure's unit, by measure or by measure and sample."""

    def __post_init__(self) -> None:
        check_positive("precision", self.percent)
        for name, value in self.own.items():
            check_positive(f"precision of {name}", value)

    @classmethod
    def parse(cls, value: float | Mapping[str, float] | Precision) -> Precision:
        """Return the half widths: one for all, some by figure, or as they are."""
        if isinstance(value, Precision):
            return value
        return cls(own=value) if isinstance(value, Mapping) else cls(value)

    def check(self, keys: Collection[str]) -> None:
        """Raise `OptionError` if a half width names an unknown figure."""
        for name in self.own:
            if name not in keys and not any(_measure_of(key) == name for key in keys):
                raise OptionError(f"Unknown figure {quoted(name)}; figures: {listing(keys)}.")

    def half_width(self, measure: Measure, key: str, a: float, b: float) -> float:
        """Return the requested half width, given the values of both sides."""
        for name in (key, measure.key):
            if name in self.own:
                return self.own[name]
        if measure.estimator == "share":
            return self.percent
        return self.percent / 100 * max(1.0, abs(a), abs(b))


@dataclass
class Pairs:
    """The games of one kind by both rule sets."""

    runs: tuple[GameRun, GameRun]
    measures: Sequence[MeasurePair]
    counted: int = 0
    """Pairs at the last look."""
    _numbers: tuple[dict[int, list[float]], dict[int, list[float]]] = field(
        default_factory=lambda: ({}, {})
    )
    _first_games: tuple[list[PlayedGame], list[PlayedGame]] = field(
        default_factory=lambda: ([], [])
    )
    _ready: int = 0

    @property
    def sample(self) -> str:
        """The kind of the games."""
        return self.runs[0].kind

    def name(self, side: int) -> str:
        """Return the name of a side's games among those of all samples."""
        return f"{SIDES[side]}, {self.sample}"

    @property
    def keys(self) -> list[str]:
        """The keys of the figures."""
        return [f"{measure.key}.{sample_slug(self.sample)}" for measure, _ in self.measures]

    def add(self, side: int, game: PlayedGame) -> None:
        """Measure a game of a side; a number that it does not have is nan."""
        numbers = []
        for pair in self.measures:
            measure = pair[side]
            value = measure.value(game) if game.chances or not measure.evaluated else None
            factor = 100 if measure.estimator == "share" else 1
            numbers.append(math.nan if value is None else factor * value)
        self._numbers[side][game.number] = numbers
        if game.number < KEPT_GAMES:
            self._first_games[side].append(game)

    def first_games(self, side: int) -> Sequence[PlayedGame]:
        """Return the first games of a side that were counted."""
        return [game for game in self._first_games[side] if game.number < self.counted]

    @property
    def games(self) -> int:
        """The games of both sides so far."""
        return sum(map(len, self._numbers))

    def has(self, side: int, number: int) -> bool:
        """Return whether a game was added."""
        return number in self._numbers[side]

    @property
    def ready(self) -> int:
        """The number of first pairs of which both games were added."""
        while all(self._ready in numbers for numbers in self._numbers):
            self._ready += 1
        return self._ready

    def rows(self, count: int, alpha: float, precision: Precision) -> list[ComparedFigure]:
        """Return the figures of the first pairs; each difference misses with chance alpha."""
        a, b = (
            np.array([numbers[number] for number in range(count)]).reshape(
                count, len(self.measures)
            )
            for numbers in self._numbers
        )
        return [
            self._row(key, measure, a[:, column], b[:, column], alpha, precision)
            for column, (key, (measure, _)) in enumerate(zip(self.keys, self.measures, strict=True))
        ]

    def _row(
        self,
        key: str,
        measure: Measure,
        a: np.ndarray,
        b: np.ndarray,
        alpha: float,
        precision: Precision,
    ) -> ComparedFigure:
        a, b = a[~np.isnan(a)], b[~np.isnan(b)]
        count = min(len(a), len(b))
        a, b = a[:count], b[:count]
        scale = _scale(measure, a, b)
        first, second = mean_interval(a, scale=scale), mean_interval(b, scale=scale)
        difference = difference_interval(a, b, alpha, scale)
        highest = 100.0 if measure.estimator == "share" else math.inf  # no number is below 0
        return ComparedFigure(
            key=key,
            label=measure.label,
            section=measure.section,
            sample=self.sample,
            unit=measure.unit,
            a=first.value,
            a_low=max(0.0, first.low),
            a_high=min(highest, first.high),
            b=second.value,
            b_low=max(0.0, second.low),
            b_high=min(highest, second.high),
            difference=difference.value,
            low=max(-highest, difference.low),
            high=min(highest, difference.high),
            count=count,
            precision=precision.half_width(measure, key, first.value, second.value),
            definition=measure.definition,
            source=measure.source,
        )


def _scale(measure: Measure, a: np.ndarray, b: np.ndarray) -> float:
    """Return the expected deviation of a number of which no deviation was observed."""
    if measure.estimator != "share":
        return 1.0
    per_game = len(np.unique(np.concatenate((a, b)))) <= 3  # a game is lost, drawn or won
    return 100.0 if per_game else 100 * PART_SCALE


def common_measures(
    a: Game, b: Game, evaluated: bool, wanted: Sequence[str] | None
) -> list[MeasurePair]:
    """Return the measures that both games have; `wanted` names some of them or of their groups.

    Those that need winning chances are left out if games are not evaluated.
    """
    of_b = {_identity(measure): measure for measure in measures(b)}
    common = [(one, of_b[_identity(one)]) for one in measures(a) if _identity(one) in of_b]
    for name in wanted or ():
        if not any(_named(one.key, name) for one, _ in common):
            keys = listing(one.key for one, _ in common)
            raise OptionError(f"Unknown figure {quoted(name)}; figures: {keys}.")
    return [
        pair
        for pair in common
        if (evaluated or not pair[0].evaluated)
        and (not wanted or any(_named(pair[0].key, name) for name in wanted))
    ]


def unshared_measures(a: Game, b: Game) -> Iterator[str]:
    """Yield a sentence for measures that only one side has, or that differ in definition."""
    of_a, of_b = ({_identity(one): one.label for one in measures(game)} for game in (a, b))
    a_only = [label for identity, label in of_a.items() if identity not in of_b]
    b_only = [label for identity, label in of_b.items() if identity not in of_a]
    apart = [label for label in a_only if label in b_only]
    if apart:
        yield f"Not compared, since it means another thing in each: {'; '.join(apart)}."
    for name, labels in zip(SIDES, (a_only, b_only), strict=True):
        others = [label for label in labels if label not in apart]
        if others:
            yield f"Not compared, since only {name} has it: {'; '.join(others)}."


def _identity(measure: Measure) -> tuple[str, str]:
    return measure.key, measure.definition


def _named(key: str, name: str) -> bool:
    return key == name or key.startswith(f"{name}.")


def _measure_of(key: str) -> str:
    """Return a figure's key without its sample."""
    return key.rpartition(".")[0]
