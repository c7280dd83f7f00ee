"""The board of a page, of which consecutive positions share most.

Positions whose spots are at the same places share the layout, the background and the captions;
spots that look the same share their markup. Rendering one more position looks them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from teahouse.core.position import Position
from teahouse.core.scene import Area, Caption, Scene
from teahouse.draw import inline, marks, surface, symbols
from teahouse.draw.animation import last_motions
from teahouse.draw.layout import SceneLayout, layout_scene, page_box
from teahouse.draw.page_text import EMPTY_ROW, PageText, Row, make_row
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.spots import Place, SpotCache
from teahouse.draw.style import FrameOptions, Layer
from teahouse.draw.svg import PAGE_ATTRIBUTES, opening_tag

MAX_BOARDS = 512
"""Boards of one game that are kept: one that grows is many."""
AREA_SYMBOLS = frozenset(("slope",))
_PLACE, _SYMBOLS = attrgetter("place"), attrgetter("used_symbols")


def page_text(position: Position, last: tuple[Position, str] | None) -> PageText:
    """Return `svg(page=True, tray=False, last=last)` as a text that can be compared."""
    return _renderer(position.game.name, position.scene.colours).text(position, last)


@dataclass(frozen=True, eq=False)
class Board:
    """What scenes share whose spots are at the same places."""

    items: tuple[tuple[Caption, ...], tuple[Area, ...], list[str]]
    """Captions, areas, and the names of hands and choices."""
    layout: SceneLayout
    numbers: dict[str, int]
    """Of its spots by their names."""
    background: Row
    captions: Row


class PageRenderer:
    """Renders boards of one game in the colours of its players."""

    def __init__(self, game: str, colours: tuple[str, ...]) -> None:
        self._game = game
        self._colours = colours
        self._spots = SpotCache(game, colours, prefix="", page=True, turned=False)
        self._boards: dict[tuple[Place, ...], Board] = {}

    def text(self, position: Position, last: tuple[Position, str] | None) -> PageText:
        """Return the text of a picture."""
        scene, spots = position.scene, self._spots.render_all(position.scene.spots)
        board = self._board(position, tuple(map(_PLACE, spots)))
        classes = marks.spot_classes(position, FrameOptions(last, page=True), tray=False)
        for name in classes.keys() & board.numbers.keys():
            number = board.numbers[name]
            spots[number] = self._spots.render(scene.spots[number], tuple(classes[name]))
        used = frozenset().union(*{*map(_SYMBOLS, spots)}, *self._other_symbols(scene))
        defs = symbols.definition_list(self._game, used, "")
        opening = opening_tag(position, board.layout.view_box, f" {PAGE_ATTRIBUTES}")
        badges = outlines = EMPTY_ROW
        if scene.groups:
            due = {spot.name for spot in scene.spots if "due" in spot.marks}
            badges = make_row(
                (Layer.OVERLAY, marks.group_badge(group, board.layout, due))
                for group in scene.groups
            )
            outlines = make_row(
                (Layer.UNDERLAY, marks.group_outline(group, board.layout)) for group in scene.groups
            )
        trails = EMPTY_ROW
        if last is not None:
            moving = last_motions(last, board.layout)
            elements = marks.trails(moving, board.numbers.keys(), self._writer())
            trails = make_row(elements) if elements else EMPTY_ROW
        rows = [board.background, badges, *spots, outlines, board.captions, trails]
        return PageText(board, opening, defs, rows)

    def _writer(self) -> SvgWriter:
        return SvgWriter(symbols.symbols(self._game), self._colours, "")

    def _other_symbols(self, scene: Scene) -> Iterator[Set[str]]:
        """Yield the symbols of areas, hands and choices: the page draws the tray with them."""
        if scene.areas:
            yield AREA_SYMBOLS
        for piece in inline.tray_pieces(scene):
            yield inline.piece_symbols(self._game, self._colours, piece)

    def _board(self, position: Position, places: tuple[Place, ...]) -> Board:
        scene = position.scene
        names = [hand.name for hand in scene.hands] + [choice.name for choice in scene.choices]
        items = (scene.captions, scene.areas, names)
        found = self._boards.get(places)
        if found is None or found.items != items:
            if len(self._boards) >= MAX_BOARDS:
                self._boards.clear()
            box = page_box(scene, turned=False, coordinates=True, tray=False)
            layout = layout_scene(position, box, turned=False, tray=False)
            areas = [surface.background(area, self._writer(), layout) for area in scene.areas]
            found = self._boards[places] = Board(
                items,
                layout,
                {place.name: number for number, place in enumerate(places)},
                make_row((Layer.BACKGROUND, markup) for markup in areas),
                make_row(surface.captions(scene.captions, False, box.caption_scale)),
            )
        return found


@lru_cache(maxsize=64)
def _renderer(game: str, colours: tuple[str, ...]) -> PageRenderer:
    return PageRenderer(game, colours)
