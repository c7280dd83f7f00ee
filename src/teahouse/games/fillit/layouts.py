"""Fillit's modes, and the boards that games start from: drawings, and their reading and checking.

A drawing has a line for each row, from the top, with the row's letter (or no letters at all) and a
sign for each cell: `.` for nothing, `#` for the wall, a capital letter for a pawn on a chip of its
side, a small one for a stone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.errors import listing, quoted

FILE = Path(__file__).with_name("layouts.txt")
NAMES = ("A", "B")
EMPTY, WALL = ".", "#"
TOP_ROWS = "gi"  # letters that are no stones, so a drawing that begins with one has them all
LONGEST = 10_000  # characters of a drawing; more than that is something else


@dataclass(frozen=True)
class Mode:
    """The players, board and equipment of a mode."""

    title: str
    board: int
    """Cells along each edge."""
    players: tuple[str, ...]
    """The seats in turn order."""
    sides: tuple[tuple[int, ...], ...]
    """The seats that share chips and stones; the first of them gives these their colour."""
    chips: int
    stones: int
    symmetries: tuple[tuple[str, str, str], ...]
    """How the house's layouts look the same: moved so, these signs become those."""

    @property
    def pawn_letters(self) -> str:
        """The signs of the seats' pawns."""
        return "".join(player[0] for player in self.players)

    @property
    def stone_letters(self) -> str:
        """The signs of the sides' stones."""
        return "".join(self.players[side[0]][0].lower() for side in self.sides)


_TWO = ("Red", "Blue"), ((0,), (1,))
_THREE = ("Red", "Yellow", "Blue"), ((0,), (1,), (2,))
_FOUR = ("Red", "Blue", "Yellow", "Green"), ((0, 2), (1, 3))
_HALF_TURN = (("half turn", "RBrb", "BRbr"),)
_THIRD_TURN = (("third of a turn", "RYBryb", "YBRybr"),)
_HALF_TURN_AND_MIRROR = (
    ("half turn", "RYBGrb", "YRGBrb"),
    ("mirror", "RBYGrb", "BRGYbr"),
)
MODES = {
    "2": Mode("2 players, large board", 5, *_TWO, chips=25, stones=4, symmetries=_HALF_TURN),
    "3": Mode("3 players, large board", 5, *_THREE, chips=18, stones=3, symmetries=_THIRD_TURN),
    "teams": Mode(
        "2 teams of two, large board",
        5,
        *_FOUR,
        chips=25,
        stones=4,
        symmetries=_HALF_TURN_AND_MIRROR,
    ),
    "2mini": Mode("2 players, small board", 4, *_TWO, chips=14, stones=3, symmetries=_HALF_TURN),
    "3mini": Mode("3 players, small board", 4, *_THREE, chips=11, stones=2, symmetries=_THIRD_TURN),
}


def middle(board: int) -> int:
    """The cell of the wall."""
    return 3 * board * (board - 1) // 2


def opening(options: Mapping[str, Any]) -> str:
    """The sign of every cell at the start, in the order of the cells."""
    mode = options["mode"]
    return (
        signs(options["layout"], mode)
        if "\n" in options["layout"]
        else house(mode, options["layout"])
    )


@cache
def house(mode: str, name: str) -> str:
    """One of the layouts of the house: the signs of its cells."""
    try:
        found = signs(sections()[f"{mode} {name}"], mode)
    except ValueError as error:
        raise ValueError(f"{FILE.name}: layout {mode} {name}, {error}") from None
    for motion, before, after in MODES[mode].symmetries:
        changed = found.translate(str.maketrans(before, after))
        moved = moved_cells(MODES[mode].board, motion)
        if any(found[moved[cell]] != sign for cell, sign in enumerate(changed)):
            raise ValueError(f"{FILE.name}: a {motion} of layout {mode} {name} changes it")
    return found


@cache
def sections() -> dict[str, str]:
    """The drawings of the file by the headings above them."""
    parts = FILE.read_text(encoding="utf-8").split("\n[")[1:]
    return {heading: drawing for heading, _, drawing in (part.partition("]") for part in parts)}


@cache
def moved_cells(board: int, motion: str) -> tuple[int, ...]:
    """Where each cell comes to lie when the board is turned (clockwise) or mirrored (top down)."""
    points = hexgrid.points(board)
    index = {point: cell for cell, point in enumerate(points)}
    column, row = points[middle(board)]
    moved = []
    for x, y in points:
        # Steps to the east and to the north-east, counted from the middle.
        north_east = y - row
        east = (x - column - north_east) // 2
        if motion == "mirror":
            east, north_east = east + north_east, -north_east
        for _ in range({"half turn": 3, "third of a turn": 2, "mirror": 0}[motion]):
            east, north_east = east + north_east, -east  # a sixth of a turn
        moved.append(index[column + 2 * east + north_east, row + north_east])
    return tuple(moved)


