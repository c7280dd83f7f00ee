"""A position as SVG: a standalone picture, or a fragment for a page that links `board.css`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from operator import itemgetter

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.core.validate import check_int
from teahouse.draw import inline, marks, surface, symbols, themes
from teahouse.draw.animation import Motion, motions
from teahouse.draw.layout import BoundingBox, bounding_box, layout_scene
from teahouse.draw.pieces import SvgWriter, format_number
from teahouse.draw.spots import spot_cache, spot_layers
from teahouse.draw.style import Element, FrameOptions, Layer, RenderStyle
from teahouse.draw.tray import tray_markup


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
    elements, writer, view_box = render(position, style, frame, _board_box(position, style, page))
    return document(position, elements, writer, style, view_box, size, page)


def page_parts(position: Position, last: tuple[Position, str] | None) -> list[str]:
    """Return the board of a page in parts, of which consecutive positions share most.

    Joined they are `svg(page=True, tray=False, last=last)`.
    """
    style, frame = RenderStyle(tray=False), FrameOptions(last, page=True)
    elements, writer, view_box = render(position, style, frame, _board_box(position, style, True))
    return document_parts(position, elements, writer, style, view_box, page=True)


def _board_box(position: Position, style: RenderStyle, page: bool) -> BoundingBox:
    board = bounding_box([position.scene], style.turned, style.coordinates, style.tray)
    if page and any(spot.kind == "free" for spot in position.scene.spots):
        return board.snapped()  # a board that grows moves in few, large steps
    return board


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
    return "".join(document_parts(position, elements, writer, style, view_box, size, page, opaque))


def document_parts(
    position: Position,
    elements: Iterable[Element],
    writer: SvgWriter,
    style: RenderStyle,
    view_box: BoundingBox,
    size: int | None = None,
    page: bool = False,
    opaque: bool = True,
) -> list[str]:
    """Return the parts of a document: its head, symbols and elements."""
    content = [markup for _, markup in sorted(elements, key=itemgetter(0))]
    edges = (view_box.left, view_box.top, view_box.width, view_box.height)
    sizes = ""
    if size is not None:
        size = check_int("size", size, 1)
        sizes = f' width="{size}" height="{size * view_box.height / view_box.width:.0f}"'
    used = frozenset(writer.used_symbols)
    defs = symbols.definition_list(position.game.name, used, style.prefix)
    label = f'aria-label="{escape(f"{position.game.title}: {position.status}")}"'
    game = f'data-game="{position.game.name}"'
    if page:
        head, css = f'class="board" role="group" {game} {label}', ""
    else:
        defs = (themes.substitute("".join(defs), style.theme, style.colours),)
        scope = themes.scope_class(style.theme, style.colours)
        head = f'class="board {scope}" role="img" {game} {label}'
        css = f"<style>{themes.standalone_css(style.theme, style.colours)}</style>"
        if opaque:
            corner = f'x="{format_number(view_box.left)}" y="{format_number(view_box.top)}"'
            content.insert(0, f'<rect class="paper" {corner} width="100%" height="100%"/>')
    begin = (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="{" ".join(map(format_number, edges))}"{sizes} {head}>{css}'
    )
    return [begin, "<defs>", *defs, "</defs>", *content, "</svg>"]


def render(
    position: Position, style: RenderStyle, frame: FrameOptions, board: BoundingBox
) -> tuple[list[Element], SvgWriter, BoundingBox]:
    """Return a frame's elements, the writer with the symbols they use, and the view box."""
    scene = position.scene
    writer = SvgWriter(symbols.symbols(position.game.name), scene.colours, style.prefix)
    layout = layout_scene(position, board, style.turned, style.tray)
    moving: tuple[Motion, ...] = ()
    if frame.last is not None:
        before, move = frame.last
        animations = before.animations(move)
        if any(name not in layout.anchors for one in animations for name in one.path):
            previous = layout_scene(before, board, style.turned, style.tray)
            layout.anchors = previous.anchors | layout.anchors
        moving = motions(animations, layout.anchors)
    classes = marks.spot_classes(position, frame, style.tray)
    elements: list[Element] = [
        (Layer.BACKGROUND, surface.background(area, writer, layout)) for area in scene.areas
    ]
    cache = spot_cache(position.game.name, scene.colours, style.prefix, frame.page)
    anchors = layout.anchors
    spots = [
        cache.render(spot, anchors[spot.name], tuple(classes[spot.name]))
        if spot.name in classes
        else cache.render_plain(spot, anchors[spot.name])
        for spot in scene.spots
    ]
    writer.used_symbols.update(*{spot.used_symbols for spot in spots})
    if scene.groups:
        due = {spot.name for spot in scene.spots if "due" in spot.marks}
        elements += [
            (Layer.OVERLAY, marks.group_badge(group, layout, due)) for group in scene.groups
        ]
    animated = frame.animate or frame.time is not None
    if frame.page and not animated:
        elements += spot_layers(spots)
    else:
        elements += [element for spot in spots for element in spot.cell]
        if animated:
            elements += surface.animated_pieces(scene, writer, layout, frame, moving)
        else:
            elements += [element for spot in spots for element in spot.pieces]
        elements += [element for spot in spots for element in spot.overlay]
    elements += [(Layer.UNDERLAY, marks.group_outline(group, layout)) for group in scene.groups]
    if frame.time is None:
        elements += marks.trails(moving, scene, writer)
    if frame.hint is not None:
        elements += marks.hint_arrow(position.click_path(frame.hint), scene, layout)
    if style.coordinates:
        text_scale = min(board.text_scale, 1.25)
        elements += surface.captions(scene.captions, layout.turned, text_scale)
    if style.tray:
        tray = tray_markup(position, writer, layout, classes)
        elements += [(Layer.TRAY, markup) for markup in tray]
    elif frame.page:  # the page draws the tray with symbols of this picture
        for piece in inline.tray_pieces(scene):
            writer.piece_content(piece)
    return elements, writer, layout.view_box
