"""Spots as markup, memoised: most of a board is unchanged from move to move."""

from dataclasses import dataclass
from functools import lru_cache

from teahouse.core.scene import Spot
from teahouse.draw import marks, surface
from teahouse.draw.layout import Point
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.style import Element
from teahouse.draw.symbols import symbols


@dataclass(frozen=True)
class RenderedSpot:
    """The elements of a spot, and the symbols they use."""

    cell: tuple[Element, ...]
    pieces: tuple[Element, ...]
    """Drawn unless the frame is animated."""
    overlay: tuple[Element, ...]
    used_symbols: frozenset[str]


@lru_cache(maxsize=8192)
def render_spot(
    spot: Spot,
    anchor: Point,
    game: str,
    colours: tuple[str, ...],
    prefix: str,
    classes: tuple[str, ...],
    page: bool,
) -> RenderedSpot:
    """Render a spot at its anchor; `classes` give its selection state."""
    writer = SvgWriter(symbols(game), colours, prefix)
    return RenderedSpot(
        tuple(surface.cell(spot, writer, anchor)),
        tuple(surface.resting_pieces(spot, writer, anchor)),
        (
            *marks.due_marker(spot, writer, anchor),
            *marks.hit_area(spot, writer, anchor, classes, page),
        ),
        frozenset(writer.used_symbols),
    )
