"""Marks over a board: what can be pointed at, what was last, what is hinted at or due."""

from collections.abc import Iterable, Sequence
from html import escape

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.position import Position
from teahouse.core.scene import Group, Scene, Spot
from teahouse.draw.animation import Motion
from teahouse.draw.layout import Layout, Point, distance
from teahouse.draw.pieces import Pen, moved, number
from teahouse.draw.style import OVER, SPOTS, TRAILS, Element, Shown

Pointed = dict[str, list[str]]
"""For spots and choices the classes that say what they are to the pointing player."""


def pointed(position: Position, shown: Shown) -> Pointed:
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
    click_paths = [way for move in position.legal for way in position.click_paths(move)]
    following = {way[len(chosen)] for way in click_paths if way[: len(chosen)] == chosen}
    show = bool(chosen) if shown.targets is None else shown.targets
    for name in following if show else ():
        found.setdefault(name, []).append("target")
    for choice in scene.choices:
        if choice.name not in following and choice.name not in chosen:
            found.setdefault(choice.name, []).append("idle")
    if shown.hint is not None:
        for name in position.click_path(shown.hint):
            found.setdefault(name, []).append("hint")
    if shown.last is not None:
        before, move = shown.last
        for name in before.click_path(move):
            found.setdefault(name, []).append("last")
    return found


def pointable(spot: Spot, pen: Pen, at: Point, classes: Sequence[str], page: bool) -> list[Element]:
    """Where one points at a spot, and what it is to who points."""
    if "due" in spot.marks:
        classes = [name for name in classes if name != "last"]  # one ring is enough
    if not page and not classes:
        return []
    taken = ["taken"] if spot.pieces or spot.kind == "table" else []
    within = f' data-within="{escape(spot.within)}"' if spot.within else ""
    scale = 2 * spot.size
    hit = pen.use(spot.shape, 'class="hit"')
    taken += ["large"] if scale > 2 else []
    radius = number(50 - 12 / scale if taken else 13)
    return [
        (
            SPOTS,
            f'<g class="{" ".join(["spot", spot.kind, *taken, *classes])}" '
            f'data-spot="{escape(spot.name)}"{within} '
            f'role="img" aria-label="{escape(spot.label)}" '
            f"{moved(at, scale)}>"
            f'{hit}<circle class="dot" r="{radius}"/></g>',
        )
    ]


def arrow(steps: Sequence[str], scene: Scene, layout: Layout) -> list[Element]:
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


def trails(animations: tuple[Motion, ...], scene: Scene, pen: Pen) -> list[Element]:
    """The ways that one or two pieces have gone over the board."""
    names = {spot.name for spot in scene.spots}
    click_paths = [
        motion.points
        for motion in animations
        if {motion.origin, motion.target} <= names
        and len(motion.points) > 1
        and not pen.is_flat(motion.piece)
    ]
    if len(click_paths) > 2:
        return []
    return [
        (TRAILS, f'<path class="{name}" d="{_line(points)}"/>')
        for points in click_paths
        for name in ("trail-halo", "trail")
    ]


def _line(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)


def band(group: Group, layout: Layout) -> str:
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


def badge(group: Group, layout: Layout) -> str:
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


def signs(spot: Spot, pen: Pen, at: Point) -> list[Element]:
    """What must happen at a spot, over what stands there."""
    if "due" not in spot.marks:
        return []
    name = "due-square" if spot.shape == "square" else "due"
    return [(OVER, pen.use(name, moved(at, 2 * spot.size)))]