def read_option(value: str) -> str:
    """A layout's name, or the drawing in a text or in the file of this path."""
    if value in NAMES or "\n" in value:
        return value
    try:
        if not Path(value).is_file():
            raise ValueError("there is no such file")
        with open(value, encoding="utf-8") as file:
            return file.read(LONGEST + 1) + "\n"
    except OSError:
        raise ValueError("the file cannot be read") from None


def check(options: dict[str, Any]) -> None:
    """See that the options go together, and write a drawn layout as the house does."""
    mode, first = options["mode"], options["first"]
    if first not in MODES[mode].players:
        raise ValueError(
            f"first is one of {listing(MODES[mode].players)} in mode {mode}, not {first}"
        )
    if options["layout"] not in NAMES:
        try:
            options["layout"] = drawn(signs(options["layout"], mode), MODES[mode].board)
        except ValueError as error:
            raise ValueError(f"layout, {error}") from None


def drawn(found: str, board: int) -> str:
    """The drawing of a board from the signs of its cells."""
    lines = []
    cell = 0
    for row in range(2 * board - 1):
        length = hexgrid.row_length(board, row)
        space = " " * (abs(board - 1 - row) + 1)
        lines.append(f"{_letter(row)}{space}{' '.join(found[cell : cell + length])}")
        cell += length
    return "\n".join(reversed(lines))


def signs(drawing: str, mode: str) -> str:
    """The signs of all cells of a drawing; a ValueError says in which line it is wrong, and how."""
    rules = MODES[mode]
    rows = 2 * rules.board - 1
    if len(drawing) > LONGEST:
        raise ValueError(f"line 1: more than {LONGEST} characters cannot be a board")
    lines = [(at, line.split()) for at, line in enumerate(drawing.splitlines(), 1) if line.strip()]
    lettered = bool(lines) and lines[0][1][0] in TOP_ROWS
    for row, (at, found) in zip(reversed(range(rows)), lines, strict=False):
        if lettered and found.pop(0) != _letter(row):
            raise ValueError(f"line {at}: row {_letter(row)} is due; mode {mode} has {rows} rows")
    if len(lines) != rows:
        at = lines[rows][0] if len(lines) > rows else lines[-1][0] if lines else 1
        raise ValueError(f"line {at}: mode {mode} has {rows} rows, not {len(lines)}")
    for row, (at, found) in zip(reversed(range(rows)), lines, strict=True):
        length = hexgrid.row_length(rules.board, row)
        if len(found) != length:
            raise ValueError(
                f"line {at}: row {_letter(row)} of mode {mode} has {length} cells, with spaces"
                f" between them, not {len(found)}"
            )
    _check_signs(lines, mode)
    return "".join(sign for _, found in reversed(lines) for sign in found)


def _check_signs(lines: list[tuple[int, list[str]]], mode: str) -> None:
    """See that the wall is where it belongs, and that pawns and stones are as many as there are."""
    rules = MODES[mode]
    allowed = {
        **dict.fromkeys(rules.pawn_letters, 1),
        **dict.fromkeys(rules.stone_letters, rules.stones),
    }
    left = dict(allowed)
    for row, (at, found) in zip(reversed(range(len(lines))), lines, strict=True):
        for number, sign in enumerate(found):
            name = f"{_letter(row)}{number + 1}"
            is_middle = (row, number) == (rules.board - 1, rules.board - 1)
            if is_middle != (sign == WALL):
                raise ValueError(
                    f"line {at}: {name} is the wall {WALL}, not {quoted(sign)}"
                    if is_middle
                    else f"line {at}: the wall is in the middle, not on {name}"
                )
            if sign in allowed:
                left[sign] -= 1
                if left[sign] < 0:
                    raise ValueError(
                        f"line {at}: {sign} on {name} is one too many for mode {mode}, which has"
                        f" {allowed[sign]}"
                    )
            elif sign not in (EMPTY, WALL):
                raise ValueError(
                    f"line {at}: {quoted(sign)} on {name} is none of mode {mode}'s signs:"
                    f" {' '.join(allowed)} {EMPTY} {WALL}"
                )
    for sign, missing in left.items():
        if missing:
            raise ValueError(
                f"line {lines[-1][0]}: {missing} of {allowed[sign]} {sign} not found up to here"
            )


def _letter(row: int) -> str:
    return chr(ord("a") + row)
