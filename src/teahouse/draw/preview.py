"""What a move would do, as an overlay for the board that is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from teahouse.core.position import Position
from teahouse.core.scene import Piece, Spot
from teahouse.draw import marks, surface, symbols
from teahouse.draw.animation import Motion, motions
from teahouse.draw.layout import Point, bounding_box, layout_scene
from teahouse.draw.pieces import SvgWriter, transform
from teahouse.draw.style import Element, Layer

PREFIX = "preview-"
"""Of the overlay's ids, so that they differ from those of the board."""
MAX_TRAILS = 3


def preview_svg(position: Position, move: str) -> str:
    """Return a `<g>` for the board's coordinates that shows a move before it is played.

    It shows arriving pieces, those that leave the board, their paths, and spots that the move
    claims or where it makes a decision due. Its children can be flipped like those of the board.
    """
    after = position.play(move)
    scene = after.scene
    writer = SvgWriter(symbols.symbols(position.game.name), scene.colours, PREFIX)
    board = bounding_box([scene], turned=False, coordinates=False, tray=False)
    anchors = layout_scene(position, board, turned=False, tray=False).anchors
    anchors |= layout_scene(after, board, turned=False, tray=False).anchors
    before = {spot.name: spot for spot in position.scene.spots}
    moving = motions(position.animations(move), anchors)
    elements: list[Element] = []
    for spot in scene.spots:
        elements += _changes(before.get(spot.name), spot, writer, anchors[spot.name])
    left = {motion.origin for motion in moving if motion.target not in before}
    for spot in scene.spots:
        if spot.name in left and not _arrived(before.get(spot.name), spot):
            elements.append((Layer.OVERLAY, _cross(anchors[spot.name], 2 * spot.size)))
    elements += _trails(moving, before.keys())
    content = "".join(markup for _, markup in sorted(elements, key=lambda element: element[0]))
    defs = symbols.definitions(position.game.name, frozenset(writer.used_symbols), PREFIX)
    return f'<g class="preview" aria-hidden="true"><defs>{defs}</defs>{content}</g>'


def _changes(before: Spot | None, after: Spot, writer: SvgWriter, at: Point) -> list[Element]:
    """Return what a move brings to a spot: pieces, an owner, a pending decision."""
    scale = 2 * after.size
    arrived, replaced = _arrived(before, after), _arrived(after, before) if before else []
    elements: list[Element] = []
    if {piece.kind for piece in arrived} & {piece.kind for piece in replaced}:
        elements += surface.cell(after, writer, at)  # or both colours would shine through
    elements += [
        (surface.piece_layer(piece, writer), writer.piece(piece, after.name, at, scale))
        for piece in (after.pieces if elements else arrived)
    ]
    if after.owner is not None and (before is None or before.owner != after.owner):
        elements.append(
            (Layer.CELLS, surface.owner_ring(after.owner, writer, transform(at, scale)))
        )
    if before is None or "due" not in before.marks:
        elements += marks.due_marker(after, writer, at)
    return elements


def _arrived(before: Spot | None, after: Spot) -> list[Piece]:
    """Return the pieces of a spot that were not there before, from the bottom up."""
    arrived = Counter(after.pieces) - Counter(before.pieces if before else ())
    return [piece for piece in after.pieces if piece in arrived]


def _trails(motions: Iterable[Motion], spots: Container[str]) -> list[Element]:
    """Return the paths of pieces over the board, if there are at most `MAX_TRAILS`."""
    paths = {
        frozenset((motion.origin, motion.target)): motion.points
        for motion in motions
        if motion.origin in spots and motion.target in spots and len(motion.points) > 1
    }
    if len(paths) > MAX_TRAILS:
        return []
    return [
        (Layer.TRAILS, f'<path class="{name}" d="{marks.polyline(points)}"/>')
        for points in paths.values()
        for name in ("trail-halo", "trail")
    ]


def _cross(at: Point, scale: float) -> str:
    """Return the mark of a piece that leaves the board."""
    return f'<path class="leaves" {transform(at, scale)} d="M-28-28 28 28M28-28-28 28"/>'
