"""Orochi's rules: the state's layout and all kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexes
from teahouse.core.game import Layout

WHITE, BLACK = 0, 1

# A move is its kind and its cell; the kind is the colour placed, or a replacement.
KIND_SHIFT = 8
CELL_MASK = (1 << KIND_SHIFT) - 1
REPLACE = 2

# A cell is one byte:
#
#    bits 7 6 5   4 3 2   1 0
#         black   white   piece: 0 none, 1 white, 2 black
#         neighbours, 0 to 6 of each colour
#
# so that bit 4 of a white piece, and bit 7 of a black one, say that it is over-connected (C4).
PIECE_MASK = 3
COUNT_MASK = 7
OVER_CONNECTED = 4
WHITE_OVER_MASK, WHITE_OVER = 0b00010011, 0b00010001
BLACK_OVER_MASK, BLACK_OVER = 0b10000011, 0b10000010

CHUNK = 8  # cells in one byte of `free`


def layout(options: Mapping[str, Any]) -> Layout:
    """The board's tables and the state's fields for these options."""
    near = hexes.neighbours(options["side"])
    size = len(near)
    board = np.zeros(
        1,
        [
            ("near", np.uint8, (size, 6)),  # opposite directions differ in the lowest bit
            ("set_bits", np.uint8, (256, CHUNK)),  # for each byte the places of its bits,
            ("bit_count", np.uint8, 256),  # and how many there are
        ],
    )
    board["near"] = near
    for byte in range(256):
        places = [place for place in range(CHUNK) if byte >> place & 1]
        board["set_bits"][0, byte, : len(places)] = places
        board["bit_count"][0, byte] = len(places)
    state = np.dtype(
        [
            ("cells", np.uint8, size + 1),  # the last one stands for everything off the board
            ("free", np.uint8, -(-size // CHUNK)),  # a bit for each cell without a piece
            ("empty", np.uint8),  # how many those are
            ("over_connected", np.uint8),  # pieces to replace before the turn can end
            ("player", np.uint8),
            ("over", np.uint8),
            ("winners", np.uint8),
        ]
    )
    # `legal` writes a whole chunk at a time, so its list needs room for one more.
    return Layout(board, state, most_moves=2 * size + CHUNK)


def start(board: Any, state: Any, seed: int) -> None:
    """An empty board, White to place."""
    size = len(state.cells) - 1
    for cell in range(size + 1):
        state.cells[cell] = 0
    for chunk in range(len(state.free)):
        state.free[chunk] = (1 << min(CHUNK, size - chunk * CHUNK)) - 1
    state.empty = size
    state.over_connected = 0
    state.player = WHITE
    state.over = 0
    state.winners = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """List the replacements that are due (C5), or else white placements, then black ones (C3)."""
    count = 0
    if state.over:
        return count
    if state.over_connected:
        cells = state.cells
        for cell in range(len(cells) - 1):
            value = cells[cell]
            moves[count] = REPLACE << KIND_SHIFT | cell
            count += (value & WHITE_OVER_MASK == WHITE_OVER) | (
                value & BLACK_OVER_MASK == BLACK_OVER
            )
        return count
    free = state.free
    for chunk in range(len(free)):
        places = board.set_bits[free[chunk]]
        for place in range(CHUNK):
            moves[count + place] = chunk * CHUNK + places[place]
        count += board.bit_count[free[chunk]]
    for index in range(count):
        moves[count + index] = BLACK << KIND_SHIFT | moves[index]
    return 2 * count


def play(board: Any, state: Any, move: int) -> None:
    """Place or replace a piece, and end the turn or the game where that is due."""
    cells = state.cells
    size = len(cells) - 1
    cell = move & CELL_MASK
    kind = move >> KIND_SHIFT
    if kind == REPLACE:
        over_connected = _replace(board, state, cell)
    else:
        over_connected = _place(board, state, cell, kind + 1)
    cells[size] = 0
    state.over_connected = over_connected
    if over_connected == 0:
        if state.empty == 1:
            _finish(board, state)  # C7
        elif kind != REPLACE and size - state.empty != 2:  # C6: a replacer goes on; C1: Black's two
            state.player = 1 - state.player  # C2


def _place(board: Any, state: Any, cell: int, piece: int) -> int:
    """Put a piece on an empty cell; how many pieces are over-connected then."""
    cells = state.cells
    near = board.near[cell]
    shift = 3 * piece - 1
    mask = PIECE_MASK | COUNT_MASK << shift
    reached = piece | OVER_CONNECTED << shift
    over_connected = int(state.over_connected)
    for direction in range(6):
        value = cells[near[direction]] + (1 << shift)
        cells[near[direction]] = value
        over_connected += value & mask == reached
    cells[cell] += piece
    over_connected += (cells[cell] >> shift) & COUNT_MASK >= OVER_CONNECTED
    state.free[cell // CHUNK] &= ~(1 << cell % CHUNK)
    state.empty -= 1
    return over_connected


def _replace(board: Any, state: Any, cell: int) -> int:
    """Turn an over-connected piece into the other colour; how many are over-connected then."""
    cells = state.cells
    near = board.near[cell]
    old = cells[cell] & PIECE_MASK
    new = PIECE_MASK - old
    old_shift = 3 * old - 1
    new_shift = 3 * new - 1
    old_mask = PIECE_MASK | COUNT_MASK << old_shift
    new_mask = PIECE_MASK | COUNT_MASK << new_shift
    relieved = old | OVER_CONNECTED - 1 << old_shift
    reached = new | OVER_CONNECTED << new_shift
    # It has four neighbours of the old colour at least, so two of the new one at most.
    over_connected = int(state.over_connected) - 1
    for direction in range(6):
        value = cells[near[direction]] + (1 << new_shift) - (1 << old_shift)
        cells[near[direction]] = value
        over_connected += value & new_mask == reached
        over_connected -= value & old_mask == relieved
    cells[cell] += new - old
    return over_connected


def _finish(board: Any, state: Any) -> None:
    """Compare the largest groups beside the last empty cell."""
    cells = state.cells
    size = len(cells) - 1
    last = 0
    for cell in range(size):
        cells[cell] &= PIECE_MASK  # the counts have served; their bits take the marks of _group
        if cells[cell] == 0:
            last = cell
    white = 0
    black = 0
    for direction in range(6):
        cell = board.near[last][direction]
        if cells[cell] == WHITE + 1:
            white = max(white, _group(board, cells, cell))
        elif cells[cell] == BLACK + 1:
            black = max(black, _group(board, cells, cell))
    for cell in range(size):
        cells[cell] &= PIECE_MASK
    winner = 1 - state.player  # C9
    if white > black:  # C8
        winner = WHITE
    elif black > white:
        winner = BLACK
    state.over = 1
    state.winners = 1 << winner


def _group(board: Any, cells: Any, first: int) -> int:
    """Count and mark a group, walking from cell to cell with the way back written in each."""
    piece = int(cells[first])
    home = 6  # where no way leads back
    cells[first] = piece + 4 * (home + 1)
    cell = first
    direction = 0
    count = 1
    while True:
        if direction < 6:
            beside = board.near[cell][direction]
            if cells[beside] == piece:
                cells[beside] = piece + 4 * ((direction ^ 1) + 1)
                cell = beside
                direction = 0
                count += 1
            else:
                direction += 1
        else:
            back = (cells[cell] >> 2) - 1
            if back == home:
                return count
            cell = board.near[cell][back]
            direction = (back ^ 1) + 1
