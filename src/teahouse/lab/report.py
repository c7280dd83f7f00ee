"""The report on a game: figures, curves, openings, heat maps and games to replay."""

from __future__ import annotations

from dataclasses import dataclass

from teahouse.core.game import Game
from teahouse.core.record import Record
from teahouse.lab.figures import Figure


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve with its 95 % interval."""

    x: float
    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Curve:
    """A figure as a function of something, to be plotted."""

    key: str
    """The measure and the sample, such as `branching.over-game.level5`."""
    label: str
    section: str
    x_label: str
    unit: str
    definition: str
    sample: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class Heatmap:
    """A number for each spot of the board."""

    key: str
    label: str
    definition: str
    unit: str
    values: dict[str, float]
    """By the name of the spot, as in `Scene.spots`."""
    count: int
    """Games."""
    position: str
    """Text of a position whose scene has the spots, to draw them on."""


@dataclass(frozen=True)
class OpeningScore:
    """A first turn, with its mirror images, and how the side that plays it scored."""

    moves: tuple[str, ...]
    description: str
    images: int
    """First turns that lead to the same position or to its mirror images."""
    count: int
    value: float
    low: float
    high: float
    """Score of the first side in %, a draw shared; 95 % interval."""


@dataclass(frozen=True)
class NotedGame:
    """A game of a sample to replay."""

    kind: str
    """`typical` or `dramatic`."""
    reason: str
    """Why it was selected, as a sentence."""
    record: Record
    chances: tuple[tuple[float, ...], ...]
    """Winning chance of each side in every position."""


@dataclass(frozen=True)
class Report:
    """What was measured on a game with its options."""

    game: Game
    figures: tuple[Figure, ...]
    curves: tuple[Curve, ...]
    openings: tuple[OpeningScore, ...]
    heatmaps: tuple[Heatmap, ...]
    games: tuple[NotedGame, ...]
    warnings: tuple[str, ...]
    plan: tuple[str, ...]
    """How many games of which kind were played, and why, as sentences."""
    complete: bool
    """Whether all planned games were played."""

    @property
    def rows(self) -> tuple[Figure, ...]:
        """The figures, as plain dataclasses for data frames."""
        return self.figures
