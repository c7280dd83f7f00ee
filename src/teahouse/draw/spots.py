"""Spots as markup, remembered: most of a board looks as it did a move ago."""

from dataclasses import dataclass
from functools import lru_cache

from teahouse.core.scene import Spot
from teahouse.draw import marks, surface
from teahouse.draw.layout import Point
from teahouse.draw.pieces import Pen
from teahouse.draw.shapes import shapes
from teahouse.draw.style import Element


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a spot, and the shapes that are used for it."""

    ground: tuple[Element, ...]
    pieces: tuple[Element, ...]
    """What stands there, if nothing is on its way."""
    over: tuple[Element, ...]
    used: frozenset[str]


@lru_cache(maxsize=8192)
def drawn(
    spot: Spot,
    at: Point,
    game: str,
    colours: tuple[str, ...],
    prefix: str,
    classes: tuple[str, ...],
    page: bool,
) -> Drawn:
    """A spot where it lies in a picture; `classes` say what it is to who points."""
    pen = Pen(shapes(game), colours, prefix)
    return Drawn(
        tuple(surface.ground(spot, pen, at)),
        tuple(surface.standing(spot, pen, at)),
        (*marks.signs(spot, pen, at), *marks.pointable(spot, pen, at, classes, page)),
        frozenset(pen.used),
    )
