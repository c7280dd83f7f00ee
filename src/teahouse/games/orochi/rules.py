"""Orochi's rules: the state's layout and all kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.core.game import Layout
from teahouse.core.random import below

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

SEEN = 4  # for `winners`, once the counts have served

CHUNK = 8  # cells in one byte of `free`


def layout(options: Mapping[str, Any]) -> Layout:
    """The board's tables and the state's fields for these options."""
    near = hexgrid.neighbours(options["side"])
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
        ]
    )
    # `legal` writes a whole chunk at a time, so its list needs room for one more.
    return Layout(board, state, max_moves=2 * size + CHUNK)


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


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """The move that `random` picks from the list that `legal` writes, without writing it."""
    if state.over_connected:
        index = below(random, state.over_connected)
        cells = state.cells
        for cell in range(len(cells) - 1):
            value = cells[cell]
            due = (value & WHITE_OVER_MASK == WHITE_OVER) | (value & BLACK_OVER_MASK == BLACK_OVER)
            if due and index == 0:
                return REPLACE << KIND_SHIFT | cell
            index -= due
    index = below(random, 2 * state.empty)
    colour = int(index >= state.empty)
    index -= colour * state.empty
    free = state.free
    for chunk in range(len(free)):
        bits = free[chunk]
        if index < board.bit_count[bits]:
            return colour << KIND_SHIFT | chunk * CHUNK + board.set_bits[bits][index]
        index -= board.bit_count[bits]
    return 0


def play(board: Any, state: Any, move: int) -> None:
    """Place a piece (C3) or replace one (C5), and end the turn or the game where that is due."""
    cells = state.cells
    size = len(cells) - 1
    cell = move & CELL_MASK
    kind = move >> KIND_SHIFT
    near = board.near[cell]
    old = cells[cell] & PIECE_MASK
    new = PIECE_MASK - old if kind == REPLACE else kind + 1
    old_one = 1 << 3 * old >> 1  # one neighbour in the count of that colour; 0 for no piece
    new_one = 1 << 3 * new >> 1
    old_mask = PIECE_MASK | COUNT_MASK * old_one
    new_mask = PIECE_MASK | COUNT_MASK * new_one
    relieved = old | (OVER_CONNECTED - 1) * old_one | (old == 0) << 2  # where none was, none is
    reached = new | OVER_CONNECTED * new_one
    over_connected = state.over_connected - (old > 0)
    for direction in range(6):
        value = cells[near[direction]] + new_one - old_one
        cells[near[direction]] = value
        over_connected += value & new_mask == reached
        over_connected -= value & old_mask == relieved
    cells[size] = 0
    cells[cell] += new - old
    over_connected += cells[cell] & OVER_CONNECTED * new_one > 0
    state.over_connected = over_connected
    state.free[cell // CHUNK] &= ~(1 << cell % CHUNK)
    state.empty -= old == 0
    if over_connected == 0:
        if state.empty == 1:
            state.over = 1  # C7
        elif old == 0 and size - state.empty != 2:  # C6: a replacer goes on; C1: Black's two
            state.player = 1 - state.player  # C2


def winners(board: Any, state: Any, scratch: Any) -> int:
    """Compare the largest groups beside the last empty cell."""
    cells = state.cells
    last = 0
    for cell in range(len(cells) - 1):
        cells[cell] &= PIECE_MASK  # the counts have served; a bit of theirs marks what was seen
        last += cell * (cells[cell] == 0)
    white = 0
    black = 0
    for direction in range(6):
        cell = board.near[last][direction]
        if cells[cell] == WHITE + 1:
            white = max(white, _group(board, cells, cell, scratch))
        elif cells[cell] == BLACK + 1:
            black = max(black, _group(board, cells, cell, scratch))
    if white == black:
        return 1 << 1 - state.player  # C9
    return 1 << (WHITE if white > black else BLACK)  # C8


def _group(board: Any, cells: Any, first: int, queue: Any) -> int:
    """Mark and count the pieces of one colour that hang together with the first."""
    piece = int(cells[first])
    cells[first] += SEEN
    queue[0] = first
    done = 0
    count = 1
    while done < count:
        near = board.near[queue[done]]
        done += 1
        for direction in range(6):
            same = cells[near[direction]] == piece
            cells[near[direction]] += SEEN * same
            queue[count] = near[direction]
            count += same
    return count
