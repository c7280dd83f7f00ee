"""The rules: the layout of board and state, and the kernels that start a game and play moves."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core.game import Layout

LINE = 4  # stones in a line that win
EMPTY = 0  # a cell with a stone holds its player's number plus 1


def layout(options: Mapping[str, Any]) -> Layout:
    """Return the board's constants and the state's fields; a move is the number of its cell."""
    cells = options["side"] ** 2
    board = np.zeros(1, [("side", np.uint8)])
    board["side"] = options["side"]
    state = np.dtype(
        [
            ("cells", np.uint8, cells),
            ("empty", np.uint8),  # number of empty cells
            ("player", np.uint8),
            ("over", np.uint8),
            ("winners", np.uint8),  # a bit for each player
        ]
    )
    return Layout(board, state, max_moves=cells)


def start(board: Any, state: Any, seed: int) -> None:
    """Set up an empty board, Black to move."""
    for cell in range(len(state.cells)):
        state.cells[cell] = EMPTY
    state.empty = len(state.cells)
    state.player = 0
    state.over = 0
    state.winners = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """List the empty cells and return their number."""
    count = 0
    if state.over:
        return count
    for cell in range(len(state.cells)):
        if state.cells[cell] == EMPTY:
            moves[count] = cell
            count += 1
    return count


def play(board: Any, state: Any, move: int) -> None:
    """Place a stone; end the game after a line or on a full board."""
    state.cells[move] = state.player + 1
    state.empty -= 1
    if in_line(board, state, move):
        state.over = 1
        state.winners = 1 << state.player
    elif state.empty == 0:
        state.over = 1
    else:
        state.player = 1 - state.player


def in_line(board: Any, state: Any, cell: int) -> bool:
    """Return whether a stone is part of a winning line."""
    return (
        _length(board, state, cell, 0, 1) >= LINE
        or _length(board, state, cell, 1, 0) >= LINE
        or _length(board, state, cell, 1, 1) >= LINE
        or _length(board, state, cell, 1, -1) >= LINE
    )


def _length(board: Any, state: Any, cell: int, down: int, right: int) -> int:
    """Return the length of the line through a stone, along a direction and its opposite."""
    side, cells = int(board.side), state.cells
    length = -1  # the stone itself is counted twice
    for sign in range(-1, 2, 2):
        row, column = cell // side, cell % side
        while 0 <= row < side and 0 <= column < side and cells[row * side + column] == cells[cell]:
            length += 1
            row += sign * down
            column += sign * right
    return length
