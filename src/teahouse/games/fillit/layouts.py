"""Fillit's modes, and the parsing and validation of its starting layouts.

A drawing has a line for each row, from the top, with the row's letter (or no letters at all) and a
glyph for each cell: `.` for an empty one, `#` for the wall, a capital letter for a pawn on a chip
of its side, a lower-case letter for a stone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.errors import listing, quoted

FILE = Path(__file__).with_name("layouts.txt")
NAMES = ("A", "B")
EMPTY, WALL = ".", "#"
TOP_ROWS = "gi"  # no letters of stones, so a drawing that begins with one has row letters
MAX_LENGTH = 10_000  # characters of a drawing
MIN_CHIPS, MAX_CHIPS = 3, 40  # of a side (F12)


@dataclass(frozen=True)
class Mode:
    """The players, board and equipment of a mode."""

    title: str
    board: int
    """Cells along each edge."""
    players: tuple[str, ...]
    """The seats in turn order."""
    sides: tuple[tuple[int, ...], ...]
    """The seats that share chips and stones, which have the colour of the first one."""
    chips: int
    stones: int
    symmetries: tuple[tuple[str, str, str], ...]
    """Symmetries of the built-in layouts: the transformation, and glyphs before and after it."""

    @cached_property
    def pawn_letters(self) -> str:
        """The glyphs of the seats' pawns."""
        return "".join(player[0] for player in self.players)

    @cached_property
    def stone_letters(self) -> str:
        """The glyphs of the sides' stones."""
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


def chips_per_side(options: Mapping[str, Any]) -> int:
    """Return the number of chips of each side, on the board and in hand (F12)."""
    chips: int = options["chips"] or MODES[options["mode"]].chips
    return chips


def wall_cell(board: int) -> int:
    """Return the cell of the wall, in the centre of the board."""
    return 3 * board * (board - 1) // 2


def start_glyphs(options: Mapping[str, Any]) -> str:
    """Return the glyphs of all cells at the start."""
    mode, layout = options["mode"], options["layout"]
    return parse_drawing(layout, mode) if "\n" in layout else builtin(mode, layout)


def start_drawing(options: Mapping[str, Any]) -> str:
    """Return the drawing of the board at the start."""
    return format_drawing(start_glyphs(options), MODES[options["mode"]].board)


@cache
def builtin(mode: str, name: str) -> str:
    """Return the glyphs of a built-in layout, after checking its symmetry."""
    try:
        glyphs = parse_drawing(sections()[f"{mode} {name}"], mode)
    except ValueError as error:
        raise ValueError(f"{FILE.name}: layout {mode} {name}, {error}") from None
    for transformation, before, after in MODES[mode].symmetries:
        expected = glyphs.translate(str.maketrans(before, after))
        cells = transformed_cells(MODES[mode].board, transformation)
        if any(glyphs[cells[cell]] != glyph for cell, glyph in enumerate(expected)):
            raise ValueError(
                f"{FILE.name}: layout {mode} {name} is not symmetric under a {transformation}"
            )
    return glyphs


@cache
def sections() -> dict[str, str]:
    """Return the drawings of the layout file by heading."""
    parts = FILE.read_text(encoding="utf-8").split("\n[")[1:]
    return {heading: drawing for heading, _, drawing in (part.partition("]") for part in parts)}


@cache
def transformed_cells(board: int, transformation: str) -> tuple[int, ...]:
    """Return the image of each cell under a clockwise rotation or a vertical reflection."""
    points = hexgrid.points(board)
    index = {point: cell for cell, point in enumerate(points)}
    column, row = points[wall_cell(board)]
    moved = []
    for x, y in points:
        # Axial coordinates relative to the centre.
        north_east = y - row
        east = (x - column - north_east) // 2
        if transformation == "mirror":
            east, north_east = east + north_east, -north_east
        for _ in range({"half turn": 3, "third of a turn": 2, "mirror": 0}[transformation]):
            east, north_east = east + north_east, -east  # a sixth of a turn
        moved.append(index[column + 2 * east + north_east, row + north_east])
    return tuple(moved)


def read_layout(value: str) -> str:
    """Return a layout's name or drawing; a value that is neither is the path of a file."""
    if value in NAMES or "\n" in value:
        return value
    try:
        if not Path(value).is_file():
            raise ValueError("no such file")
        with open(value, encoding="utf-8-sig") as file:
            return file.read(MAX_LENGTH + 1) + "\n"
    except OSError:
        raise ValueError("cannot read the file") from None


