"""A scene drawn with characters and colours, with hit testing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise
from operator import itemgetter

from rich.segment import Segment
from rich.style import Style

from teahouse.core.scene import Choice, Scene, Spot
from teahouse.terminal.app.themes import BoardColours

MARGIN = 2
"""Columns left and right of the board; one line above and below."""
MAX_CLICK_DISTANCE = 6
"""Distance from a spot at which a click still hits it, in columns; a line counts as two."""


@dataclass(frozen=True)
class Highlights:
    """Names of the spots and choices to highlight."""

    targets: Collection[str] = ()
    chosen: Collection[str] = ()
    last: Collection[str] = ()
    hint: Collection[str] = ()
    cursor: str = ""


@dataclass
class _Line:
    """A line of characters, with a style for each."""

    characters: list[str]
    styles: list[Style]

    def write(self, column: int, text: str, style: Style | None = None) -> None:
        for at, character in enumerate(text, column):
            if 0 <= at < len(self.characters):
                self.characters[at] = character
                if style is not None:
                    self.styles[at] = style

    def segments(self) -> list[Segment]:
        """Return runs of characters of the same style."""
        runs = groupby(zip(self.characters, self.styles, strict=True), key=itemgetter(1))
        return [Segment("".join(character for character, _ in run), style) for style, run in runs]

    def restyle(self, columns: Iterable[int], style: Style) -> None:
        for at in columns:
            if 0 <= at < len(self.styles):
                self.styles[at] = style


@dataclass
class Canvas:
    """A scene laid out for the available size: at its own size or twice as large."""

    scene: Scene
    available: tuple[int, int]
    """Columns and lines; a larger board scrolls."""
    places: dict[str, tuple[int, int]] = field(init=False)
    """Column and line of every spot and choice."""

    def __post_init__(self) -> None:
        spots, labels = self.scene.spots, self.scene.labels
        columns = 1 + max(
            [spot.column + len(spot.glyph) for spot in spots]
            + [label.column + len(label.text) for label in labels],
            default=0,
        )
        lines = 1 + max([spot.line for spot in spots] + [label.line for label in labels], default=0)
        extra = 3 if self.scene.choices else 0
        self.min_width = columns + 2 * MARGIN
        """Columns of the board at its own size."""
        self.x_scale = 2 if 2 * columns + 2 * MARGIN <= self.available[0] else 1
        self.y_scale = 2 if 2 * lines + 1 + extra <= self.available[1] else 1
        if self.y_scale == 2 and self.x_scale == 1:
            self.y_scale = 1
        self.board_height = lines * self.y_scale + (self.y_scale == 1) + 1
        self.width = columns * self.x_scale + 2 * MARGIN
        self.places = {spot.name: self._at(spot.column, spot.line) for spot in spots}
        self._layout_choices()
        self._spacing = self._min_spacing()

    @property
    def height(self) -> int:
        """Lines of the board and of the choices below it."""
        return max([self.board_height - 1, *(line for _, line in self.places.values())]) + 1

    def _at(self, column: int, line: int) -> tuple[int, int]:
        return MARGIN + column * self.x_scale, 1 + line * self.y_scale

    def _layout_choices(self) -> None:
        """Place the choices in lines below the board."""
        column, line = MARGIN, self.board_height + 1
        for choice in self.scene.choices:
            width = len(button(choice))
            if column > MARGIN and column + width > max(self.available[0], self.width):
                column, line = MARGIN, line + 1
            self.places[choice.name] = (column, line)
            column += width + 2
        self.width = max([self.width, *(self._end(choice) for choice in self.scene.choices)])

    def _end(self, choice: Choice) -> int:
        return self.places[choice.name][0] + len(button(choice))

    def _min_spacing(self) -> int:
        """Return the smallest distance of neighbours in a line."""
        spacings = [100]
        for line in {spot.line for spot in self.scene.spots}:
            columns = sorted(
                spot.column * self.x_scale
                for spot in self.scene.spots
                if spot.line == line and spot.kind != "card"
            )
            spacings += [right - left for left, right in pairwise(columns)]
        return min(spacings)

    def _padding(self, spot: Spot) -> list[int]:
        """Return the columns left and right of a spot's glyph that belong to it."""
        column, _ = self.places[spot.name]
        end = column + len(spot.glyph)
        if spot.kind == "card" or self._spacing < 3:
            return []
        return [column - 1, end] if len(spot.glyph) + 2 <= self._spacing else [column - 1]

    def hit_test(self, column: int, line: int) -> str | None:
        """Return the choice at a point, or the nearest spot within the click distance."""
        for choice in self.scene.choices:
            left, at = self.places[choice.name]
            if line == at and left <= column < self._end(choice):
                return choice.name
        nearest, name = MAX_CLICK_DISTANCE, None
        for spot in self.scene.spots:
            left, at = self.places[spot.name]
            right = left + len(spot.glyph) - 1
            distance = max(left - column, 0, column - right) + 2 * abs(line - at)
            if distance < nearest and line < self.board_height:
                nearest, name = distance, spot.name
        return name

    def neighbour(self, name: str, dx: int, dy: int) -> str:
        """Return the nearest spot or choice in a direction, or the same one if there is none."""
        column, line = self.places.get(name, (0, 0))
        found, best = name, 1 << 30
        for other, (other_column, other_line) in self.places.items():
            right, down = other_column - column, 2 * (other_line - line)
            ahead = right * dx + down * dy
            sideways = abs(right * dy) + abs(down * dx)
            cost = ahead + 3 * sideways
            if ahead > 0 and cost < best and (sideways <= 2 * ahead + 2 or dy):
                found, best = other, cost
        return found

    def render(self, highlights: Highlights, colours: BoardColours) -> list[list[Segment]]:
        """Return the lines of the board; signs and weight repeat what colours show."""
        background = _style(colours.board)
        lines = [
            _Line(
                [" "] * self.width,
                [background if number < self.board_height else Style()] * self.width,
            )
            for number in range(self.height)
        ]
        for label in self.scene.labels:
            column, line = self._at(label.column, label.line)
            lines[line].write(self._label_column(label.column, label.line, column), label.text)
        for spot in self.scene.spots:
            self._render_spot(lines, spot, highlights, colours)
        for choice in self.scene.choices:
            self._render_choice(lines, choice, highlights, colours)
        return [line.segments() for line in lines]

    def _label_column(self, column: int, line: int, default: int) -> int:
        """Return the column of a label; one that touches a spot does so at every scale."""
        for spot in self.scene.spots:
            if spot.line == line and spot.column - 1 == column:
                return self.places[spot.name][0] - 1
            if spot.line == line and spot.column + len(spot.glyph) == column:
                return self.places[spot.name][0] + len(spot.glyph)
        return default

    def _render_spot(
        self, lines: list[_Line], spot: Spot, highlights: Highlights, colours: BoardColours
    ) -> None:
        column, at = self.places[spot.name]
        line = lines[at]
        padding = self._padding(spot)
        pair = self._colours(spot, colours)
        line.write(column, spot.glyph, _style(pair))
        neutral = spot.kind != "card" and any(piece.player is None for piece in spot.pieces)
        line.restyle(padding, _style(colours.neutral if neutral else pair))
        bold = bool(spot.pieces) or "lit" in spot.marks
        weight = Style(bold=bold, strike="barred" in spot.marks)
        if "due" in spot.marks and padding[1:] and line.characters[padding[1]] == " ":
            line.write(padding[1], "!")
        frame = None
        if spot.name in highlights.chosen:
            frame, weight = colours.chosen, Style(bold=True)
            for side, sign in zip(padding, "><" if len(padding) == 2 else "", strict=False):
                if line.characters[side] == " ":
                    line.write(side, sign)
        elif spot.name in highlights.hint:
            frame, weight = colours.hint, Style(bold=True, italic=True)
        elif spot.name in highlights.targets:
            frame, weight = colours.target, Style(bold=True, underline=True)
        elif spot.name in highlights.last:
            frame = colours.last
        if frame is not None:
            line.restyle(padding, _style(frame))
            if not spot.pieces or not padding:
                pair = frame
        if spot.name == highlights.cursor:
            weight += Style(reverse=True)
            line.restyle(padding, _style(frame or pair) + Style(reverse=True))
        line.restyle(range(column, column + len(spot.glyph)), _style(pair) + weight)

    def _colours(self, spot: Spot, colours: BoardColours) -> tuple[str, str]:
        """Return background and text colour of a spot."""
        players = [piece.player for piece in spot.pieces if piece.player is not None]
        if players or (spot.owner is not None and not spot.pieces):
            player = players[-1] if players else spot.owner
            assert player is not None
            return colours.players.get(self.scene.colours[player], colours.cell)
        return colours.cell if spot.kind in ("cell", "seat") else colours.board

    def _render_choice(
        self, lines: list[_Line], choice: Choice, highlights: Highlights, colours: BoardColours
    ) -> None:
        column, at = self.places[choice.name]
        style = Style(dim=True)
        if choice.name in highlights.chosen:
            style = _style(colours.chosen) + Style(bold=True)
        elif choice.name in highlights.hint:
            style = _style(colours.hint) + Style(bold=True, italic=True)
        elif choice.name in highlights.targets:
            style = _style(colours.target) + Style(bold=True, underline=True)
        if choice.name == highlights.cursor:
            style += Style(reverse=True, dim=False)
        lines[at].write(column, button(choice), style)


def button(choice: Choice) -> str:
    """Return a choice as a button."""
    return f"[ {choice.label} ]"


@cache
def _style(pair: tuple[str, str]) -> Style:
    return Style(bgcolor=pair[0], color=pair[1])
