"""Spots as markup, memoised: most of a board is unchanged from move to move."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from teahouse.core.scene import Spot
from teahouse.draw import marks, surface
from teahouse.draw.layout import Point
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.style import Element, Layer
from teahouse.draw.symbols import symbols

MAX_SPOTS = 8192
"""Rendered spots of one game in one style that are kept."""
LAYERS = tuple(map(int, Layer))


@dataclass(frozen=True)
class RenderedSpot:
    """The elements of a spot, and the symbols they use."""

    cell: tuple[Element, ...]
    pieces: tuple[Element, ...]
    """Drawn unless the frame is animated."""
    overlay: tuple[Element, ...]
    used_symbols: frozenset[str]

    @cached_property
    def layers(self) -> tuple[str, ...]:
        """The markup of all elements in each layer."""
        elements = (*self.cell, *self.pieces, *self.overlay)
        return tuple("".join(text for at, text in elements if at == layer) for layer in Layer)


def spot_layers(spots: Iterable[RenderedSpot]) -> list[Element]:
    """Return the spots of a picture layer by layer, each as one element of every layer it is in."""
    columns = zip(*[spot.layers for spot in spots], strict=True)
    return [
        (layer, markup)
        for layer, column in zip(LAYERS, columns, strict=False)
        for markup in filter(None, column)
    ]


class SpotCache:
    """Rendered spots of one game in one style, by spot, anchor and classes."""

    def __init__(self, game: str, colours: tuple[str, ...], prefix: str, page: bool) -> None:
        self._game = game
        self._colours = colours
        self._prefix = prefix
        self._page = page
        self._rendered: dict[tuple[Spot, Point, tuple[str, ...]], RenderedSpot] = {}
        self._plain: dict[int, tuple[Spot, Point, RenderedSpot]] = {}
        """Spots without classes by identity: games keep the spots that recur."""
        self._symbols: dict[frozenset[str], frozenset[str]] = {}
        """Each set of symbols once, so that it is hashed once."""

    def render_plain(self, spot: Spot, anchor: Point) -> RenderedSpot:
        """Return a spot without any selection state at its anchor."""
        known = self._plain.get(id(spot))
        if known is not None and known[0] is spot and known[1] == anchor:
            return known[2]
        if len(self._plain) >= MAX_SPOTS:
            self._plain.clear()
        found = self.render(spot, anchor, ())
        self._plain[id(spot)] = (spot, anchor, found)
        return found

    def render(self, spot: Spot, anchor: Point, classes: tuple[str, ...]) -> RenderedSpot:
        """Return a spot at its anchor; `classes` give its selection state."""
        key = (spot, anchor, classes)
        found = self._rendered.get(key)
        if found is None:
            if len(self._rendered) >= MAX_SPOTS:
                self._rendered.clear()
            found = self._rendered[key] = self._render(*key)
        return found

    def _render(self, spot: Spot, anchor: Point, classes: tuple[str, ...]) -> RenderedSpot:
        writer = SvgWriter(symbols(self._game), self._colours, self._prefix)
        cell = tuple(surface.cell(spot, writer, anchor))
        pieces = tuple(surface.resting_pieces(spot, writer, anchor))
        overlay = (
            *marks.due_marker(spot, writer, anchor),
            *marks.hit_area(spot, writer, anchor, classes, self._page),
        )
        used = frozenset(writer.used_symbols)
        return RenderedSpot(cell, pieces, overlay, self._symbols.setdefault(used, used))


@lru_cache(maxsize=16)
def spot_cache(game: str, colours: tuple[str, ...], prefix: str, page: bool) -> SpotCache:
    """Return the cache of a game's spots in one style."""
    return SpotCache(game, colours, prefix, page)
