"""Options of a picture, and the layers it is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from teahouse.core.position import Position


class Layer(IntEnum):
    """Drawing order, from the bottom up."""

    BACKGROUND = 0
    CELLS = 1
    UNDERLAY = 2
    FLAT_PIECES = 3
    TRAILS = 4
    PIECES = 5
    MOVING_PIECES = 6
    OVERLAY = 7
    HIT_AREAS = 8
    TRAY = 9


IN_FLIGHT = 100
"""Added to the layer of a piece that an animation frame shows between two spots."""
Element = tuple[int, str]
"""A layer and its markup."""


@dataclass(frozen=True)
class RenderStyle:
    """Appearance of a picture, independent of the position."""

    theme: str = "light"
    colours: str = "classic"
    coordinates: bool = True
    turned: bool = False
    tray: bool = True
    prefix: str = ""


@dataclass(frozen=True)
class FrameOptions:
    """What a frame shows in addition to the position itself."""

    last: tuple[Position, str] | None = None
    """The previous position and the move that led here."""
    selected: Sequence[str] = ()
    targets: bool | None = None
    hint: str | None = None
    animate: bool = False
    page: bool = False
    begin: str = "0s"
    """SMIL begin value of the animation."""
    time: float | None = None
    """Seconds since the move was played, for a still of an animation."""
