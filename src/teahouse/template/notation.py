"""Moves and positions as text: a move is a cell such as c3, a position its rows from the top."""

from typing import Any

from . import rules

PIECES = ".bw"


def cell_name(side: int, cell: int) -> str:
    """Return a column's letter and a row's number; rows count from the bottom."""
    row, column = divmod(cell, side)
    return f"{'abcdefghi'[column]}{side - row}"


def move_text(board: Any, state: Any, move: int) -> str:
    return cell_name(board.side, move)


def position_text(board: Any, state: Any) -> str:
    pieces = "".join(PIECES[cell] for cell in state.cells)
    return "/".join(pieces[at : at + board.side] for at in range(0, len(pieces), board.side))


def read_position(board: Any, state: Any, text: str) -> None:
    rows = text.split("/")
    if len(rows) != board.side or any(len(row) != board.side for row in rows):
        raise ValueError(f"the board has {board.side} rows of {board.side} cells")
    for cell, piece in enumerate("".join(rows)):
        if piece not in PIECES:
            raise ValueError(f"{piece!r} is not one of {PIECES}")
        state.cells[cell] = PIECES.index(piece)
    black, white = state.cells.count(1), state.cells.count(2)
    if black - white not in (0, 1):
        raise ValueError(f"{black} black and {white} white stones cannot be placed in turn")
    state.empty = state.cells.count(rules.EMPTY)
    lines = {
        stone - 1
        for cell, stone in enumerate(state.cells)
        if stone != rules.EMPTY and rules.in_line(board, state, cell)
    }
    last = 0 if black > white else 1  # the player who placed the last stone
    if lines - {last}:
        raise ValueError("the game ended before the last stone")
    state.over = int(bool(lines) or state.empty == 0)
    state.winners = 1 << last if lines else 0
    state.player = last if state.over else 1 - last
