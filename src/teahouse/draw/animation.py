"""How pieces go from where they were to where they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from teahouse.core.scene import Animation, Piece
from teahouse.draw.layout import Point, distance

STEP = 0.22  # seconds from a place to the next
LONGEST = 1.1  # seconds for all that a move sets in motion
ARC = 0.35  # how high a jump goes, as a part of its length


@dataclass(frozen=True)
class Motion:
    """A piece on its way: points, and when it sets out and arrives, in seconds."""

    piece: Piece
    origin: str
    target: str
    points: tuple[Point, ...]
    way: str
    begin: float
    end: float

    def at(self, moment: float) -> Point:
        """Where the piece is at a moment."""
        share = min(max((moment - self.begin) / (self.end - self.begin), 0.0), 1.0)
        if len(self.points) < 3:
            share = share * share * (3 - 2 * share)
        legs = list(pairwise(self.points))
        left = share * sum(distance(*leg) for leg in legs)
        for (x, y), (to_x, to_y) in legs:
            length = distance((x, y), (to_x, to_y))
            if left <= length and length:
                part = left / length
                aside, rise = self.bend((x, y), (to_x, to_y))
                curved = 2 * part * (1 - part)
                return (
                    x + (to_x - x) * part + curved * aside,
                    y + (to_y - y) * part - curved * rise,
                )
            left -= length
        return self.points[-1]

    def bend(self, one: Point, other: Point) -> Point:
        """How far beside and above the middle of a leg the curve is drawn."""
        if self.way != "jump":
            return 0.0, 0.0
        length = distance(one, other)
        upright = abs(other[0] - one[0]) < abs(other[1] - one[1]) / 3
        return (ARC * length, 0.0) if upright else (0.0, ARC * length)


def motions(animations: tuple[Animation, ...], at: Mapping[str, Point]) -> tuple[Motion, ...]:
    """The travels of a move as motions in a picture."""
    longest = max((travel.after + _steps(travel) for travel in animations), default=1)
    step = min(STEP, LONGEST / longest)
    return tuple(
        Motion(
            travel.piece,
            travel.path[0],
            travel.path[-1],
            tuple(at[name] for name in travel.path if name in at),
            travel.way,
            step * travel.after,
            step * (travel.after + _steps(travel)),
        )
        for travel in animations
    )


def _steps(travel: Animation) -> float:
    return max(1.3, len(travel.path) - 1)
