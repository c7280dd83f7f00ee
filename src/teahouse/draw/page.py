"""The board of a page in parts, of which consecutive positions share most.

Positions whose spots are at the same places share the layout, the background and the captions;
spots that look the same share their markup. Rendering one more position looks them up.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import attrgetter

from teahouse.core.position import Position
from teahouse.core.scene import Area, Caption, Scene
from teahouse.draw import inline, marks, surface, symbols
from teahouse.draw.animation import last_motions
from teahouse.draw.layout import SceneLayout, layout_scene, page_box
from teahouse.draw.pieces import SvgWriter
from teahouse.draw.spots import Place, SpotCache
from teahouse.draw.style import FrameOptions, Layer
from teahouse.draw.svg import PAGE_ATTRIBUTES, opening_tag

MAX_BOARDS = 512
"""Boards of one game that are kept: one that grows is many."""
AREA_SYMBOLS = frozenset(("slope",))
_PLACE, _LAYERS, _SYMBOLS = map(attrgetter, ("place", "layers", "used_symbols"))


def page_parts(position: Position, last: tuple[Position, str] | None) -> list[str]:
    """Return the head, the symbols and the elements of a board, each as one part.

    Joined they are `svg(page=True, tray=False, last=last)`.
    """
    return _renderer(position.game.name, position.scene.colours).parts(position, last)


@dataclass(frozen=True, eq=False)
class Board:
    """What scenes share whose spots are at the same places."""

    captions: tuple[Caption, ...]
    areas: tuple[Area, ...]
    items: list[str]
    """The names of hands and choices."""
    layout: SceneLayout
    numbers: dict[str, int]
    """Of its spots by their names."""
    background: list[str]
    writing: list[str]

    def fits(self, scene: Scene, items: list[str]) -> bool:
        """Return whether this is the board of a scene whose spots are at its places."""
        return self.captions == scene.captions and self.areas == scene.areas and self.items == items


class PageRenderer:
    """Renders boards of one game in the colours of its players."""

    def __init__(self, game: str, colours: tuple[str, ...]) -> None:
        self._game = game
        self._colours = colours
        self._spots = SpotCache(game, colours, prefix="", page=True, turned=False)
        self._boards: dict[tuple[Place, ...], Board] = {}

    def parts(self, position: Position, last: tuple[Position, str] | None) -> list[str]:
        """Return the parts of a picture."""
        scene, spots = position.scene, self._spots.render_all(position.scene.spots)
        board = self._board(position, tuple(map(_PLACE, spots)))
        classes = marks.spot_classes(position, FrameOptions(last, page=True), tray=False)
        for name in classes.keys() & board.numbers.keys():
            number = board.numbers[name]
            spots[number] = self._spots.render(scene.spots[number], tuple(classes[name]))
        layers = [list(filter(None, column)) for column in zip(*map(_LAYERS, spots), strict=True)]
        layers[Layer.BACKGROUND][:0] = board.background
        if scene.groups:
            due = {spot.name for spot in scene.spots if "due" in spot.marks}
            badges = [marks.group_badge(group, board.layout, due) for group in scene.groups]
            layers[Layer.OVERLAY][:0] = badges
            layers[Layer.UNDERLAY] += [
                marks.group_outline(group, board.layout) for group in scene.groups
            ]
        layers[Layer.UNDERLAY] += board.writing
        if last is not None:
            moving = last_motions(last, board.layout)
            trails = marks.trails(moving, board.numbers.keys(), self._writer())
            layers[Layer.TRAILS] += [markup for _, markup in trails]
        used = frozenset().union(*{*map(_SYMBOLS, spots)}, *self._other_symbols(scene))
        return [
            opening_tag(position, board.layout.view_box, f" {PAGE_ATTRIBUTES}"),
            "<defs>",
            *symbols.definition_list(self._game, used, ""),
            "</defs>",
            *chain.from_iterable(layers),
            "</svg>",
        ]

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
        items = [hand.name for hand in scene.hands] + [choice.name for choice in scene.choices]
        found = self._boards.get(places)
        if found is None or not found.fits(scene, items):
            if len(self._boards) >= MAX_BOARDS:
                self._boards.clear()
            found = self._boards[places] = self._new_board(position, places, items)
        return found

    def _new_board(self, position: Position, places: tuple[Place, ...], items: list[str]) -> Board:
        scene = position.scene
        box = page_box(scene, turned=False, coordinates=True, tray=False)
        layout = layout_scene(position, box, turned=False, tray=False)
        background = [surface.background(area, self._writer(), layout) for area in scene.areas]
        writing = surface.captions(scene.captions, False, box.caption_scale)
        return Board(
            scene.captions,
            scene.areas,
            items,
            layout,
            {place.name: number for number, place in enumerate(places)},
            background,
            [markup for _, markup in writing],
        )


@lru_cache(maxsize=64)
def _renderer(game: str, colours: tuple[str, ...]) -> PageRenderer:
    return PageRenderer(game, colours)
