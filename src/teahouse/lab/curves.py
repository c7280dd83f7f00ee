"""Curves: figures over the course of a game, and distributions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from teahouse.lab.figures import count_estimate, percentage_estimate, sample_slug
from teahouse.lab.games import PlayedGame
from teahouse.lab.measures import CHOICE, DRAMA, LENGTH
from teahouse.lab.story import smoothed_chances

PARTS = 20
"""Parts of a game at which a curve has a point."""
BINS = 24
"""Bins of a histogram at most."""


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve with its 95 % interval."""

    x: float
    """Where the point is: a ply, a part of the game, a level."""
    value: float
    """The mean."""
    low: float
    """Lower bound of the 95 % interval."""
    high: float
    """Upper bound of the 95 % interval."""
    count: int
    """Games that the point is of."""


@dataclass(frozen=True)
class Curve:
    """A figure as a function of something, to be plotted."""

    key: str
    """The measure and the sample, such as `choice.course.level5`."""
    label: str
    """The measure in words."""
    section: str
    """The section of the report that shows it."""
    x_label: str
    """What `x` of the points is."""
    unit: str
    """plies, %, Elo or nothing."""
    definition: str
    """What is measured, in a sentence or two."""
    sample: str
    """The games measured."""
    points: tuple[CurvePoint, ...]
    """In the order of `x`."""


def sample_curves(samples: Mapping[str, Sequence[PlayedGame]]) -> Iterator[Curve]:
    """Yield the curves of all samples that have games."""
    played = {sample: games for sample, games in samples.items() if games}
    bins = _bins(played.values())
    for sample, games in played.items():
        yield _lengths(sample, games, bins)
        yield from _courses(sample, games)


def _courses(sample: str, games: Sequence[PlayedGame]) -> Iterator[Curve]:
    """Yield the curves of figures that change over the course of a game."""
    yield _course(
        "choice.course",
        "Legal moves over the game",
        CHOICE,
        "",
        "Legal moves at each part of the game, averaged over games.",
        sample,
        [[float(count) for count in game.choices] for game in games],
    )
    won = [game for game in games if game.chances and game.winner is not None]
    if won:
        courses = [[now[game.winner or 0] for now in smoothed_chances(game)[:-1]] for game in won]
        yield _course(
            "drama.course",
            "The winner's chances over the game",
            DRAMA,
            "%",
            "Winning chances of the side that won in the end, at each part of the game.",
            sample,
            courses,
        )


def _course(
    key: str,
    label: str,
    section: str,
    unit: str,
    definition: str,
    sample: str,
    courses: Sequence[Sequence[float]],
) -> Curve:
    """Return the mean of numbers of each ply, shares or counts, at equal parts of the games."""
    points = []
    for part in range(PARTS + 1):
        values = [
            course[min(len(course) - 1, part * len(course) // PARTS)]
            for course in courses
            if course
        ]
        mean = (percentage_estimate if unit == "%" else count_estimate)(values)
        points.append(CurvePoint(100 * part / PARTS, mean.value, mean.low, mean.high, len(values)))
    name = f"{key}.{sample_slug(sample)}"
    x_label = "% of the game"
    return Curve(name, label, section, x_label, unit, definition, sample, tuple(points))


def _bins(samples: Iterable[Sequence[PlayedGame]]) -> range:
    """Return the starts of the bins of lengths, the same for all samples so that they compare.

    They leave out the last hundredth at either end of each sample.
    """
    low, high = 0, 0
    for games in samples:
        lengths = sorted(len(game.moves) for game in games)
        cut = len(lengths) // 100
        first, last = lengths[cut], lengths[-1 - cut]
        low, high = min(low or first, first), max(high, last)
    return range(low, high + 1, max(1, -(-(high - low + 1) // BINS)))


def _lengths(sample: str, games: Sequence[PlayedGame], bins: range) -> Curve:
    """Return the histogram of lengths."""
    width = bins.step
    points = []
    for start in bins:
        inside = [float(start <= len(game.moves) < start + width) for game in games]
        share = percentage_estimate(inside)
        middle = start + (width - 1) / 2
        points.append(CurvePoint(middle, share.value, share.low, share.high, int(sum(inside))))
    return Curve(
        f"length.distribution.{sample_slug(sample)}",
        "Distribution of lengths",
        LENGTH,
        "plies",
        "%",
        f"Share of games by length, in bins of {width} {'ply' if width == 1 else 'plies'}.",
        sample,
        tuple(points),
    )
