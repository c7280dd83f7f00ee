"""A scene painted in characters and colours, and where on it everything lies."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, pairwise
from operator import itemgetter

from rich.segment import Segment
from rich.style import Style

from teahouse.core.scene import Choice, Scene, Spot
from teahouse.terminal.app.colours import Wood

MARGIN = 2
"""Columns of wood to the left and right of the board; one line above and below."""
NEAR = 6
"""How far from a spot one may click, in columns (a line counts as two)."""


@dataclass(frozen=True)
class Marks:
    """What is to stand out, by the names of spots and choices."""

    targets: Collection[str] = ()
    chosen: Collection[str] = ()
    last: Collection[str] = ()
    hint: Collection[str] = ()
    cursor: str = ""


@dataclass
class _Line:
    """A line being painted: characters, and a style for each."""

    characters: list[str]
    styles: list[Style]

    def write(self, column: int, text: str, style: Style | None = None) -> None:
        for at, character in enumerate(text, column):
            if 0 <= at < len(self.characters):
                self.characters[at] = character
                if style is not None:
                    self.styles[at] = style

    def segments(self) -> list[Segment]:
        """The line in stretches of one style."""
        pairs = groupby(zip(self.characters, self.styles, strict=True), key=itemgetter(1))
        return [
            Segment("".join(character for character, _ in stretch), style)
            for style, stretch in pairs
        ]

    def tint(self, columns: Iterable[int], style: Style) -> None:
        for at in columns:
            if 0 <= at < len(self.styles):
                self.styles[at] = style


@dataclass
class Canvas:
    """A scene laid out for a space: as large as fits, up to twice its size."""

    scene: Scene
    room: tuple[int, int]
    """Columns and lines there are; less does no harm, since what is larger can be scrolled."""
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
        self.smallest = columns + 2 * MARGIN
        """Columns that the board needs at the least."""
        self.wide = 2 if 2 * columns + 2 * MARGIN <= self.room[0] else 1
        self.high = 2 if 2 * lines + 1 + extra <= self.room[1] else 1
        if self.high == 2 and self.wide == 1:
            self.high = 1
        self.lines = lines * self.high + (self.high == 1) + 1
        self.width = columns * self.wide + 2 * MARGIN
        self.places = {spot.name: self._at(spot.column, spot.line) for spot in spots}
        self._lay_choices()
        self._step = self._smallest_step()

    @property
    def height(self) -> int:
        """Lines of the board and of the choices below it."""
        return max([self.lines - 1, *(line for _, line in self.places.values())]) + 1

    def _at(self, column: int, line: int) -> tuple[int, int]:
        return MARGIN + column * self.wide, 1 + line * self.high

    def _lay_choices(self) -> None:
        """Put the choices below the board, as many in a line as there is room for."""
        column, line = MARGIN, self.lines + 1
        for choice in self.scene.choices:
            width = len(button(choice))
            if column > MARGIN and column + width > max(self.room[0], self.width):
                column, line = MARGIN, line + 1
            self.places[choice.name] = (column, line)
            column += width + 2
        self.width = max([self.width, *(self._end(choice) for choice in self.scene.choices)])

    def _end(self, choice: Choice) -> int:
        return self.places[choice.name][0] + len(button(choice))

    def _smallest_step(self) -> int:
        """How far apart neighbours in a line are at the least."""
        steps = [100]
        for line in {spot.line for spot in self.scene.spots}:
            row = sorted(
                spot.column * self.wide
                for spot in self.scene.spots
                if spot.line == line and spot.kind != "card"
            )
            steps += [right - left for left, right in pairwise(row)]
        return min(steps)

    def _beside_glyph(self, spot: Spot) -> list[int]:
        """The columns beside a spot's glyph that are its own."""
        column, _ = self.places[spot.name]
        end = column + len(spot.glyph)
        if spot.kind == "card" or self._step < 3:
            return []
        return [column - 1, end] if len(spot.glyph) + 2 <= self._step else [column - 1]

    def near(self, column: int, line: int) -> str | None:
        """The spot or choice at a place, or the nearest one not far from it."""
        for choice in self.scene.choices:
            left, at = self.places[choice.name]
            if line == at and left <= column < self._end(choice):
                return choice.name
        best, name = NEAR, None
        for spot in self.scene.spots:
            left, at = self.places[spot.name]
            right = left + len(spot.glyph) - 1
            away = max(left - column, 0, column - right) + 2 * abs(line - at)
            if away < best and line < self.lines:
                best, name = away, spot.name
        return name

    def next(self, name: str, across: int, down: int) -> str:
        """The nearest spot or choice in a direction, or the same one if there is none."""
        column, line = self.places.get(name, (0, 0))
        found, least = name, 1 << 30
        for other, (its_column, its_line) in self.places.items():
            right, below = its_column - column, 2 * (its_line - line)
            ahead = right * across + below * down
            aside = abs(right * down) + abs(below * across)
            cost = ahead + 3 * aside
            if ahead > 0 and cost < least and (aside <= 2 * ahead + 2 or down):
                found, least = other, cost
        return found

    def paint(self, marks: Marks, wood: Wood) -> list[list[Segment]]:
        """The lines of the board, everything marked; signs and weight tell what colours tell."""
        ground = _style(wood.board)
        lines = [
            _Line([" "] * self.width, [ground if number < self.lines else Style()] * self.width)
            for number in range(self.height)
        ]
        for label in self.scene.labels:
            column, line = self._at(label.column, label.line)
            # Brackets stand beside their spot at every size; other writing keeps its column.
            lines[line].write(self._beside(label.column, label.line, column), label.text)
        for spot in self.scene.spots:
            self._paint_spot(lines, spot, marks, wood)
        for choice in self.scene.choices:
            self._paint_choice(lines, choice, marks, wood)
        return [painted.segments() for painted in lines]

    def _beside(self, column: int, line: int, otherwise: int) -> int:
        """The column of a label that touches a spot, so that it does so when drawn wider."""
        for spot in self.scene.spots:
            if spot.line == line and spot.column - 1 == column:
                return self.places[spot.name][0] - 1
            if spot.line == line and spot.column + len(spot.glyph) == column:
                return self.places[spot.name][0] + len(spot.glyph)
        return otherwise

    def _paint_spot(self, lines: list[_Line], spot: Spot, marks: Marks, wood: Wood) -> None:
        column, at = self.places[spot.name]
        line = lines[at]
        sides = self._beside_glyph(spot)
        pair = self._colours(spot, wood)
        line.write(column, spot.glyph, _style(pair))
        nobodys = spot.kind != "card" and any(piece.player is None for piece in spot.pieces)
        line.tint(sides, _style(wood.nobody if nobodys else pair))
        bold = bool(spot.pieces) or "lit" in spot.marks
        plain = Style(bold=bold, strike="barred" in spot.marks)
        if "due" in spot.marks and sides[1:] and line.characters[sides[1]] == " ":
            line.write(sides[1], "!")
        frame = None
        if spot.name in marks.chosen:
            frame, plain = wood.chosen, Style(bold=True)
            for side, sign in zip(sides, "><" if len(sides) == 2 else "", strict=False):
                if line.characters[side] == " ":
                    line.write(side, sign)
        elif spot.name in marks.hint:
            frame, plain = wood.hint, Style(bold=True, italic=True)
        elif spot.name in marks.targets:
            frame, plain = wood.target, Style(bold=True, underline=True)
        elif spot.name in marks.last:
            frame = wood.last
        if frame is not None:
            line.tint(sides, _style(frame))
            if not spot.pieces or not sides:
                pair = frame
        if spot.name == marks.cursor:
            plain += Style(reverse=True)
            line.tint(sides, _style(frame or pair) + Style(reverse=True))
        line.tint(range(column, column + len(spot.glyph)), _style(pair) + plain)

    def _colours(self, spot: Spot, wood: Wood) -> tuple[str, str]:
        """The ground of a spot, and the colour of what is written there."""
        players = [piece.player for piece in spot.pieces if piece.player is not None]
        if players or (spot.owner is not None and not spot.pieces):
            player = players[-1] if players else spot.owner
            assert player is not None
            return wood.players.get(self.scene.colours[player], wood.cell)
        return wood.cell if spot.kind in ("cell", "seat") else wood.board

    def _paint_choice(self, lines: list[_Line], choice: Choice, marks: Marks, wood: Wood) -> None:
        column, at = self.places[choice.name]
        style = Style(dim=True)
        if choice.name in marks.chosen:
            style = _style(wood.chosen) + Style(bold=True)
        elif choice.name in marks.hint:
            style = _style(wood.hint) + Style(bold=True, italic=True)
        elif choice.name in marks.targets:
            style = _style(wood.target) + Style(bold=True, underline=True)
        if choice.name == marks.cursor:
            style += Style(reverse=True, dim=False)
        lines[at].write(column, button(choice), style)


def button(choice: Choice) -> str:
    """A choice as it stands below the board."""
    return f"[ {choice.label} ]"


@cache
def _style(pair: tuple[str, str]) -> Style:
    return Style(bgcolor=pair[0], color=pair[1])
