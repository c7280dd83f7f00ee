"""What a picture is asked to show, and the layers that it is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.core.position import Position

GROUND, CELLS, UNDER, FLAT, TRAILS, PIECES, TRAVELLERS, OVER, SPOTS, BESIDE = range(10)
ON_ITS_WAY = 100  # added to the layer of what a still of a moving picture shows on its way
Element = tuple[int, str]
"""A layer and what is drawn there."""


@dataclass(frozen=True)
class Look:
    """How a picture is to look, whatever position it shows."""

    theme: str = "paper"
    colours: str = "tea"
    coordinates: bool = True
    turned: bool = False
    tray: bool = True
    prefix: str = ""


@dataclass(frozen=True)
class Shown:
    """What is shown of a position besides what is there."""

    last: tuple[Position, str] | None = None
    """The position before, and the move that led here."""
    selected: Sequence[str] = ()
    targets: bool | None = None
    hint: str | None = None
    animate: bool = False
    page: bool = False
    clock: str = "0s"
    """When a moving picture begins, in the words of SMIL."""
    moment: float | None = None
    """Seconds after the move was played, for a picture of a piece on its way."""
