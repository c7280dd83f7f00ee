"""The board and its pieces as markup."""

from functools import lru_cache
from html import escape

from teahouse.core.scene import Area, Caption, Piece, Scene, Spot
from teahouse.draw.animation import Motion
from teahouse.draw.layout import UNIT, Point, SceneLayout
from teahouse.draw.pieces import SvgWriter, arrival, departure, format_number, transform
from teahouse.draw.style import IN_FLIGHT, Element, FrameOptions, Layer


def background(area: Area, writer: SvgWriter, layout: SceneLayout) -> str:
    """Return a background area with a light gradient."""
    points = [layout.project(x, y) for x, y in area.corners]
    writer.used_symbols.add("slope")
    gradient = f'fill="url(#{writer.prefix}slope)" fill-opacity=".55"'
    if area.radius:
        (x, y), radius = points[0], format_number(UNIT * area.radius)
        shape = f'<circle cx="{format_number(x)}" cy="{format_number(y)}" r="{radius}" {{}}/>'
    else:
        corners = " ".join(f"{format_number(x)},{format_number(y)}" for x, y in points)
        shape = f'<polygon points="{corners}" {{}}/>'
    return shape.format(f'class="area {area.kind}"') + shape.format(gradient)


@lru_cache(maxsize=256)  # most boards have the same captions in every position
def captions(found: tuple[Caption, ...], turned: bool, text_scale: float) -> tuple[Element, ...]:
    """Return the texts that are not spots."""
    size = f'font-size="{format_number(28 * text_scale)}"'
    unit = -UNIT if turned else UNIT
    return tuple(
        (
            Layer.UNDERLAY,
            f'<text class="writing" x="{format_number(unit * one.x)}"'
            f' y="{format_number(unit * one.y)}" {size}>{escape(one.text)}</text>',
        )
        for one in found
    )


def cell(spot: Spot, writer: SvgWriter, at: Point) -> list[Element]:
    """Return a spot without its pieces."""
    scale = 2 * spot.size
    elements: list[Element] = []
    if "lit" in spot.marks and not spot.within:
        glow = writer.use("glowing", f'class="glow" {transform(at, scale)}')
        elements.append((Layer.BACKGROUND, glow))
    special = f"ground-{spot.kind}"
    name = special if special in writer.symbols else spot.shape
    shape = writer.use(name, f'class="cell {spot.kind}" {transform(at, scale)}')
    elements.append((Layer.CELLS, shape))
    if spot.owner is not None:
        elements.append((Layer.CELLS, owner_ring(spot.owner, writer, transform(at, scale))))
    if "barred" in spot.marks:
        elements.append((Layer.UNDERLAY, writer.use("barred", transform(at, scale))))
    return elements


def owner_ring(player: int, writer: SvgWriter, placement: str) -> str:
    """Return the ring around a claimed spot, with the emblem of its owner's colour."""
    name = f"emblem-{writer.colours[player]}"
    emblem = ""
    if name in writer.symbols:
        emblem = writer.use(name, 'class="emblem" transform="translate(18.4 -44.4) scale(.34)"')
    return (
        f'<g class="owner {writer.colour_class(player)}" {placement}>'
        '<circle class="owner-top" r="46"/>'
        '<circle class="owner-halo" r="47" fill="none"/>'
        '<circle class="owner-ring" r="47" fill="none"/>'
        f'<circle class="owner-sign" cx="18.4" cy="-44.4" r="7"/>{emblem}</g>'
    )


def resting_pieces(spot: Spot, writer: SvgWriter, at: Point) -> list[Element]:
    """Return the pieces of a spot without animation."""
    return [
        (piece_layer(piece, writer), writer.piece(piece, spot.name, at, 2 * spot.size))
        for piece in spot.pieces
    ]


def piece_layer(piece: Piece, writer: SvgWriter) -> Layer:
    """Return the layer of a piece: flat ones lie below the others."""
    return Layer.FLAT_PIECES if writer.is_flat(piece) else Layer.PIECES


def animated_pieces(
    scene: Scene,
    writer: SvgWriter,
    layout: SceneLayout,
    frame: FrameOptions,
    motions: tuple[Motion, ...],
) -> list[Element]:
    """Return all pieces of a scene with the animation of the last move.

    Without `frame.time` the pieces carry SMIL; with it they are drawn where they are at that time.
    """
    elements: list[Element] = []
    pending = [motion for motion in motions if motion.points]
    for spot in scene.spots:
        for piece in spot.pieces:
            motion = _arriving(piece, spot.name, pending)
            if motion is not None and motion.kind != "turn":
                pending.remove(motion)
            elements.append(_arriving_piece(piece, spot, writer, layout, frame, motion))
    scales = {spot.name: 2 * spot.size for spot in scene.spots}
    leaving = []
    for motion in pending:
        scale = scales.get(motion.origin, 1.0)
        if frame.time is None:
            at = motion.points[-1]
            animation = departure(motion, at, scale, frame.begin)
            hidden = ' visibility="hidden"'
            markup = writer.piece(motion.piece, motion.target, at, scale, hidden, animation)
            leaving.append((int(Layer.MOVING_PIECES), markup))
        elif frame.time < motion.end and motion.kind != "turn":
            markup = writer.piece(motion.piece, motion.target, motion.at(frame.time), scale)
            leaving.append((Layer.MOVING_PIECES + IN_FLIGHT, markup))
    return leaving + elements  # arriving pieces are drawn over leaving ones


def _arriving(piece: Piece, spot: str, pending: list[Motion]) -> Motion | None:
    """Return the motion that brings a piece to its spot; a turned piece changes its colour."""
    for motion in pending:
        if (
            motion.target == spot
            and motion.piece.kind == piece.kind
            and (motion.kind == "turn" or motion.piece.player == piece.player)
        ):
            return motion
    return None


def _arriving_piece(
    piece: Piece,
    spot: Spot,
    writer: SvgWriter,
    layout: SceneLayout,
    frame: FrameOptions,
    motion: Motion | None,
) -> Element:
    at, scale, layer = layout.anchors[spot.name], 2 * spot.size, int(piece_layer(piece, writer))
    if motion is None:
        return layer, writer.piece(piece, spot.name, at, scale)
    layer = Layer.TRAILS if layer == Layer.FLAT_PIECES else Layer.MOVING_PIECES
    origin, animation = f' data-from="{escape(motion.origin)}"', ""
    if frame.time is None:
        animation = arrival(motion, at, scale, frame.begin)
    elif motion.kind != "turn":
        at = motion.at(frame.time)
        layer += IN_FLIGHT
    return layer, writer.piece(piece, spot.name, at, scale, origin, animation)
