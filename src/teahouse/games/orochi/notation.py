"""Orochi's moves and positions as text.

A move is `w` or `b` and a cell for a placement, `x` and a cell for a replacement. A position is its
rows from the top, each with `w`, `b` and numbers for runs of empty cells, and who decides:

    4/5/6/3w3/6/5/4 b
"""

import re
from typing import Any

from teahouse.core import hexgrid
from teahouse.games.orochi import rules

KINDS = "wbx"
PIECES = ".wb"


def side_of(state: Any) -> int:
    """The side of the board a state is for."""
    size = len(state.cells) - 1
    return next(side for side in range(2, 9) if 3 * side * (side - 1) + 1 == size)


def move_text(board: Any, state: Any, move: int) -> str:
    names = hexgrid.names(side_of(state))
    return KINDS[move >> rules.KIND_SHIFT] + names[move & rules.CELL_MASK]


def normalize(board: Any, state: Any, text: str) -> str:
    return text.lower()


def explain(board: Any, state: Any, text: str) -> str:
    names = hexgrid.names(side_of(state))
    kind, name = text[:1].lower(), text[1:].lower()
    if kind not in KINDS or not re.fullmatch(r"[a-z]\d{1,2}", name):
        return "a move is w, b or x and a cell, such as wd4"
    if name not in names:
        return f"the board has no cell {name}"
    piece = state.cells[names.index(name)] & rules.PIECE_MASK
    if state.over_connected:
        return "over-connected pieces must be replaced first (C5)"
    if kind == "x":
        return (
            f"{'nothing lies on' if piece == 0 else 'there is no over-connected piece on'} {name}"
        )
    return f"{name} is taken"


def position_text(board: Any, state: Any) -> str:
    rows = []
    for row in reversed(_rows(state)):
        pieces = "".join(PIECES[state.cells[cell] & rules.PIECE_MASK] for cell in row)
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), pieces))
    return f"{'/'.join(rows)} {KINDS[state.player]}"


def read_position(board: Any, state: Any, text: str) -> None:
    rows, _, player = text.partition(" ")
    if player not in ("w", "b"):
        raise ValueError(f"who decides is w or b, not {player[:20]!r}")
    drawn = rows.split("/")
    if len(drawn) != len(_rows(state)):
        raise ValueError(f"{len(drawn)} rows instead of {len(_rows(state))}")
    for row, pieces in zip(reversed(_rows(state)), drawn, strict=True):
        spread = re.sub(r"\d{1,2}", lambda run: "." * int(run[0]), pieces)
        if len(spread) != len(row) or not set(spread) <= set(PIECES):
            raise ValueError(
                f"row {pieces[:20]!r} is not {len(row)} cells of w, b and numbers for empty ones"
            )
        for cell, piece in zip(row, spread, strict=True):
            if piece != ".":
                rules.play(board, state, PIECES.index(piece) - 1 << rules.KIND_SHIFT | cell)
    player_number = KINDS.index(player)
    placed = len(state.cells) - 1 - state.empty
    if state.empty == 0:
        raise ValueError("one cell at least stays empty")
    if placed < 3 and player_number != (rules.BLACK if placed else rules.WHITE):
        raise ValueError(
            f"with {placed} pieces on the board it is {'wb'[placed > 0]} who decides (C1)"
        )
    state.player = player_number


def _rows(state: Any) -> list[range]:
    """The cells of each row from the bottom."""
    side = side_of(state)
    rows = []
    first = 0
    for row in range(2 * side - 1):
        rows.append(range(first, first + hexgrid.row_length(side, row)))
        first = rows[-1].stop
    return rows
