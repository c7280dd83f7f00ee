"""A position as a picture: SVG that stands alone, or goes into a page that links `board.css`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.draw import inline, marks, shapes, surface, themes
from teahouse.draw.animation import Motion, motions
from teahouse.draw.layout import Box, bounds, lay_out
from teahouse.draw.pieces import Pen, number
from teahouse.draw.spots import drawn
from teahouse.draw.style import BESIDE, GROUND, OVER, UNDER, Element, Look, Shown
from teahouse.draw.tray import tray as lay_tray


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
    themes.scope(theme, colours)  # says so if there is none
    look = Look(theme, colours, coordinates, turned, tray, prefix)
    shown = Shown(last, tuple(selected), targets, hint, animate, page)
    board = bounds([position.scene], turned, coordinates, tray)
    elements, pen, box = picture(position, look, shown, board)
    return whole(position, elements, pen, look, box, size, page)


def whole(
    position: Position,
    elements: Iterable[Element],
    pen: Pen,
    look: Look,
    box: Box,
    size: int | None = None,
    page: bool = False,
    paper: bool = True,
) -> str:
    """A picture around what is drawn, on paper if it stands alone."""
    inside = "".join(markup for _, markup in sorted(elements, key=lambda element: element[0]))
    edges = " ".join(map(number, (box.left, box.top, box.width, box.height)))
    sizes = "" if size is None else f' width="{size}" height="{size * box.height / box.width:.0f}"'
    defined = shapes.definitions(position.game.name, frozenset(pen.used), look.prefix)
    if not page:
        defined = themes.fill(defined, look.theme, look.colours)
    said = f'aria-label="{escape(f"{position.game.title}: {position.scene.instruction}")}"'
    game = f'data-game="{position.game.name}"'
    if page:
        head, style = f'class="board" role="group" {game} {said}', ""
    else:
        own = themes.scope(look.theme, look.colours)
        head = f'class="board {own}" role="img" {game} {said}'
        style = f"<style>{themes.style(look.theme, look.colours)}</style>"
        if paper:
            edge = f'x="{number(box.left)}" y="{number(box.top)}" width="100%" height="100%"'
            inside = f'<rect class="paper" {edge}/>{inside}'
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
    animations: tuple[Motion, ...] = ()
    if shown.last is not None:
        before, move = shown.last
        layout.at = lay_out(before, board, look.turned, look.tray).at | layout.at
        animations = motions(before.animations(move), layout.at)
    pointed = marks.pointed(position, shown)
    elements: list[Element] = [(GROUND, surface.area(area, pen, layout)) for area in scene.areas]
    spots = [
        drawn(
            spot,
            layout.at[spot.name],
            position.game.name,
            scene.colours,
            look.prefix,
            tuple(pointed.get(spot.name, ())),
            shown.page,
        )
        for spot in scene.spots
    ]
    for spot in spots:
        elements += spot.ground
        pen.used |= spot.used
    elements += [(UNDER, marks.band(group, layout)) for group in scene.groups]
    if shown.animate or shown.moment is not None:
        elements += surface.moving_pieces(scene, pen, layout, shown, animations)
    else:
        elements += [element for spot in spots for element in spot.pieces]
    elements += [(OVER, marks.badge(group, layout)) for group in scene.groups]
    if shown.moment is None:
        elements += marks.trails(animations, scene, pen)
    elements += [element for spot in spots for element in spot.over]
    if shown.hint is not None:
        elements += marks.arrow(position.click_path(shown.hint), scene, layout)
    if look.coordinates:
        size = f'font-size="{number(30 * min(board.scale, 1.5))}"'
        for writing in scene.writings:
            x, y = layout.place(writing.x, writing.y)
            place = f'x="{number(x)}" y="{number(y)}"'
            text = escape(writing.text)
            elements.append((UNDER, f'<text class="writing" {place} {size}>{text}</text>'))
    if look.tray:
        elements += [(BESIDE, markup) for markup in lay_tray(position, pen, layout, pointed)]
    elif shown.page:  # which lays them out by itself, with the shapes of this picture
        for piece in inline.pieces(scene):
            pen.inside(piece)
    return elements, pen, layout.box
