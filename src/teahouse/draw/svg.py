"""A position as a picture: SVG that stands alone, or goes into a page that links `board.css`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.position import Position
from teahouse.core.scene import Area, Group, Piece, Scene, Spot
from teahouse.draw import shapes, themes
from teahouse.draw.layout import Box, Layout, Point, bounds, distance, lay_out
from teahouse.draw.motion import Motion, motions
from teahouse.draw.pieces import Pen, leaving, moved, moving, number
from teahouse.draw.tray import tray

if TYPE_CHECKING:
    pass

GROUND, CELLS, UNDER, FLAT, TRAILS, PIECES, TRAVELLERS, OVER, SPOTS, BESIDE = range(10)
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


def svg(
    position: Position,
    *,
    size: int | None = None,
    theme: str = "paper",
    colours: str = "tea",
    last: tuple[Position, str] | None = None,
    selected: Sequence[str] = (),
    targets: bool | None = None,
    hint: str | None = None,
    coordinates: bool = True,
    turned: bool = False,
    tray: bool = True,
    animate: bool = False,
    page: bool = False,
    prefix: str = "",
) -> str:
    """The board as SVG; `docs/drawing.md` says what each argument shows."""
    if not all(letter.isalnum() or letter in "_-" for letter in prefix):
        raise OptionError(f"a prefix is letters, digits, - and _, not {quoted(prefix)}")
    look = Look(theme, colours, coordinates, turned, tray, prefix)
    shown = Shown(last, tuple(selected), targets, hint, animate, page)
    board = bounds([position.scene], turned, coordinates)
    elements, pen, box = picture(position, look, shown, board)
    inside = "".join(markup for _, markup in sorted(elements, key=lambda element: element[0]))
    return whole(position, inside, pen, look, box, size, page)


def whole(
    position: Position, inside: str, pen: Pen, look: Look, box: Box, size: int | None, page: bool
) -> str:
    """A picture around what is drawn."""
    edges = " ".join(map(number, (box.left, box.top, box.width, box.height)))
    sizes = "" if size is None else f' width="{size}" height="{size * box.height / box.width:.0f}"'
    defined = shapes.definitions(position.game.name, pen.used, look.prefix)
    said = f'aria-label="{escape(f"{position.game.title}: {position.scene.prompt}")}"'
    game = f'data-game="{position.game.name}"'
    if page:
        head, style = f'class="board" role="group" {game} {said}', ""
    else:
        head = f'class="board" role="img" {game} {said}'
        style = f"<style>{themes.filled(look.theme, look.colours)}</style>"
        paper = f'x="{number(box.left)}" y="{number(box.top)}" width="100%" height="100%"'
        inside = f'<rect class="paper" {paper}/>{inside}'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{edges}"{sizes} {head}>'
        f"{style}<defs>{defined}</defs>{inside}</svg>"
    )


def picture(
    position: Position, look: Look, shown: Shown, board: Box
) -> tuple[list[Element], Pen, Box]:
    """Everything that is drawn, in layers; the pen that drew it; and the edges."""
    scene = position.scene
    known = shapes.shapes(position.game.name)
    pen = Pen(known, scene.colours, look.prefix)
    layout = lay_out(position, board, look.turned, look.tray)
    travels: tuple[Motion, ...] = ()
    if shown.last is not None:
        before, move = shown.last
        layout.at = lay_out(before, board, look.turned, look.tray).at | layout.at
        travels = motions(before.travels(move), layout.at)
    pointed = _pointed(position, shown)
    elements: list[Element] = [(GROUND, _area(area, layout)) for area in scene.areas]
    for spot in scene.spots:
        elements += _ground(spot, pen, layout)
    elements += [(UNDER, _band(group, scene, layout)) for group in scene.groups]
    elements += _pieces(scene, pen, layout, shown, travels)
    elements += [(OVER, _badge(group, layout)) for group in scene.groups]
    if shown.moment is None:
        elements += _trails(travels, layout, scene)
    for spot in scene.spots:
        elements += _signs(spot, pen, layout)
        elements += _pointable(spot, pen, layout, pointed, shown.page)
    if shown.hint is not None:
        elements += _arrow(position.steps(shown.hint), scene, layout)
    if look.coordinates:
        size = f'font-size="{number(30 * min(board.scale, 1.5))}"'
        for writing in scene.writings:
            x, y = layout.place(writing.x, writing.y)
            place = f'x="{number(x)}" y="{number(y)}"'
            text = escape(writing.text)
            elements.append((UNDER, f'<text class="writing" {place} {size}>{text}</text>'))
    if look.tray:
        elements += [(BESIDE, markup) for markup in tray(position, pen, layout, pointed)]
    elif shown.page:  # which shows them by itself, with the shapes of this picture
        for piece in beside(scene):
            pen.inside(piece)
    return elements, pen, layout.box


Pointed = dict[str, list[str]]
"""For spots and choices the classes that say what they are to the pointing player."""


def _pointed(position: Position, shown: Shown) -> Pointed:
    """What was pointed at, what can be next, what is hinted at and what was last."""
    found: Pointed = {}
    scene = position.scene
    names = {spot.name for spot in scene.spots} | {choice.name for choice in scene.choices}
    for name in shown.selected:
        if name not in names:
            raise OptionError(
                f"there is no spot {quoted(name)}; there are {listing(sorted(names))}"
            )
        found.setdefault(name, []).append("selected")
    chosen = tuple(shown.selected)
    ways = [way for move in position.legal for way in position.ways(move)]
    following = {way[len(chosen)] for way in ways if way[: len(chosen)] == chosen}
    show = bool(chosen) if shown.targets is None else shown.targets
    for name in following if show else ():
        found.setdefault(name, []).append("target")
    for choice in scene.choices:
        if choice.name not in following and choice.name not in chosen:
            found.setdefault(choice.name, []).append("idle")
    if shown.hint is not None:
        for name in position.steps(shown.hint):
            found.setdefault(name, []).append("hint")
    if shown.last is not None:
        before, move = shown.last
        for name in before.steps(move):
            found.setdefault(name, []).append("last")
    return found


def beside(scene: Scene) -> list[Piece]:
    """The pieces that lie beside the board."""
    hands = [hand.piece for hand in scene.hands]
    return hands + [piece for choice in scene.choices for piece in choice.pieces]


def small(position: Position, piece: Piece, prefix: str = "") -> str:
    """A piece alone, for a page that also shows the board, whose shapes it uses."""
    pen = Pen(shapes.shapes(position.game.name), position.scene.colours, prefix)
    return (
        f'<svg class="board small" viewBox="-56 -56 112 112" aria-hidden="true">'
        f'<g class="{pen.classes(piece)}">{pen.inside(piece)}</g></svg>'
    )


def _area(area: Area, layout: Layout) -> str:
    points = [layout.place(x, y) for x, y in area.corners]
    if area.radius:
        (x, y), radius = points[0], number(100 * area.radius)
        where = f'cx="{number(x)}" cy="{number(y)}" r="{radius}"'
        return f'<circle class="area {area.kind}" {where}/>'
    corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polygon class="area {area.kind}" points="{corners}"/>'


def _ground(spot: Spot, pen: Pen, layout: Layout) -> list[Element]:
    """A spot without what stands there."""
    at, scale = layout.at[spot.name], 2 * spot.size
    shape = f"ground-{spot.kind}"
    elements = []
    if "lit" in spot.marks and not spot.within:
        elements.append((GROUND, pen.use("glowing", f'class="glow" {moved(at, scale)}')))
    name = shape if shape in pen.shapes else spot.shape
    elements.append((CELLS, pen.use(name, f'class="cell {spot.kind}" {moved(at, scale)}')))
    if spot.owner is not None:
        elements.append((CELLS, _claim(spot.owner, pen, moved(at, scale))))
    if "barred" in spot.marks:
        elements.append((UNDER, pen.use("barred", moved(at, scale))))
    return elements


def _claim(player: int, pen: Pen, place: str) -> str:
    """The ring of who has claimed a spot, with the sign of their colour."""
    emblem = f"emblem-{pen.colours[player]}"
    sign = pen.use(emblem, 'class="emblem" transform="translate(0 -46) scale(.34)"')
    return (
        f'<g class="owner {pen.colour(player)}" {place}><circle class="owner-top" r="46"/>'
        '<circle class="owner-halo" r="47" fill="none"/>'
        '<circle class="owner-ring" r="47" fill="none"/>'
        f'<circle class="owner-sign" cy="-46" r="7"/>{sign if emblem in pen.shapes else ""}</g>'
    )


def _pieces(
    scene: Scene, pen: Pen, layout: Layout, shown: Shown, travels: tuple[Motion, ...]
) -> list[Element]:
    """What stands on the spots, and what is on its way."""
    elements = []
    moves = shown.animate or shown.moment is not None
    left = [motion for motion in travels if motion.points] if moves else []
    scales = {spot.name: 2 * spot.size for spot in scene.spots}
    for spot in scene.spots:
        for piece in spot.pieces:
            at, scale, extra = layout.at[spot.name], scales[spot.name], []
            layer = FLAT if pen.is_flat(piece) else PIECES
            for motion in left:
                same = motion.piece.kind == piece.kind and (
                    motion.way == "turn" or motion.piece.player == piece.player
                )
                if motion.target == spot.name and same:
                    if motion.way != "turn":
                        left.remove(motion)
                    layer, extra = (
                        TRAVELLERS - 2 * (layer == FLAT),
                        [f' data-from="{escape(motion.origin)}"'],
                    )
                    if shown.moment is None:
                        extra.append(moving(motion, at, scale, shown.clock))
                    elif motion.way != "turn":
                        at = motion.at(shown.moment)
                    break
            elements.append((layer, pen.piece(piece, spot.name, at, scale, extra)))
    for motion in left:
        scale = scales.get(motion.origin, 1.0)
        gone = pen.piece(
            motion.piece,
            motion.target,
            motion.points[-1] if shown.moment is None else motion.at(shown.moment),
            scale,
            () if shown.moment is not None else _gone(motion, scale, shown.clock),
        )
        if shown.moment is None or (shown.moment < motion.end and motion.way != "turn"):
            elements.append((TRAVELLERS, gone))
    return elements


def _gone(motion: Motion, scale: float, clock: str) -> list[str]:
    return [' visibility="hidden"', leaving(motion, motion.points[-1], scale, clock)]


def _trails(travels: tuple[Motion, ...], layout: Layout, scene: Scene) -> list[Element]:
    """The ways that one or two pieces have gone over the board."""
    names = {spot.name for spot in scene.spots}
    ways = [
        motion.points
        for motion in travels
        if motion.origin in names and motion.target in names and len(motion.points) > 1
    ]
    if len(ways) > 2:
        return []
    return [
        (TRAILS, f'<path class="{name}" d="{_line(points)}"/>')
        for points in ways
        for name in ("trail-halo", "trail")
    ]


def _line(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def _band(group: Group, scene: Scene, layout: Layout) -> str:
    """A band that holds the spots of a group together."""
    places = [layout.at[name] for name in group.spots]
    near = [
        f"M{number(one[0])} {number(one[1])}L{number(other[0])} {number(other[1])}"
        for index, one in enumerate(places)
        for other in [one, *places[index + 1 :]]
        if distance(one, other) < 105
    ]
    way = "".join(near)
    return f'<path class="band" d="{way}"/><path class="band-inside" d="{way}"/>'


def _badge(group: Group, layout: Layout) -> str:
    """A group's letters, on the spot nearest to its middle."""
    places = [layout.at[name] for name in group.spots]
    middle = (
        sum(x for x, _ in places) / len(places),
        sum(y for _, y in places) / len(places),
    )
    at = min(places, key=lambda place: distance(place, middle))
    return (
        f'<g {moved(at)}><circle class="badge" r="25"/>'
        f'<text class="badge-text" y="11" font-size="32">{escape(group.text)}</text></g>'
    )


