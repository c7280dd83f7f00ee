"""Orochi's board for drawing and clicking."""

from typing import Any

from teahouse.core import hexes
from teahouse.core.game import Game
from teahouse.core.scene import Label, Scene, Spot
from teahouse.games.orochi import rules

GLYPHS = ".wb"


def scene(game: Game, state: Any) -> Scene:
    side = game.options["side"]
    rows = 2 * side - 1
    spots = tuple(
        Spot(name, 2 + column, rows - 1 - row, GLYPHS[state.cells[cell] & rules.PIECE_MASK])
        for cell, (name, (column, row)) in enumerate(
            zip(hexes.names(side), hexes.points(side), strict=True)
        )
    )
    letters = tuple(
        Label(abs(side - 1 - row), rows - 1 - row, chr(ord("a") + row)) for row in range(rows)
    )
    return Scene(spots, prompt(game, state), letters)


def prompt(game: Game, state: Any) -> str:
    """Who decides what."""
    name = game.players[state.player]
    if state.over:
        return f"{game.players[state.winners >> 1]} wins."
    if state.over_connected:
        return (
            f"{name} replaces one of {state.over_connected} over-connected pieces (x and its cell)."
            if state.over_connected > 1
            else f"{name} replaces the over-connected piece (x and its cell)."
        )
    return f"{name} places a piece of either colour (w or b and a cell)."