def check_options(options: dict[str, Any]) -> None:
    """Raise ValueError if the options do not go together; normalise a layout and the chips."""
    mode, first = options["mode"], options["first"]
    if first not in MODES[mode].players:
        raise ValueError(
            f"first must be one of {listing(MODES[mode].players)} in mode {mode}, got {first}"
        )
    _check_chips(options)
    if options["layout"] not in NAMES:
        try:
            glyphs = parse_drawing(options["layout"], mode)
            options["layout"] = format_drawing(glyphs, MODES[mode].board)
        except ValueError as error:
            raise ValueError(f"layout, {error}") from None


def _check_chips(options: dict[str, Any]) -> None:
    """Raise ValueError if a side could not lay that many chips; 0 stands for the usual number."""
    mode, chips = MODES[options["mode"]], options["chips"]
    if chips == mode.chips:
        options["chips"] = 0
    stones = len(mode.sides) * mode.stones
    others = len(mode.players) - len(mode.sides[0])
    most = min(MAX_CHIPS, 2 * wall_cell(mode.board) - stones - others)
    if chips and not MIN_CHIPS <= chips <= most:
        raise ValueError(
            f"chips must be 0 or from {MIN_CHIPS} to {most} in mode {options['mode']}, got {chips}"
        )


def format_drawing(glyphs: str, board: int) -> str:
    """Return the drawing of a board from the glyphs of its cells."""
    lines = []
    cell = 0
    for row in range(2 * board - 1):
        length = hexgrid.row_length(board, row)
        space = " " * (abs(board - 1 - row) + 1)
        lines.append(f"{_letter(row)}{space}{' '.join(glyphs[cell : cell + length])}")
        cell += length
    return "\n".join(reversed(lines))


def parse_drawing(drawing: str, mode: str) -> str:
    """Return the glyphs of all cells; raise ValueError with the line and the reason if invalid."""
    rules = MODES[mode]
    rows = 2 * rules.board - 1
    if len(drawing) > MAX_LENGTH:
        raise ValueError(f"line 1: a drawing has at most {MAX_LENGTH} characters")
    lines = [(at, line.split()) for at, line in enumerate(drawing.splitlines(), 1) if line.strip()]
    lettered = bool(lines) and lines[0][1][0] in TOP_ROWS
    for row, (at, found) in zip(reversed(range(rows)), lines, strict=False):
        if lettered and found.pop(0) != _letter(row):
            raise ValueError(f"line {at}: expected row {_letter(row)}; mode {mode} has {rows} rows")
    if len(lines) != rows:
        at = lines[rows][0] if len(lines) > rows else lines[-1][0] if lines else 1
        raise ValueError(f"line {at}: mode {mode} has {rows} rows, got {len(lines)}")
    for row, (at, found) in zip(reversed(range(rows)), lines, strict=True):
        length = hexgrid.row_length(rules.board, row)
        if len(found) != length:
            raise ValueError(
                f"line {at}: row {_letter(row)} of mode {mode} has {length} cells, separated by"
                f" spaces, got {len(found)}"
            )
    _check_glyphs(lines, mode)
    return "".join(glyph for _, found in reversed(lines) for glyph in found)


def _check_glyphs(lines: list[tuple[int, list[str]]], mode: str) -> None:
    """Raise ValueError if the wall is misplaced or the numbers of pawns and stones are wrong."""
    rules = MODES[mode]
    allowed = {
        **dict.fromkeys(rules.pawn_letters, 1),
        **dict.fromkeys(rules.stone_letters, rules.stones),
    }
    left = dict(allowed)
    for row, (at, found) in zip(reversed(range(len(lines))), lines, strict=True):
        for number, glyph in enumerate(found):
            name = f"{_letter(row)}{number + 1}"
            is_centre = (row, number) == (rules.board - 1, rules.board - 1)
            if is_centre != (glyph == WALL):
                raise ValueError(
                    f"line {at}: {name} must be the wall {WALL}, not {quoted(glyph)}"
                    if is_centre
                    else f"line {at}: the wall must be in the centre, not on {name}"
                )
            if glyph in allowed:
                left[glyph] -= 1
                if left[glyph] < 0:
                    raise ValueError(
                        f"line {at}: {glyph} on {name} is one too many; mode {mode} has"
                        f" {allowed[glyph]}"
                    )
            elif glyph not in (EMPTY, WALL):
                raise ValueError(
                    f"line {at}: unknown glyph {quoted(glyph)} on {name}; mode {mode} has"
                    f" {' '.join(allowed)} {EMPTY} {WALL}"
                )
    for glyph, missing in left.items():
        if missing:
            raise ValueError(f"line {lines[-1][0]}: {missing} of {allowed[glyph]} {glyph} missing")


def _letter(row: int) -> str:
    return chr(ord("a") + row)
