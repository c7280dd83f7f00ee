"""Marks over the board: selection, targets, last move, hint, groups and pending decisions."""

from collections.abc import Iterable, Sequence, Set
from html import escape

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.position import Position
from teahouse.core.scene import Group, Scene, Spot
from teahouse.draw.animation import Motion
from teahouse.draw.layout import Point, SceneLayout, distance
from teahouse.draw.pieces import SvgWriter, format_number, transform
from teahouse.draw.style import Element, FrameOptions, Layer

SpotClasses = dict[str, list[str]]
"""CSS classes of spots and choices: selected, target, idle, hint, last."""


def spot_classes(position: Position, frame: FrameOptions, tray: bool) -> SpotClasses:
    """Return the classes of every spot that has any, and with the tray those of choices."""
    found: SpotClasses = {}
    scene = position.scene
    selected = tuple(frame.selected)
    if selected:
        names = {spot.name for spot in scene.spots} | {choice.name for choice in scene.choices}
        for name in selected:
            if name not in names:
                raise OptionError(f"Unknown spot {quoted(name)}; spots: {listing(sorted(names))}.")
            found.setdefault(name, []).append("selected")
    show_targets = bool(selected) if frame.targets is None else frame.targets
    if show_targets or tray:
        targets = position.targets(selected)
        for name in targets if show_targets else ():
            found.setdefault(name, []).append("target")
        for choice in scene.choices:
            if choice.name not in targets and choice.name not in selected:
                found.setdefault(choice.name, []).append("idle")
    if frame.hint is not None:
        for name in position.click_path(frame.hint):
            found.setdefault(name, []).append("hint")
    if frame.last is not None:
        before, move = frame.last
        for name in before.click_path(move):
            found.setdefault(name, []).append("last")
    return found


def hit_area(
    spot: Spot, writer: SvgWriter, at: Point, classes: Sequence[str], page: bool
) -> list[Element]:
    """Return the clickable area of a spot with its state; a still picture needs only the state."""
    if "due" in spot.marks:
        classes = [name for name in classes if name != "last"]  # one ring is enough
    if not page and not classes:
        return []
    flags = ["taken"] if spot.pieces or spot.kind == "table" else []
    within = f' data-within="{escape(spot.within)}"' if spot.within else ""
    scale = 2 * spot.size
    hit = writer.use(spot.shape, 'class="hit"')
    flags += ["large"] if scale > 2 else []
    radius = format_number(50 - 12 / scale if flags else 13)
    return [
        (
            Layer.HIT_AREAS,
            f'<g class="{" ".join(["spot", spot.kind, *flags, *classes])}" '
            f'data-spot="{escape(spot.name)}"{within} '
            f'role="img" aria-label="{escape(spot.label)}" '
            f"{transform(at, scale)}>"
            f'{hit}<circle class="dot" r="{radius}"/></g>',
        )
    ]


def hint_arrow(click_path: Sequence[str], scene: Scene, layout: SceneLayout) -> list[Element]:
    """Return an arrow between the last two spots of a hinted move."""
    names = {spot.name for spot in scene.spots}
    points = [layout.anchors[name] for name in click_path if name in names]
    if len(points) < 2:
        return []
    (x, y), (to_x, to_y) = points[-2:]
    length = distance((x, y), (to_x, to_y)) or 1.0
    right, down = (to_x - x) / length, (to_y - y) / length
    tip = (to_x - 22 * right, to_y - 22 * down)
    barbs = [
        (tip[0] - 30 * right + side * 20 * down, tip[1] - 30 * down - side * 20 * right)
        for side in (1, -1)
    ]
    line = f"{polyline([points[-2], tip])}{polyline([barbs[0], tip, barbs[1]])}"
    return [(Layer.HIT_AREAS, f'<path class="arrow" d="{line}"/>')]


def trails(motions: tuple[Motion, ...], names: Set[str], writer: SvgWriter) -> list[Element]:
    """Return the paths of the last move's pieces between named spots, if at most two moved."""
    paths = [
        motion.points
        for motion in motions
        if {motion.origin, motion.target} <= names
        and len(motion.points) > 1
        and not writer.is_flat(motion.piece)
    ]
    if len(paths) > 2:
        return []
    return [
        (Layer.TRAILS, f'<path class="{name}" d="{polyline(points)}"/>')
        for points in paths
        for name in ("trail-halo", "trail")
    ]


def polyline(points: Iterable[Point]) -> str:
    """Return the path data of straight lines through points."""
    return "M" + "L".join(f"{format_number(x)} {format_number(y)}" for x, y in points)


def group_outline(group: Group, layout: SceneLayout) -> str:
    """Return a thick line that connects neighbouring spots of a group."""
    points = [layout.anchors[name] for name in group.spots]
    path = "".join(
        polyline([one, other])
        for index, one in enumerate(points)
        for other in [one, *points[index + 1 :]]
        if distance(one, other) < 105
    )
    return f'<path class="band" d="{path}"/><path class="band-inside" d="{path}"/>'


def group_badge(group: Group, layout: SceneLayout, due: Set[str]) -> str:
    """Return a group's text on the spot nearest to its centroid, on one that is not due if any."""
    points = [layout.anchors[name] for name in group.spots]
    free = [layout.anchors[name] for name in group.spots if name not in due]
    centroid = (
        sum(x for x, _ in points) / len(points),
        sum(y for _, y in points) / len(points),
    )
    at = min(free or points, key=lambda point: distance(point, centroid))
    return (
        f'<g {transform(at)}><circle class="badge" r="25"/>'
        f'<text class="badge-text" y="11" font-size="32">{escape(group.text)}</text></g>'
    )


def due_marker(spot: Spot, writer: SvgWriter, at: Point) -> list[Element]:
    """Return the marker of a pending decision, drawn over the pieces."""
    if "due" not in spot.marks:
        return []
    name = "due-square" if spot.shape == "square" else "due"
    return [(Layer.OVERLAY, writer.use(name, transform(at, 2 * spot.size)))]
