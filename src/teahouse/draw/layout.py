"""Coordinates of everything in a picture, in hundredths of a board unit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from teahouse.core.position import Position
from teahouse.core.scene import Choice, Hand, Scene

UNIT = 100.0
MARGIN = 14.0
MIN_TRAY_WIDTH = 660.0  # room for the tray below the smallest board
MIN_BOARD_WIDTH = 500.0  # so that a growing board starts smaller than its picture
SNAP = 1.5 * UNIT  # steps in which a growing board grows on a page
BASE_WIDTH = 900.0  # width of a picture whose text has its nominal size
CAPTION = 0.2  # half the width of a caption, in board units
NAME_SIZE, STACK_WIDTH, ROW_HEIGHT, LETTER_WIDTH = 34.0, 112.0, 74.0, 20.0  # of the tray

Point = tuple[float, float]
Extent = tuple[float, float, float, float]
"""Left, top, right and bottom edge."""


@dataclass(frozen=True)
class BoundingBox:
    """An axis-aligned rectangle."""

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
    def text_scale(self) -> float:
        """Return the factor that keeps text legible when a large picture is shown small."""
        return max(1.0, self.width / BASE_WIDTH)

    @property
    def caption_scale(self) -> float:
        """Return the factor of captions, which stay small beside the board."""
        return min(self.text_scale, 1.25)

    def rounded(self) -> BoundingBox:
        """Return the box as pictures write it: corner, width and height with one decimal."""
        left, top = round(self.left, 1), round(self.top, 1)
        return BoundingBox(left, top, left + round(self.width, 1), top + round(self.height, 1))

    def snapped(self) -> BoundingBox:
        """Return the smallest box around this one whose sides lie on a coarse grid."""
        return BoundingBox(
            SNAP * math.floor(self.left / SNAP),
            SNAP * math.floor(self.top / SNAP),
            SNAP * math.ceil(self.right / SNAP),
            SNAP * math.ceil(self.bottom / SNAP),
        )


@dataclass
class SceneLayout:
    """Anchor points of spots, hands and choices by name, and the view box."""

    board: BoundingBox
    """Around the board only."""
    view_box: BoundingBox = field(init=False)
    """Around board and tray."""
    turned: bool
    tray: bool
    anchors: dict[str, Point] = field(default_factory=dict)
    choice_widths: dict[str, float] = field(default_factory=dict)
    team_labels: list[tuple[Point, tuple[int, ...]]] = field(default_factory=list)
    """Start of each team's player names, with the team's players."""

    def project(self, x: float, y: float) -> Point:
        """Convert board coordinates to picture coordinates."""
        return (-UNIT * x, -UNIT * y) if self.turned else (UNIT * x, UNIT * y)


def bounding_box(
    scenes: Iterable[Scene], turned: bool, coordinates: bool, tray: bool
) -> BoundingBox:
    """Return the bounding box of a board over all given scenes."""
    extents: list[Extent] = []
    min_width = MIN_TRAY_WIDTH if tray else MIN_BOARD_WIDTH
    for scene in scenes:
        if tray:
            stacks = Counter(hand.player for hand in scene.hands).values()
            min_width = max(min_width, len(stacks) * max(stacks, default=0) * STACK_WIDTH)
        extents += _extents(scene, coordinates)
    lefts, tops, rights, bottoms = zip(*extents, strict=True)
    sides = [UNIT * side for side in (min(lefts), min(tops), max(rights), max(bottoms))]
    if turned:
        sides = [-sides[2], -sides[3], -sides[0], -sides[1]]
    padding = max(MARGIN, (min_width - (sides[2] - sides[0])) / 2)
    return BoundingBox(sides[0] - padding, sides[1] - MARGIN, sides[2] + padding, sides[3] + MARGIN)


def page_box(scene: Scene, turned: bool, coordinates: bool, tray: bool) -> BoundingBox:
    """Return the bounding box of a board on a page: one that grows moves in few, large steps."""
    board = bounding_box([scene], turned, coordinates, tray)
    return board.snapped() if any(spot.kind == "free" for spot in scene.spots) else board


def _extents(scene: Scene, coordinates: bool) -> list[Extent]:
    """Return the edges of everything on the board."""
    extents = [spot.extent for spot in scene.spots if not spot.within]
    extents += [
        (x - area.radius, y - area.radius, x + area.radius, y + area.radius)
        for area in scene.areas
        for x, y in area.corners
    ]
    if coordinates:
        extents += [
            (one.x - CAPTION, one.y - CAPTION, one.x + CAPTION, one.y + CAPTION)
            for one in scene.captions
        ]
    return extents


def layout_scene(position: Position, board: BoundingBox, turned: bool, tray: bool) -> SceneLayout:
    """Place the board, then seats with their hands, then choices."""
    scene = position.scene
    layout = SceneLayout(board=board, turned=turned, tray=tray)
    unit = -UNIT if turned else UNIT
    layout.anchors = {spot.name: (unit * spot.x, unit * spot.y) for spot in scene.spots}
    bottom = board.bottom
    if tray:
        bottom = _layout_seats(position, layout, bottom)
        bottom = _layout_choices(scene.choices, layout, bottom)
    layout.view_box = BoundingBox(board.left, board.top, board.right, bottom)
    off_board = ((board.left + board.right) / 2, board.bottom)  # without a tray
    for name in [hand.name for hand in scene.hands] + [choice.name for choice in scene.choices]:
        layout.anchors.setdefault(name, off_board)
    return layout


def _layout_seats(position: Position, layout: SceneLayout, top: float) -> float:
    """Place a column per team: names, with hands after or below them; return the lower edge."""
    teams, scale = position.game.teams, layout.board.text_scale
    column_width = layout.board.width / len(teams)
    hands = [_team_hands(position, team) for team in teams]
    name_widths = [_names_width(position, team) for team in teams]
    rows = 1
    if any(
        name_width + STACK_WIDTH * len(stacks) > column_width / scale
        for name_width, stacks in zip(name_widths, hands, strict=True)
    ):
        rows = 2
    for index, (team, stacks, name_width) in enumerate(zip(teams, hands, name_widths, strict=True)):
        stacks_width = STACK_WIDTH * len(stacks)
        width = (name_width + stacks_width if rows == 1 else max(name_width, stacks_width)) * scale
        left = layout.board.left + column_width * index + (column_width - width) / 2
        middle = top + ROW_HEIGHT * scale / 2
        layout.team_labels.append(((left, middle), team))
        if rows == 2:
            middle += 0.8 * ROW_HEIGHT * scale
        else:
            left += name_width * scale
        for place, hand in enumerate(stacks):
            layout.anchors[hand.name] = (left + (place * STACK_WIDTH + 36) * scale, middle)
    return top + (1 + 0.8 * (rows - 1)) * ROW_HEIGHT * scale


def _team_hands(position: Position, team: tuple[int, ...]) -> list[Hand]:
    return [hand for hand in position.scene.hands if hand.player in team]


def _names_width(position: Position, team: tuple[int, ...]) -> float:
    """Return the width of a team's names, each after a turn marker."""
    return sum(len(position.game.players[player]) * LETTER_WIDTH + 56 for player in team)


def _layout_choices(choices: tuple[Choice, ...], layout: SceneLayout, top: float) -> float:
    """Place buttons in one centred line; return the lower edge."""
    if not choices:
        return top
    scale, gap = layout.board.text_scale, 20.0
    widths = [
        40 + len(choice.label) * LETTER_WIDTH * 0.86 + (60 if choice.pieces else 0)
        for choice in choices
    ]
    total = sum(widths) + gap * (len(choices) - 1)
    left = (layout.board.left + layout.board.right) / 2 - total * scale / 2
    for choice, width in zip(choices, widths, strict=True):
        layout.anchors[choice.name] = (left + width * scale / 2, top + 46 * scale)
        layout.choice_widths[choice.name] = width * scale
        left += (width + gap) * scale
    return top + 96 * scale


def distance(one: Point, other: Point) -> float:
    """Return the Euclidean distance."""
    return math.hypot(one[0] - other[0], one[1] - other[1])
