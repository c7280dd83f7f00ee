"""Orochi's board for drawing and clicking."""

from teahouse.core import hexes
from teahouse.core.position import Position
from teahouse.core.scene import Label, Scene, Spot
from teahouse.games.orochi import rules

GLYPHS = ".wb"


def scene(position: Position) -> Scene:
    """What is where, and who decides what."""
    side = position.game.options["side"]
    rows = 2 * side - 1
    cells = position.plain().cells
    spots = tuple(
        Spot(name, 3 + column, rows - 1 - row, GLYPHS[cell & rules.PIECE_MASK])
        for name, (column, row), cell in zip(
            hexes.names(side), hexes.points(side), cells[:-1], strict=True
        )
    )
    letters = tuple(Label(0, rows - 1 - row, chr(ord("a") + row)) for row in range(rows))
    return Scene(spots, prompt(position), letters)


def prompt(position: Position) -> str:
    """Who decides what, or who has won."""
    if position.over:
        return f"{position.game.players[position.winners[0]]} wins."
    name = position.game.players[position.player]
    due = position.plain().over_connected
    if due == 1:
        return f"{name} replaces the over-connected piece (x and its cell)."
    if due:
        return f"{name} replaces one of the {due} over-connected pieces (x and its cell)."
    return f"{name} places a piece of either colour (w or b and a cell)."
