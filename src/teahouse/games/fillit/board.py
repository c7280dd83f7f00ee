"""Fillit's board for drawing and clicking."""

from typing import Any

from teahouse.core import hexes
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.scene import Label, Scene, Spot
from teahouse.games.fillit import notation, rules
from teahouse.games.fillit.layouts import MODES


def scene(position: Position) -> Scene:
    """What is where, and who decides what."""
    game, state = position.game, position.plain()
    side = MODES[game.options["mode"]].board
    rows = 2 * side - 1
    spots = tuple(
        Spot(name, 3 + column, rows - 1 - row, sign)
        for sign, name, (column, row) in zip(
            notation.cell_signs(game.board, state),
            hexes.names(side),
            hexes.points(side),
            strict=True,
        )
    )
    letters = tuple(Label(0, rows - 1 - row, chr(ord("a") + row)) for row in range(rows))
    return Scene(spots, prompt(position), letters, notes(position))


def notes(position: Position) -> tuple[str, ...]:
    """Each side's signs and hand, and how much of the game has gone by."""
    game, state = position.game, position.plain()
    mode = MODES[game.options["mode"]]
    lines = []
    for side, seats in enumerate(mode.sides):
        pawns = " and ".join(mode.pawn_letters[player] for player in seats)
        lines.append(
            f"{_names(game, seats)}: {'pawn' if len(seats) == 1 else 'pawns'} {pawns},"
            f" stones {mode.stone_letters[side]}, chips {notation.chip_signs(mode)[side]},"
            f" {notation.hands(game.board, state)[side]} of {mode.chips} chips in hand"
        )
    return (*lines, f"{state.turns} of {rules.TURNS} turns ended")


def prompt(position: Position) -> str:
    """Who decides what, or how the game ended."""
    game, state = position.game, position.plain()
    if position.over:
        if not position.winners:
            return f"A draw: {rules.TURNS} turns have ended."
        return f"{_names(game, position.winners)} {'win' if position.winners[1:] else 'wins'}."
    name = game.players[state.player]
    if state.due == rules.PAWN:
        return f"{name} now moves the pawn (P, its cell, and where it stops)."
    if state.due == rules.STONE:
        return f"{name} now moves a stone (S, its cell, and the next one)."
    board = game.board
    free = rules._free(board, state)
    pawn = state.pawns[state.player]
    if board.beside[pawn] & free:
        return f"{name} moves the pawn (P) and a stone (S), in either order."
    stones = state.stones[board.side[state.player]]
    moves = [0] * game.layout.most_moves
    if rules._stone_first(board, stones, pawn, free, moves, 0):
        return f"{name}'s pawn is shut in: {name} moves a stone (S) that frees it."
    return f"{name}'s pawn is shut in for this turn: {name} only moves a stone (S)."


def _names(game: Game, seats: Any) -> str:
    return " and ".join(game.players[player] for player in seats)