def _signs(spot: Spot, pen: Pen, layout: Layout) -> list[Element]:
    """What must happen at a spot, over what stands there."""
    if "due" not in spot.marks:
        return []
    name = "due-square" if spot.shape == "square" else "due"
    return [(OVER, pen.use(name, moved(layout.at[spot.name], 2 * spot.size)))]


def _pointable(spot: Spot, pen: Pen, layout: Layout, pointed: Pointed, page: bool) -> list[Element]:
    """Where one points at a spot, and what it is to who points."""
    hidden = ["last"] if "due" in spot.marks else []  # one ring is enough
    classes = [name for name in pointed.get(spot.name, []) if name not in ("idle", *hidden)]
    if not page and not classes:
        return []
    taken = ["taken"] if spot.pieces or spot.kind == "table" else []
    within = f' data-within="{escape(spot.within)}"' if spot.within else ""
    radius = 38 if taken else 13
    return [
        (
            SPOTS,
            f'<g class="{" ".join(["spot", spot.kind, *taken, *classes])}" '
            f'data-spot="{escape(spot.name)}"{within} aria-label="{escape(spot.label)}" '
            f"{moved(layout.at[spot.name], 2 * spot.size)}>"
            f'{pen.use(spot.shape, _HIT)}<circle class="dot" r="{radius}"/></g>',
        )
    ]


_HIT = 'class="hit"'


def _arrow(steps: Sequence[str], scene: Scene, layout: Layout) -> list[Element]:
    """An arrow along what a hint points at on the board."""
    names = {spot.name for spot in scene.spots}
    points = [layout.at[name] for name in steps if name in names]
    if len(points) < 2:
        return []
    (x, y), (to_x, to_y) = points[-2:]
    length = distance((x, y), (to_x, to_y)) or 1.0
    right, down = (to_x - x) / length, (to_y - y) / length
    tip = (to_x - 22 * right, to_y - 22 * down)
    sides = [
        (tip[0] - 30 * right + side * 20 * down, tip[1] - 30 * down - side * 20 * right)
        for side in (1, -1)
    ]
    line = f"{_line([points[-2], tip])}{_line([sides[0], tip, sides[1]])}"
    return [(SPOTS, f'<path class="arrow" d="{line}"/>')]
