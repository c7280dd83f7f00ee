"""Spots as markup, memoised: most of a board is unchanged from move to move."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from teahouse.core.scene import Spot
from teahouse.draw import marks, surface
from teahouse.draw.layout import UNIT, Point
from teahouse.draw.page_text import Row, make_row
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.style import Element
from teahouse.draw.symbols import symbols

MAX_SPOTS = 8192
"""Rendered spots of one game in one style that are kept."""
DRAWN = attrgetter(
    *("name", "x", "y", "size", "shape", "kind", "label", "pieces", "marks", "owner", "within")
)
"""The fields of a spot that a picture shows: all but its place and glyph on the text board."""


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """Where a spot is in pictures; equal ones of a style are one object."""

    name: str
    anchor: Point
    extent: tuple[float, float, float, float] | None
    """Of spots that no larger one contains."""
    free: bool
    """Whether it is not part of the board yet."""


@dataclass(frozen=True, eq=False, slots=True)
class RenderedSpot(Row):
    """The elements of a spot, and the symbols they use."""

    place: Place
    cell: tuple[Element, ...]
    pieces: tuple[Element, ...]
    """Drawn unless the frame is animated."""
    overlay: tuple[Element, ...]
    used_symbols: frozenset[str]


class SpotCache:
    """Rendered spots of one game in one style, by what they show and by their classes."""

    def __init__(
        self, game: str, colours: tuple[str, ...], prefix: str, page: bool, turned: bool
    ) -> None:
        self._game = game
        self._colours = colours
        self._prefix = prefix
        self._page = page
        self._unit = -UNIT if turned else UNIT
        self._rendered: dict[tuple[object, tuple[str, ...]], RenderedSpot] = {}
        self._known: tuple[dict[int, RenderedSpot], list[Spot]] = ({}, [])
        """Spots without classes by identity, since games keep the spots that recur; and those
        spots, so that none is freed and its identity used again."""
        self._places: dict[tuple[object, ...], Place] = {}
        self._symbols: dict[frozenset[str], frozenset[str]] = {}
        """Each set of symbols once, so that it is hashed once."""

    def render_all(self, spots: Sequence[Spot]) -> list[RenderedSpot]:
        """Return spots without any selection state."""
        known = self._known[0]
        found = [one for one in map(known.get, map(id, spots)) if one]
        if len(found) == len(spots):
            return found
        return [known.get(id(spot)) or self._remember(spot) for spot in spots]

    def _remember(self, spot: Spot) -> RenderedSpot:
        found = self.render(spot, ())
        if len(self._known[0]) >= MAX_SPOTS:
            self._known = ({}, [])  # another thread may still use the old ones
        known, alive = self._known
        alive.append(spot)
        known[id(spot)] = found
        return found

    def render(self, spot: Spot, classes: tuple[str, ...]) -> RenderedSpot:
        """Return a spot; `classes` give its selection state."""
        key = (DRAWN(spot), classes)
        found = self._rendered.get(key)
        if found is None:
            if len(self._rendered) >= MAX_SPOTS:
                self._rendered.clear()
            found = self._rendered[key] = self._render(spot, classes)
        return found

    def _render(self, spot: Spot, classes: tuple[str, ...]) -> RenderedSpot:
        writer = SvgWriter(symbols(self._game), self._colours, self._prefix)
        if classes:  # only its hit area differs
            plain = self.render(spot, ())
            place, cell, pieces = plain.place, plain.cell, plain.pieces
            writer.used_symbols.update(plain.used_symbols)
        else:
            place = self._place(spot)
            cell = tuple(surface.cell(spot, writer, place.anchor))
            pieces = tuple(surface.resting_pieces(spot, writer, place.anchor))
        overlay = (
            *marks.due_marker(spot, writer, place.anchor),
            *marks.hit_area(spot, writer, place.anchor, classes, self._page),
        )
        row = make_row((*cell, *pieces, *overlay))
        used = frozenset(writer.used_symbols)
        used = self._symbols.setdefault(used, used)
        return RenderedSpot(row.layers, row.sizes, place, cell, pieces, overlay, used)

    def _place(self, spot: Spot) -> Place:
        if len(self._places) >= MAX_SPOTS:
            self._places.clear()
        anchor = (self._unit * spot.x, self._unit * spot.y)
        key = (spot.name, anchor, None if spot.within else spot.extent, spot.kind == "free")
        return self._places.setdefault(key, Place(*key))


@lru_cache(maxsize=16)
def spot_cache(
    game: str, colours: tuple[str, ...], prefix: str, page: bool, turned: bool
) -> SpotCache:
    """Return the cache of a game's spots in one style."""
    return SpotCache(game, colours, prefix, page, turned)
