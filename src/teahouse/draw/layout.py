"""Where everything of a scene lies in a picture, in hundredths of a board unit."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from teahouse.core.position import Position
from teahouse.core.scene import Choice, Hand, Scene

UNIT = 100.0
MARGIN = 14.0
LEAST_WIDTH = 660.0  # room for what lies beside the smallest board
LEAST_BOARD = 500.0  # so that a board that grows begins smaller than its picture
PLAIN_WIDTH = 900.0  # of a picture whose writing has its plain size
NAME, STACK, ROW, LETTER = 34.0, 112.0, 74.0, 20.0  # sizes of what lies beside a board

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def scale(self) -> float:
        """How much larger than plain writing must be to stay legible when the picture is small."""
        return max(1.0, self.width / PLAIN_WIDTH)


@dataclass
class Layout:
    """The places of spots, hands and choices by their names, and the picture's edges."""

    board: Box
    """Around the board itself."""
    box: Box = field(init=False)
    """Around everything."""
    turned: bool
    tray: bool
    at: dict[str, Point] = field(default_factory=dict)
    widths: dict[str, float] = field(default_factory=dict)
    """Of choices."""
    seats: list[tuple[Point, tuple[int, ...]]] = field(default_factory=list)
    """Where the names of the players of each team begin."""

    def place(self, x: float, y: float) -> Point:
        """A point of the board in the picture."""
        return (-UNIT * x, -UNIT * y) if self.turned else (UNIT * x, UNIT * y)


def bounds(scenes: Iterable[Scene], turned: bool, coordinates: bool, tray: bool) -> Box:
    """The edges of a board, or of a board as it grows."""
    xs: list[float] = []
    ys: list[float] = []
    least = LEAST_WIDTH if tray else LEAST_BOARD
    for scene in scenes:
        stacks = Counter(hand.player for hand in scene.hands).values()
        least = max(least, tray * len(stacks) * max(stacks, default=0) * STACK)
        for x, y, reach in _extents(scene, coordinates):
            xs += [x - reach, x + reach]
            ys += [y - reach, y + reach]
    sides = [UNIT * side for side in (min(xs), min(ys), max(xs), max(ys))]
    if turned:
        sides = [-sides[2], -sides[3], -sides[0], -sides[1]]
    wider = max(MARGIN, (least - (sides[2] - sides[0])) / 2)
    return Box(sides[0] - wider, sides[1] - MARGIN, sides[2] + wider, sides[3] + MARGIN)


def _extents(scene: Scene, coordinates: bool) -> Iterable[tuple[float, float, float]]:
    for area in scene.areas:
        for x, y in area.corners:
            yield x, y, area.radius
    for spot in scene.spots:
        if not spot.within:
            yield spot.x, spot.y, spot.size * (1.16 if spot.shape == "hex" else 1.0)
    if coordinates:
        for writing in scene.writings:
            yield writing.x, writing.y, 0.2


def lay_out(position: Position, board: Box, turned: bool, tray: bool) -> Layout:
    """Find a place for everything: the board, then seats with their hands, then choices."""
    scene = position.scene
    layout = Layout(board=board, turned=turned, tray=tray)
    for spot in scene.spots:
        layout.at[spot.name] = layout.place(spot.x, spot.y)
    bottom = board.bottom
    if tray:
        bottom = _lay_out_seats(position, layout, bottom)
        bottom = _lay_out_choices(scene.choices, layout, bottom)
    layout.box = Box(board.left, board.top, board.right, bottom)
    for hand in scene.hands:  # where pieces come from if it is not shown
        layout.at.setdefault(hand.name, ((board.left + board.right) / 2, board.bottom))
    for choice in scene.choices:
        layout.at.setdefault(choice.name, ((board.left + board.right) / 2, board.bottom))
    return layout


def _lay_out_seats(position: Position, layout: Layout, top: float) -> float:
    """A column for each team: its names, and its hands after or below them."""
    game, scale = position.game, layout.board.scale
    teams = game.teams
    width = layout.board.width / len(teams)
    hands = [_hands_of(position, team) for team in teams]
    names = [_name_width(position, team) for team in teams]
    rows = 1
    if any(
        name + STACK * len(stacks) > width / scale
        for name, stacks in zip(names, hands, strict=True)
    ):
        rows = 2
    for number, (team, stacks, name) in enumerate(zip(teams, hands, names, strict=True)):
        whole = (
            name + STACK * len(stacks) if rows == 1 else max(name, STACK * len(stacks))
        ) * scale
        left = layout.board.left + width * number + (width - whole) / 2
        middle = top + ROW * scale / 2
        layout.seats.append(((left, middle), team))
        if rows == 2:
            middle += 0.8 * ROW * scale
        else:
            left += name * scale
        for at, hand in enumerate(stacks):
            layout.at[hand.name] = (left + (at * STACK + 36) * scale, middle)
    return top + (1 + 0.8 * (rows - 1)) * ROW * scale


def _hands_of(position: Position, team: tuple[int, ...]) -> list[Hand]:
    return [hand for hand in position.scene.hands if hand.player in team]


def _name_width(position: Position, team: tuple[int, ...]) -> float:
    """The width of a team's names, each after a dot of its colour."""
    return sum(len(position.game.players[player]) * LETTER + 56 for player in team)


def _lay_out_choices(choices: tuple[Choice, ...], layout: Layout, top: float) -> float:
    """Buttons side by side under everything."""
    if not choices:
        return top
    scale, gap = layout.board.scale, 20.0
    widths = [
        40 + len(choice.label) * LETTER * 0.86 + (60 if choice.pieces else 0) for choice in choices
    ]
    whole = sum(widths) + gap * (len(choices) - 1)
    left = (layout.board.left + layout.board.right) / 2 - whole * scale / 2
    for choice, width in zip(choices, widths, strict=True):
        layout.at[choice.name] = (left + width * scale / 2, top + 46 * scale)
        layout.widths[choice.name] = width * scale
        left += (width + gap) * scale
    return top + 96 * scale


def distance(one: Point, other: Point) -> float:
    """How far apart two points are."""
    return math.hypot(one[0] - other[0], one[1] - other[1])
