"""Timing and paths of moving pieces."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from teahouse.core.position import Position
from teahouse.core.scene import Animation, Piece
from teahouse.draw.layout import Point, SceneLayout, distance, layout_scene

STEP_SECONDS = 0.22  # from one spot of a path to the next
MAX_SECONDS = 1.1  # for all animations of one move
ARC = 0.35  # height of a jump relative to its length


@dataclass(frozen=True)
class Motion:
    """A piece's path in a picture, with begin and end in seconds."""

    piece: Piece
    origin: str
    target: str
    points: tuple[Point, ...]
    kind: str
    """slide, jump or turn."""
    begin: float
    end: float

    def at(self, time: float) -> Point:
        """Return where the piece is at a time; short paths ease in and out."""
        progress = min(max((time - self.begin) / (self.end - self.begin), 0.0), 1.0)
        if len(self.points) < 3:
            progress = progress * progress * (3 - 2 * progress)
        segments = list(pairwise(self.points))
        remaining = progress * sum(distance(*segment) for segment in segments)
        for (x, y), (to_x, to_y) in segments:
            length = distance((x, y), (to_x, to_y))
            if remaining <= length and length:
                part = remaining / length
                right, up = self.arc_offset((x, y), (to_x, to_y))
                weight = 2 * part * (1 - part)  # of a quadratic Bézier curve's control point
                return (
                    x + (to_x - x) * part + weight * right,
                    y + (to_y - y) * part - weight * up,
                )
            remaining -= length
        return self.points[-1]

    def arc_offset(self, one: Point, other: Point) -> Point:
        """Return the offset (right, up) of a segment's control point from its middle."""
        if self.kind != "jump":
            return 0.0, 0.0
        length = distance(one, other)
        vertical = abs(other[0] - one[0]) < abs(other[1] - one[1]) / 3
        return (ARC * length, 0.0) if vertical else (0.0, ARC * length)


def last_motions(last: tuple[Position, str], layout: SceneLayout) -> tuple[Motion, ...]:
    """Return the motions of the last move in the picture of the position that it led to."""
    before, move = last
    animations, anchors = before.animations(move), layout.anchors
    if any(name not in anchors for one in animations for name in one.path):
        previous = layout_scene(before, layout.board, layout.turned, layout.tray)
        anchors = previous.anchors | anchors
    return motions(animations, anchors)


def motions(animations: tuple[Animation, ...], anchors: Mapping[str, Point]) -> tuple[Motion, ...]:
    """Return a move's animations as timed motions in a picture."""
    longest = max((one.delay + _steps(one) for one in animations), default=1)
    step = min(STEP_SECONDS, MAX_SECONDS / longest)
    return tuple(
        Motion(
            one.piece,
            one.path[0],
            one.path[-1],
            tuple(anchors[name] for name in one.path if name in anchors),
            one.motion,
            step * one.delay,
            step * (one.delay + _steps(one)),
        )
        for one in animations
    )


def _steps(animation: Animation) -> float:
    return max(1.3, len(animation.path) - 1)
