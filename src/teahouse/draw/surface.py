"""A board and what stands on it, as markup."""

from html import escape

from teahouse.core.scene import Area, Piece, Scene, Spot
from teahouse.draw.animation import Motion
from teahouse.draw.layout import UNIT, Layout, Point
from teahouse.draw.pieces import Pen, leaving, moved, moving, number
from teahouse.draw.style import (
    CELLS,
    FLAT,
    GROUND,
    ON_ITS_WAY,
    PIECES,
    TRAVELLERS,
    UNDER,
    Element,
    Shown,
)


def area(area: Area, pen: Pen, layout: Layout) -> str:
    """A part of the ground, with light falling on it."""
    points = [layout.place(x, y) for x, y in area.corners]
    pen.used.add("slope")
    light = f'fill="url(#{pen.prefix}slope)" fill-opacity=".55"'
    if area.radius:
        (x, y), radius = points[0], number(UNIT * area.radius)
        shape = f'<circle cx="{number(x)}" cy="{number(y)}" r="{radius}" {{}}/>'
    else:
        corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        shape = f'<polygon points="{corners}" {{}}/>'
    return shape.format(f'class="area {area.kind}"') + shape.format(light)


def ground(spot: Spot, pen: Pen, at: Point) -> list[Element]:
    """A spot without what stands there."""
    scale = 2 * spot.size
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
    sign = ""
    if emblem in pen.shapes:
        sign = pen.use(emblem, 'class="emblem" transform="translate(18.4 -44.4) scale(.34)"')
    return (
        f'<g class="owner {pen.colour(player)}" {place}><circle class="owner-top" r="46"/>'
        '<circle class="owner-halo" r="47" fill="none"/>'
        '<circle class="owner-ring" r="47" fill="none"/>'
        f'<circle class="owner-sign" cx="18.4" cy="-44.4" r="7"/>{sign}</g>'
    )


def standing(spot: Spot, pen: Pen, at: Point) -> list[Element]:
    """What stands on a spot."""
    return [
        (_layer(piece, pen), pen.piece(piece, spot.name, at, 2 * spot.size))
        for piece in spot.pieces
    ]


def _layer(piece: Piece, pen: Pen) -> int:
    return FLAT if pen.is_flat(piece) else PIECES


def moving_pieces(
    scene: Scene, pen: Pen, layout: Layout, shown: Shown, animations: tuple[Motion, ...]
) -> list[Element]:
    """What stands on the spots, and what is on its way."""
    elements = []
    left = [motion for motion in animations if motion.points]
    scales = {spot.name: 2 * spot.size for spot in scene.spots}
    for spot in scene.spots:
        for piece in spot.pieces:
            at, scale, extra = layout.at[spot.name], scales[spot.name], []
            layer = _layer(piece, pen)
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
                        layer += ON_ITS_WAY
                    break
            elements.append((layer, pen.piece(piece, spot.name, at, scale, extra)))
    gone = []
    for motion in left:
        scale = scales.get(motion.origin, 1.0)
        if shown.moment is None:
            extra = [
                ' visibility="hidden"',
                leaving(motion, motion.points[-1], scale, shown.clock),
            ]
            at = motion.points[-1]
        elif shown.moment < motion.end and motion.way != "turn":
            extra, at = [], motion.at(shown.moment)
        else:
            continue
        layer = TRAVELLERS if shown.moment is None else TRAVELLERS + ON_ITS_WAY
        gone.append((layer, pen.piece(motion.piece, motion.target, at, scale, extra)))
    return gone + elements  # what comes passes over what goes
