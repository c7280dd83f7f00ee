"""A scene drawn with characters and colours."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter

from rich.segment import Segment
from rich.style import Style

from teahouse.core.scene import Choice, Spot
from teahouse.terminal.app.layout import Block, Layout, is_hex_cell
from teahouse.terminal.app.themes import BoardColours

EMPTY = "."
"""The glyph of an empty cell, in whose place its name is drawn."""


@dataclass(frozen=True)
class Highlights:
    """Names of the spots and choices to highlight."""

    targets: Collection[str] = ()
    chosen: Collection[str] = ()
    last: Collection[str] = ()
    hint: Collection[str] = ()
    starts: Collection[str] = ()
    """What starts the move over; of these only choices look different."""
    cursor: str = ""

    @property
    def usable(self) -> frozenset[str]:
        """What can be clicked now, was clicked, or is recommended."""
        return frozenset((*self.targets, *self.chosen, *self.hint, *self.starts))


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


class Canvas(Layout):
    """A scene that can be drawn."""

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
        for label in self.scene.labels if self.labelled else ():
            column, line = self.at(label.column, label.line)
            lines[line].write(self._label_column(label.column, label.line, column), label.text)
        for spot in self.scene.spots:
            self._render_spot(lines, spot, highlights, colours)
        for choice in self.shown_choices:
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
        block = self.blocks[spot.name]
        pair = self._colours(spot, colours)
        frame, weight = self._frame(spot, highlights, colours)
        neutral = spot.kind != "card" and any(piece.player is None for piece in spot.pieces)
        if frame is None and neutral:
            frame = colours.neutral
        elif frame is not None and (not spot.pieces or block.width < 3):
            pair = frame  # nothing is hidden, or there is no edge to colour
        reverse = Style(reverse=spot.name == highlights.cursor)
        edge, inner = _style(frame or pair) + reverse, _style(pair) + reverse
        for line in block.lines:
            lines[line].restyle(block.columns, inner)
            if block.width >= 3:
                lines[line].restyle((block.columns[0], block.columns[-1]), edge)
        self._write_texts(lines, spot, block, inner, inner + weight)
        signs = lines[block.line]
        after = block.column + len(spot.glyph)
        if "due" in spot.marks and _is_blank(signs, after, block):
            signs.write(after, "!")
        if spot.name in highlights.chosen and block.width >= 3:
            for side, sign in ((block.columns[0], ">"), (block.columns[-1], "<")):
                if _is_blank(signs, side, block):
                    signs.write(side, sign)

    def _write_texts(
        self, lines: list[_Line], spot: Spot, block: Block, quiet: Style, loud: Style
    ) -> None:
        """Write the glyph and the name of a cell."""
        named = self.named and is_hex_cell(spot)
        if named and spot.glyph == EMPTY:
            column = block.left + (block.width - len(spot.name)) // 2
            lines[block.line].write(column, spot.name, loud)
            return
        lines[block.line].write(block.column, spot.glyph, loud)
        if named and block.height > 1:
            column = block.left + (block.width - len(spot.name)) // 2
            lines[block.lines[-1]].write(column, spot.name, quiet)

    def _frame(
        self, spot: Spot, highlights: Highlights, colours: BoardColours
    ) -> tuple[tuple[str, str] | None, Style]:
        """Return the colours of a highlight, if there is one, and the weight of the glyph."""
        if spot.name in highlights.chosen:
            return colours.chosen, Style(bold=True)
        if spot.name in highlights.hint:
            return colours.hint, Style(bold=True, italic=True)
        if spot.name in highlights.targets:
            return colours.target, Style(bold=True, underline=True)
        bold = bool(spot.pieces) or "lit" in spot.marks
        weight = Style(bold=bold, strike="barred" in spot.marks)
        return colours.last if spot.name in highlights.last else None, weight

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
        style = _style(colours.cell)
        if choice.name in highlights.chosen:
            style = _style(colours.chosen) + Style(bold=True)
        elif choice.name in highlights.hint:
            style = _style(colours.hint) + Style(bold=True, italic=True)
        elif choice.name in highlights.targets:
            style = _style(colours.target) + Style(bold=True, underline=True)
        if choice.name == highlights.cursor:
            style += Style(reverse=True)
        text = self.button(choice)
        if choice.name in highlights.chosen:
            text = f">{text[1:-1]}<"
        lines[at].write(column, text, style)


def _is_blank(line: _Line, column: int, block: Block) -> bool:
    """Return whether a column of a block has no character yet."""
    return column in block.columns and line.characters[column] == " "


@cache
def _style(pair: tuple[str, str]) -> Style:
    return Style(bgcolor=pair[0], color=pair[1])
