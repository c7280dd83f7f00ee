"""A position as SVG: a standalone picture, or a fragment for a page that links `board.css`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from operator import itemgetter

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.core.validate import check_int
from teahouse.draw import inline, marks, surface, symbols, themes
from teahouse.draw.animation import last_motions
from teahouse.draw.layout import BoundingBox, bounding_box, layout_scene, page_box
from teahouse.draw.pieces import SvgWriter, format_number
from teahouse.draw.spots import spot_cache
from teahouse.draw.style import Element, FrameOptions, Layer, RenderStyle
from teahouse.draw.tray import tray_markup

PAGE_ATTRIBUTES = 'class="board" role="group"'


def svg(
    position: Position,
    *,
    size: int | None = None,
    theme: str = "light",
    colours: str = "classic",
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
    """Return the board as SVG; `docs/drawing.md` describes the arguments."""
    if not all(letter.isalnum() or letter in "_-" for letter in prefix):
        raise OptionError(
            f"Invalid prefix {quoted(prefix)}; allowed are letters, digits, '-' and '_'."
        )
    theme, colours = themes.theme_name(theme), themes.palette_name(colours)
    style = RenderStyle(theme, colours, coordinates, turned, tray, prefix)
    frame = FrameOptions(last, tuple(selected), targets, hint, animate, page)
    scene = position.scene
    board = (
        page_box(scene, turned, coordinates, tray)
        if page
        else bounding_box([scene], turned, coordinates, tray)
    )
    elements, writer, view_box = render(position, style, frame, board)
    return document(position, elements, writer, style, view_box, size, page)


def document(
    position: Position,
    elements: Iterable[Element],
    writer: SvgWriter,
    style: RenderStyle,
    view_box: BoundingBox,
    size: int | None = None,
    page: bool = False,
    opaque: bool = True,
) -> str:
    """Return an SVG document of rendered elements; a standalone one has a style and background."""
    content = "".join(markup for _, markup in sorted(elements, key=itemgetter(0)))
    sizes = ""
    if size is not None:
        size = check_int("size", size, 1)
        sizes = f' width="{size}" height="{size * view_box.height / view_box.width:.0f}"'
    used = frozenset(writer.used_symbols)
    defs = symbols.definitions(position.game.name, used, style.prefix)
    if page:
        return (
            f"{opening_tag(position, view_box, f'{sizes} {PAGE_ATTRIBUTES}')}"
            f"<defs>{defs}</defs>{content}</svg>"
        )
    defs = themes.substitute(defs, style.theme, style.colours)
    scope = themes.scope_class(style.theme, style.colours)
    css = f"<style>{themes.standalone_css(style.theme, style.colours)}</style>"
    if opaque:
        corner = f'x="{format_number(view_box.left)}" y="{format_number(view_box.top)}"'
        content = f'<rect class="paper" {corner} width="100%" height="100%"/>{content}'
    attributes = f'{sizes} class="board {scope}" role="img"'
    return f"{opening_tag(position, view_box, attributes)}{css}<defs>{defs}</defs>{content}</svg>"


def opening_tag(position: Position, view_box: BoundingBox, attributes: str) -> str:
    """Return the opening tag of a picture."""
    edges = (view_box.left, view_box.top, view_box.width, view_box.height)
    label = escape(f"{position.game.title}: {position.status}")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="{" ".join(map(format_number, edges))}"{attributes} '
        f'data-game="{position.game.name}" aria-label="{label}">'
    )


def render(
    position: Position, style: RenderStyle, frame: FrameOptions, board: BoundingBox
) -> tuple[list[Element], SvgWriter, BoundingBox]:
    """Return a frame's elements, the writer with the symbols they use, and the view box."""
    scene = position.scene
    writer = SvgWriter(symbols.symbols(position.game.name), scene.colours, style.prefix)
    layout = layout_scene(position, board, style.turned, style.tray)
    moving = last_motions(frame.last, layout) if frame.last else ()
    classes = marks.spot_classes(position, frame, style.tray)
    elements: list[Element] = [
        (Layer.BACKGROUND, surface.background(area, writer, layout)) for area in scene.areas
    ]
    cache = spot_cache(position.game.name, scene.colours, style.prefix, frame.page, style.turned)
    spots = cache.render_all(scene.spots)
    for index, spot in enumerate(scene.spots):
        if spot.name in classes:
            spots[index] = cache.render(spot, tuple(classes[spot.name]))
    writer.used_symbols.update(*{spot.used_symbols for spot in spots})
    if scene.groups:
        due = {spot.name for spot in scene.spots if "due" in spot.marks}
        elements += [
            (Layer.OVERLAY, marks.group_badge(group, layout, due)) for group in scene.groups
        ]
    elements += [element for spot in spots for element in spot.cell]
    if frame.animate or frame.time is not None:
        elements += surface.animated_pieces(scene, writer, layout, frame, moving)
    else:
        elements += [element for spot in spots for element in spot.pieces]
    elements += [element for spot in spots for element in spot.overlay]
    elements += [(Layer.UNDERLAY, marks.group_outline(group, layout)) for group in scene.groups]
    if frame.time is None:
        elements += marks.trails(moving, {spot.name for spot in scene.spots}, writer)
    if frame.hint is not None:
        elements += marks.hint_arrow(position.click_path(frame.hint), scene, layout)
    if style.coordinates:
        elements += surface.captions(scene.captions, layout.turned, board.caption_scale)
    if style.tray:
        tray = tray_markup(position, writer, layout, classes)
        elements += [(Layer.TRAY, markup) for markup in tray]
    elif frame.page:  # the page draws the tray with symbols of this picture
        for piece in inline.tray_pieces(scene):
            writer.piece_content(piece)
    return elements, writer, layout.view_box
