"""Orochi's moves and positions as text.

A move is `w` or `b` and a cell for a placement, `x` and a cell for a replacement, or `swap`. A
position is its rows from the top, each with `w`, `b` and run lengths of empty cells, and the player
to move:

    4/5/6/3w3/6/5/4 b
"""

import re
from functools import cache
from typing import Any

from teahouse.core import hexgrid
from teahouse.core.run_lengths import run_lengths
from teahouse.games.orochi import rules

KINDS = "wbx"
SWAP = "swap"
PIECES = ".wb"
EMPTY = PIECES[0]


def side_of(board: Any) -> int:
    """Return the side of a board."""
    return _side(len(board.cell))


@cache
def _side(cells: int) -> int:
    return next(side for side in range(2, 9) if 3 * side * (side - 1) + 1 == cells)


def piece_at(state: Any, cell: int) -> str:
    """Return the letter of the piece on a cell."""
    white, black = state.pieces
    return PIECES[rules.contains(white, cell) + 2 * rules.contains(black, cell)]


def move_text(board: Any, state: Any, move: int) -> str:
    names = hexgrid.names(side_of(board))
    if rules.may_swap(board, state) and move >> rules.KIND_SHIFT == rules.REPLACE:
        return SWAP
    return KINDS[move >> rules.KIND_SHIFT] + names[move & rules.CELL_MASK]


def normalize(board: Any, state: Any, text: str) -> str:
    return text.lower()


def explain(board: Any, state: Any, text: str) -> str:
    names = hexgrid.names(side_of(board))
    if text.lower() == SWAP:
        if len(board.opening) == rules.TWO:
            return "this game is played without a swap"
        return "only Black may swap, and only right after White's first stone (C10)"
    kind, name = text[:1].lower(), text[1:].lower()
    if kind not in KINDS or not re.fullmatch(r"[a-z]\d{1,2}", name):
        return "a move is w, b or x and a cell, such as wa1"
    if name not in names:
        return f"{name} is not a cell of this board"
    if rules.is_forced(state):
        return "over-connected stones must be flipped first (C5)"
    if kind == "x":
        if piece_at(state, names.index(name)) == EMPTY:
            return f"{name} is empty"
        return f"the stone on {name} is not over-connected"
    return f"{name} is occupied"


def position_text(board: Any, state: Any) -> str:
    rows = []
    for row in reversed(hexgrid.rows(side_of(board))):
        pieces = "".join(piece_at(state, cell) for cell in row)
        rows.append(run_lengths(pieces))
    return f"{'/'.join(rows)} {KINDS[state.player]}"


def read_position(board: Any, state: Any, text: str) -> None:
    rows, _, player = text.partition(" ")
    if player not in ("w", "b"):
        raise ValueError(f"the player to move must be w or b, not {player[:20]!r}")
    drawn = rows.split("/")
    rows_of_cells = hexgrid.rows(side_of(board))
    if len(drawn) != len(rows_of_cells):
        raise ValueError(f"expected {len(rows_of_cells)} rows, got {len(drawn)}")
    for row, pieces in zip(reversed(rows_of_cells), drawn, strict=True):
        spread = re.sub(r"\d{1,2}", lambda run: "." * int(run[0]), pieces)
        if len(spread) != len(row) or not set(spread) <= set(PIECES):
            raise ValueError(
                f"row {pieces[:20]!r} must have {len(row)} cells: w, b and numbers of empty ones"
            )
        for cell, piece in zip(row, spread, strict=True):
            if piece != ".":
                rules.play(board, state, PIECES.index(piece) - 1 << rules.KIND_SHIFT | cell)
    player_number = KINDS.index(player)
    placed = len(board.cell) - state.empty
    if state.empty == 0:
        raise ValueError("at least one cell must be empty (C7)")
    # After one stone Black may have swapped (C10).
    fixed = 3 if len(board.opening) == rules.TWO else 1
    if placed < fixed and player_number != (rules.BLACK if placed else rules.WHITE):
        raise ValueError(
            f"with {placed} stones on the board the player to move is {'wb'[placed > 0]} (C1)"
        )
    state.player = player_number
