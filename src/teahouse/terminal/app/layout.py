"""Where the spots and choices of a scene are on the screen, at the largest scale that fits."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from teahouse.core.scene import Choice, Scene, Spot

MARGIN = 2
"""Columns left and right of the choices."""
GAP = 2
"""Columns between two choices."""
CHOICE_LINES = 3
"""Lines for the choices below a board."""
MAX_PITCH = 14
"""Columns from one spot to the next at most; a line counts as two."""
COMFORTABLE_PITCH = 4
"""Columns from one spot to the next that are enough to frame each."""
MAX_STRETCH = 1.4
"""Width of a spot against its height at most, beyond the comfortable."""
NAMES_BESIDE_PIECES = 3
"""Lines from one spot to the next from which on a cell shows its name below a piece too."""
MAX_CLICK_DISTANCE = 6
"""Distance from a spot at which a click still hits it, in columns; a line counts as two."""


@dataclass(frozen=True)
class Block:
    """The characters of a spot; the glyph is at `column` and `line`."""

    column: int
    line: int
    left: int
    top: int
    width: int
    height: int

    @property
    def columns(self) -> range:
        return range(self.left, self.left + self.width)

    @property
    def lines(self) -> range:
        return range(self.top, self.top + self.height)

    def distance(self, column: int, line: int) -> int:
        """Return the distance of a character from the block, in columns."""
        across = max(self.left - column, 0, column - self.columns[-1])
        down = max(self.top - line, 0, line - self.lines[-1])
        return across + 2 * down


def is_hex_cell(spot: Spot) -> bool:
    """Return whether a spot is on a board whose columns are not straight."""
    return spot.shape == "hex" and spot.kind == "cell"


@dataclass
class Layout:
    """A scene laid out for the available size."""

    scene: Scene
    available: tuple[int, int]
    """Columns and lines; a larger board scrolls."""
    usable: Collection[str] = ()
    """The names of the choices that are shown; the others keep their place."""
    places: dict[str, tuple[int, int]] = field(init=False)
    """Column and line of every spot and of every choice that is shown."""

    def __post_init__(self) -> None:
        spots, labels = self.scene.spots, self.scene.labels
        self._first = min((spot.column for spot in spots), default=0)
        self._columns = 1 + max(
            [spot.column + len(spot.glyph) for spot in spots]
            + [label.column + len(label.text) for label in labels],
            default=0,
        )
        self._lines = 1 + max(
            [spot.line for spot in spots] + [label.line for label in labels], default=0
        )
        self._spacing = self._min_spacing()
        self.min_width = self._width_at(1, self._columns)
        """Columns of the board at its own size."""
        scale = self._largest_scale(self._columns - self._first)
        self.labelled = not self._fits_names(scale[0]) or scale[1] < NAMES_BESIDE_PIECES
        """Whether labels at the edge name the cells, of which some cannot show their names."""
        if self.labelled:
            self._first = 0
            scale = self._largest_scale(self._columns)
        self._columns -= self._first
        self.x_scale, self.y_scale = scale
        self.named = self._fits_names(scale[0])
        """Whether empty cells show their names."""
        self._block_width = self._block_width_at(self.x_scale)
        self._block_height = max(1, self.y_scale - 1)
        self.board_height = self._height_at(self.y_scale)
        board_width = self._width_at(self.x_scale, self._columns)
        self.width = board_width
        """Columns of the board, or of the choices below it if those are wider."""
        choices = self._place_choices()
        self._left = self._edge_at(self.x_scale) + (self.width - board_width) // 2
        self.places = {spot.name: self.at(spot.column, spot.line) for spot in spots}
        self.blocks = {spot.name: self._block(spot) for spot in spots}
        self.places |= choices

    def at(self, column: int, line: int) -> tuple[int, int]:
        """Return the column and line of a character of the text board."""
        top = 1 + (self._block_height - 1) // 2
        return self._left + (column - self._first) * self.x_scale, top + line * self.y_scale

    def hit_test(self, column: int, line: int) -> str | None:
        """Return the choice at a point, or the nearest spot within the click distance."""
        for choice in self.shown_choices:
            left, at = self.places[choice.name]
            if line == at and left <= column < left + len(self.button(choice)):
                return choice.name
        nearest, name = MAX_CLICK_DISTANCE, None
        for spot in self.scene.spots:
            distance = self.blocks[spot.name].distance(column, line)
            if distance < nearest and line < self.board_height:
                nearest, name = distance, spot.name
        return name

    def neighbour(self, name: str, dx: int, dy: int) -> str:
        """Return the nearest spot or choice in a direction, or the same one if there is none."""
        column, line = self.places.get(name, (0, 0))
        found, best = name, 1 << 30
        for other, (_, other_line) in self.places.items():
            right, down = self._offset(other, column), 2 * (other_line - line)
            ahead = right * dx + down * dy
            sideways = abs(right * dy) + abs(down * dx)
            cost = ahead + 3 * sideways
            if ahead > 0 and cost < best and (sideways <= 2 * ahead + 2 or dy):
                found, best = other, cost
        return found

    def _offset(self, name: str, column: int) -> int:
        """Return how far a spot or choice is to the right of a column; 0 if it has that column."""
        if name in self.blocks:
            columns = self.blocks[name].columns
        else:
            choice = next(choice for choice in self.scene.choices if choice.name == name)
            left = self.places[name][0]
            columns = range(left, left + len(self.button(choice)))
        return columns[0] - column if column < columns[0] else min(0, columns[-1] - column)

    @property
    def shown_choices(self) -> list[Choice]:
        """The choices that can be used."""
        return [choice for choice in self.scene.choices if choice.name in self.usable]

    def button(self, choice: Choice) -> str:
        """Return a choice as a button, with the number that is its key."""
        return f"[ {1 + self.scene.choices.index(choice)} {choice.label} ]"

    def _fits_names(self, x_scale: int) -> bool:
        """Return whether this is a board without columns, and its cells are wide enough."""
        names = [len(spot.name) for spot in self.scene.spots if is_hex_cell(spot)]
        return bool(names) and max(names) <= self._block_width_at(x_scale)

    def _largest_scale(self, columns: int) -> tuple[int, int]:
        """Return the scales by which columns and lines are spread, as square as possible."""
        best, chosen = (0.0, 0.0), (1, 1)
        for x_scale, y_scale in self._scales(columns):
            across, down = self._spacing * x_scale, 2 * y_scale
            wide = across > max(COMFORTABLE_PITCH, MAX_STRETCH * down)
            rank = (float(min(across, down)), -float(across) if wide else float(across))
            if rank > best:
                best, chosen = rank, (x_scale, y_scale)
        return chosen

    def _scales(self, columns: int) -> Iterator[tuple[int, int]]:
        """Yield the scales that fit; the size of the text board at least."""
        extra = CHOICE_LINES if self.scene.choices else 0
        for x_scale in range(1, 1 + max(1, MAX_PITCH // self._spacing)):
            if x_scale > 1 and self._width_at(x_scale, columns) > self.available[0]:
                return
            for y_scale in range(1, 1 + MAX_PITCH // 2):
                if y_scale > 1 and self._height_at(y_scale) + extra > self.available[1]:
                    break
                yield x_scale, y_scale

    def _width_at(self, x_scale: int, columns: int) -> int:
        """Return the columns of the board: spread, with a block and a margin at each end."""
        return (columns - 2) * x_scale + 1 + 2 * self._edge_at(x_scale)

    def _edge_at(self, x_scale: int) -> int:
        """Return the columns before the first glyph."""
        return max(2, min(2, x_scale) + self._block_width_at(x_scale) // 2)

    def _block_width_at(self, x_scale: int) -> int:
        """Return the columns of a spot, an odd number: between two is a gap where that fits."""
        pitch = self._spacing * x_scale
        width = pitch - 1 if pitch >= COMFORTABLE_PITCH else pitch if pitch == 3 else 1
        return width - (width % 2 == 0)

    def _height_at(self, y_scale: int) -> int:
        """Return the lines of the board: spread, with a block at each end and a margin."""
        block = max(1, y_scale - 1)
        return (self._lines - 1) * y_scale + block + 2

    def _min_spacing(self) -> int:
        """Return the smallest distance of neighbours in a line of the text board."""
        spacings = [MAX_PITCH]
        for line in {spot.line for spot in self.scene.spots}:
            columns = sorted(
                spot.column
                for spot in self.scene.spots
                if spot.line == line and spot.kind != "card"
            )
            spacings += [right - left for left, right in pairwise(columns)]
        return max(1, min(spacings))

    def _block(self, spot: Spot) -> Block:
        column, line = self.places[spot.name]
        width = max(self._block_width, len(spot.glyph))
        height = self._block_height
        if spot.kind in ("card", "table"):  # captions: no larger than their text
            height, width = 1, len(spot.glyph)
            if spot.kind == "table" and self._spacing * self.x_scale >= 3:
                return Block(column, line, column - 1, line, width + 2, 1)
            return Block(column, line, column, line, width, 1)
        left = column - (self._block_width - 1) // 2
        return Block(column, line, left, line - (height - 1) // 2, width, height)

    def _place_choices(self) -> dict[str, tuple[int, int]]:
        """Return the places of the usable choices, in lines centred below the board."""
        rows: list[list[Choice]] = []
        column = 0
        for choice in self.scene.choices:
            width = len(self.button(choice))
            if not rows or column + width > max(self.available[0], self.width):
                rows.append([])
                column = MARGIN
            rows[-1].append(choice)
            column += width + GAP
            self.width = max(self.width, column - GAP)
        self.height = self.board_height + (1 + len(rows) if rows else 0)
        places = {}
        for line, row in enumerate(rows, self.board_height + 1):
            wide = sum(len(self.button(choice)) + GAP for choice in row) - GAP
            column = max(MARGIN, (self.width - wide) // 2)
            for choice in row:
                if choice.name in self.usable:
                    places[choice.name] = (column, line)
                column += len(self.button(choice)) + GAP
        return places
