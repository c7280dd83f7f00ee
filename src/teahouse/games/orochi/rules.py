"""Orochi's rules: the state's layout and the kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.core.game import Layout
from teahouse.core.random import bounded

WHITE, BLACK = 0, 1

# A move is its kind and its cell; the kind is the colour placed, or REPLACE.
KIND_SHIFT = 8
CELL_MASK = (1 << KIND_SHIFT) - 1
REPLACE = 2

# A cell is one byte:
#
#    bits 7 6 5   4 3 2   1 0
#         black   white   piece: 0 none, 1 white, 2 black
#         counts of neighbours, 0 to 6
#
# A white piece is over-connected (C4) if bit 4 is set, a black one if bit 7 is set.
PIECE_MASK = 3
COUNT_MASK = 7
OVER_CONNECTED = 4
WHITE_OVER_MASK, WHITE_OVER = 0b00010011, 0b00010001
BLACK_OVER_MASK, BLACK_OVER = 0b10000011, 0b10000010

VISITED = 4  # marks cells in `winners`, which no longer needs the counts

CHUNK = 8  # cells per byte of `free`

# The length of `board.opening`, which the compiler knows: the usual game costs nothing.
TWO, SWAP = 1, 2  # Black places two pieces (C1), or may swap (C10)


def layout(options: Mapping[str, Any]) -> Layout:
    """Return the layout of the board's constants and of the state."""
    neighbours = hexgrid.neighbours(options["side"])
    size = len(neighbours)
    board = np.zeros(
        1,
        [
            ("neighbours", np.uint8, (size, 6)),
            ("set_bits", np.uint8, (256, CHUNK)),  # the indices of each byte's bits
            ("bit_count", np.uint8, 256),  # the number of each byte's bits
            ("opening", np.uint8, SWAP if options["opening"] == "swap" else TWO),
        ],
    )
    board["neighbours"] = neighbours
    for byte in range(256):
        indices = [index for index in range(CHUNK) if byte >> index & 1]
        board["set_bits"][0, byte, : len(indices)] = indices
        board["bit_count"][0, byte] = len(indices)
    state = np.dtype(
        [
            ("cells", np.uint8, size + 1),  # the last one is a sentinel for all cells off the board
            ("free", np.uint8, -(-size // CHUNK)),  # a bit for each cell without a piece
            ("empty", np.uint8),  # the number of those
            ("over_connected", np.uint8),  # the number of over-connected pieces (C4)
            ("player", np.uint8),
            ("over", np.uint8),
        ]
    )
    # `legal` writes CHUNK moves at a time and may write past the last one.
    return Layout(board, state, max_moves=2 * size + CHUNK)


def start(board: Any, state: Any, seed: int) -> None:
    """Set up an empty board with White to place (C1)."""
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
    """Write the replacements (C5), or else white placements, then black ones (C3)."""
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
        bits = board.set_bits[free[chunk]]
        for index in range(CHUNK):
            moves[count + index] = chunk * CHUNK + bits[index]
        count += board.bit_count[free[chunk]]
    for index in range(count):
        moves[count + index] = BLACK << KIND_SHIFT | moves[index]
    count *= 2
    if may_swap(board, state):
        moves[count] = _swap_move(state)
        count += 1
    return count


def may_swap(board: Any, state: Any) -> bool:
    """Return whether Black may swap instead of placing a piece (C10)."""
    one_piece = state.empty == len(state.cells) - 2
    return len(board.opening) == SWAP and one_piece and state.player == BLACK


def _swap_move(state: Any) -> int:
    """Return the swap: the only piece is replaced, without being over-connected."""
    only = 0
    for cell in range(len(state.cells) - 1):
        only += cell * (state.cells[cell] & PIECE_MASK > 0)
    return REPLACE << KIND_SHIFT | only


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `legal`, without writing the list."""
    if state.over_connected:
        index = bounded(random, state.over_connected)
        cells = state.cells
        for cell in range(len(cells) - 1):
            value = cells[cell]
            over = (value & WHITE_OVER_MASK == WHITE_OVER) | (value & BLACK_OVER_MASK == BLACK_OVER)
            if over and index == 0:
                return REPLACE << KIND_SHIFT | cell
            index -= over
    swaps = may_swap(board, state)
    index = bounded(random, 2 * state.empty + swaps)
    if swaps and index == 2 * state.empty:
        return _swap_move(state)
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
    """Place or replace a piece (C3, C5, C10); end the turn or the game where the rules say so."""
    cells = state.cells
    size = len(cells) - 1
    cell = move & CELL_MASK
    kind = move >> KIND_SHIFT
    neighbours = board.neighbours[cell]
    old = cells[cell] & PIECE_MASK
    new = PIECE_MASK - old if kind == REPLACE else kind + 1
    old_one = 1 << 3 * old >> 1  # 1 in the count of that colour; 0 for no piece
    new_one = 1 << 3 * new >> 1
    old_mask = PIECE_MASK | COUNT_MASK * old_one
    new_mask = PIECE_MASK | COUNT_MASK * new_one
    # The last term matches no cell if there was no piece.
    relieved = old | (OVER_CONNECTED - 1) * old_one | (old == 0) << 2
    reached = new | OVER_CONNECTED * new_one
    # C5; a swap replaces a piece that is not over-connected (C10).
    relieves = old > 0 and (len(board.opening) == TWO or state.over_connected > 0)
    over_connected = state.over_connected - relieves
    for direction in range(6):
        value = cells[neighbours[direction]] + new_one - old_one
        cells[neighbours[direction]] = value
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
        elif not relieves and (size - state.empty != 2 or len(board.opening) == SWAP):
            state.player = 1 - state.player  # C2, C10; not in the cases of C6 and C1


def winners(board: Any, state: Any, scratch: Any) -> int:
    """Compare the largest groups adjacent to the last empty cell (C8, C9)."""
    cells = state.cells
    last = 0
    for cell in range(len(cells) - 1):
        cells[cell] &= PIECE_MASK  # clears the counts, whose lowest bit becomes VISITED
        last += cell * (cells[cell] == 0)
    white = 0
    black = 0
    for direction in range(6):
        cell = board.neighbours[last][direction]
        if cells[cell] == WHITE + 1:
            white = max(white, _group_size(board, cells, cell, scratch))
        elif cells[cell] == BLACK + 1:
            black = max(black, _group_size(board, cells, cell, scratch))
    if white == black:
        return 1 << 1 - state.player  # C9
    return 1 << (WHITE if white > black else BLACK)  # C8


def _group_size(board: Any, cells: Any, first: int, queue: Any) -> int:
    """Flood-fill the group of a piece, marking its cells, and return its size."""
    piece = int(cells[first])
    cells[first] += VISITED
    queue[0] = first
    done = 0
    count = 1
    while done < count:
        neighbours = board.neighbours[queue[done]]
        done += 1
        for direction in range(6):
            same = cells[neighbours[direction]] == piece
            cells[neighbours[direction]] += VISITED * same
            queue[count] = neighbours[direction]
            count += same
    return count
