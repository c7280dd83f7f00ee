"""Orochi's rules: the state's layout and the kernels. Rule numbers are those of rules.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.core.bits import lowest_bit, nth_bit, popcount
from teahouse.core.game import Layout
from teahouse.core.random import bounded

WHITE, BLACK = 0, 1

# A move is its kind and its cell; the kind is the colour placed, or REPLACE.
KIND_SHIFT = 8
CELL_MASK = (1 << KIND_SHIFT) - 1
REPLACE = 2

# Cells per word of a set of cells: signed integers of 64 bits hold the sets of a kernel.
WORD = 63

# The length of `board.opening`, which the compiler knows: the usual game costs nothing.
TWO, SWAP = 1, 2  # Black places two pieces (C1), or may swap (C10)


def layout(options: Mapping[str, Any]) -> Layout:
    """Return the layout of the board's constants and of the state."""
    neighbours = hexgrid.neighbours(options["side"])
    size = len(neighbours)
    words = -(-size // WORD)
    board = np.zeros(
        1,
        [
            ("cell", np.int64, (size, words)),  # the set of each cell alone
            ("adjacent", np.int64, (size, words)),  # the set of each cell's neighbours
            ("all", np.int64, words),  # the set of all cells
            ("opening", np.uint8, SWAP if options["opening"] == "swap" else TWO),
        ],
    )
    for cell in range(size):
        board["cell"][0, cell, cell // WORD] = 1 << cell % WORD
        board["all"][0] |= board["cell"][0, cell]
        for near in neighbours[cell]:
            if near < size:
                board["adjacent"][0, cell, near // WORD] |= 1 << near % WORD
    # Each cell's neighbours of a colour are counted in three sets, bit by bit: 0 to 6 of them.
    state = np.dtype(
        [
            ("pieces", np.int64, (2, words)),  # the set of each colour's pieces
            ("ones", np.int64, (2, words)),
            ("twos", np.int64, (2, words)),
            ("fours", np.int64, (2, words)),
            ("over_connected", np.int64, words),  # the set of over-connected pieces (C4)
            ("empty", np.uint8),  # the number of cells without a piece
            ("player", np.uint8),
            ("over", np.uint8),
        ]
    )
    return Layout(board, state, max_moves=2 * size)


def start(board: Any, state: Any, seed: int) -> None:
    """Set up an empty board with White to place (C1)."""
    clear(state)
    state.empty = len(board.cell)
    state.player = WHITE
    state.over = 0


def clear(state: Any) -> None:
    """Remove all pieces."""
    for word in range(len(state.over_connected)):
        state.over_connected[word] = 0
        for colour in range(2):
            state.pieces[colour][word] = 0
            state.ones[colour][word] = 0
            state.twos[colour][word] = 0
            state.fours[colour][word] = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """Write the replacements (C5), or else white placements, then black ones (C3)."""
    count = 0
    if state.over:
        return count
    if is_forced(state):
        for word in range(len(state.over_connected)):
            rest = state.over_connected[word]
            while rest:
                moves[count] = REPLACE << KIND_SHIFT | word * WORD + lowest_bit(rest)
                count += 1
                rest &= rest - 1
        return count
    empty = int(state.empty)
    for word in range(len(board.all)):
        rest = free_cells(board, state, word)
        while rest:
            cell = word * WORD + lowest_bit(rest)
            moves[count] = cell
            moves[empty + count] = BLACK << KIND_SHIFT | cell
            count += 1
            rest &= rest - 1
    count *= 2
    if may_swap(board, state):
        moves[count] = _swap_move(state)
        count += 1
    return count


def contains(cells: Any, cell: int) -> int:
    """Return 1 if a cell is in a set, else 0."""
    return cells[cell // WORD] >> cell % WORD & 1


def free_cells(board: Any, state: Any, word: int) -> int:
    """Return the cells of a word without a piece."""
    return board.all[word] & ~(state.pieces[WHITE][word] | state.pieces[BLACK][word])


def is_forced(state: Any) -> bool:
    """Return whether a piece is over-connected and must be replaced (C5)."""
    some = 0
    for word in range(len(state.over_connected)):
        some |= state.over_connected[word]
    return some != 0


def may_swap(board: Any, state: Any) -> bool:
    """Return whether Black may swap instead of placing a piece (C10)."""
    one_piece = state.empty == len(board.cell) - 1
    return len(board.opening) == SWAP and one_piece and state.player == BLACK


def _swap_move(state: Any) -> int:
    """Return the swap: the only piece is replaced, without being over-connected."""
    only = 0
    for word in range(len(state.over_connected)):
        pieces = state.pieces[WHITE][word] | state.pieces[BLACK][word]
        if pieces:
            only = word * WORD + lowest_bit(pieces)
    return REPLACE << KIND_SHIFT | only


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `legal`, without writing the list."""
    forced = is_forced(state)
    count = 0
    for word in range(len(board.all)):
        count += popcount(state.over_connected[word])
    swaps = may_swap(board, state)
    if not forced:
        count = int(state.empty)
    index = bounded(random, count if forced else 2 * count + swaps)
    if swaps and index == 2 * count:
        return _swap_move(state)
    kind = int(index >= count)
    index -= kind * count
    if forced:
        kind = REPLACE
    for word in range(len(board.all)):
        cells = state.over_connected[word] if forced else free_cells(board, state, word)
        inside = popcount(cells)
        if index < inside:
            return kind << KIND_SHIFT | word * WORD + nth_bit(cells, index)
        index -= inside
    return 0


def play(board: Any, state: Any, move: int) -> None:
    """Place or replace a piece (C3, C5, C10); end the turn or the game where the rules say so."""
    cell = move & CELL_MASK
    kind = move >> KIND_SHIFT
    replaced = kind == REPLACE
    # C5; a swap replaces a piece that is not over-connected (C10).
    relieves = replaced and (len(board.opening) == TWO or is_forced(state))
    colour = kind & 1
    if replaced:
        white = 0
        for word in range(len(board.all)):
            white |= state.pieces[WHITE][word] & board.cell[cell][word]
        colour = int(white != 0)
    add_piece(board, state, colour, cell)
    _remove_piece(board, state, 1 - colour, cell, -int(replaced))
    state.empty -= not replaced
    settled = not find_over_connected(state)
    ended = settled and state.empty == 1  # C7
    second = len(board.cell) - state.empty == 2 and len(board.opening) == TWO  # C1
    state.over = ended
    # C2, C10; not in the cases of C6 and C1
    state.player ^= settled and not (ended or relieves or second)


def add_piece(board: Any, state: Any, colour: int, cell: int) -> None:
    """Put a piece on a cell and count it at the neighbours."""
    for word in range(len(board.all)):
        state.pieces[colour][word] |= board.cell[cell][word]
        added = board.adjacent[cell][word]
        ones = state.ones[colour][word]
        twos = state.twos[colour][word]
        state.ones[colour][word] = ones ^ added
        added &= ones
        state.twos[colour][word] = twos ^ added
        state.fours[colour][word] ^= added & twos


def _remove_piece(board: Any, state: Any, colour: int, cell: int, mask: int) -> None:
    """Take a piece of this colour off a cell if the mask is -1; do nothing if it is 0."""
    for word in range(len(board.all)):
        state.pieces[colour][word] &= ~board.cell[cell][word]
        taken = board.adjacent[cell][word] & mask
        ones = state.ones[colour][word] ^ taken
        state.ones[colour][word] = ones
        taken &= ones
        twos = state.twos[colour][word] ^ taken
        state.twos[colour][word] = twos
        state.fours[colour][word] ^= taken & twos


def find_over_connected(state: Any) -> bool:
    """Update the set of over-connected pieces (C4); return whether there are any."""
    some = 0
    for word in range(len(state.over_connected)):
        white = state.pieces[WHITE][word] & state.fours[WHITE][word]
        black = state.pieces[BLACK][word] & state.fours[BLACK][word]
        state.over_connected[word] = white | black
        some |= white | black
    return some != 0


def winners(board: Any, state: Any, scratch: Any) -> int:
    """Compare the largest groups adjacent to the last empty cell (C8, C9)."""
    last = 0
    for word in range(len(board.all)):
        free = free_cells(board, state, word)
        if free:
            last = word * WORD + lowest_bit(free)
    white = _largest_group(board, state, WHITE, last)
    black = _largest_group(board, state, BLACK, last)
    if white == black:
        return 1 << 1 - state.player  # C9
    return 1 << (WHITE if white > black else BLACK)  # C8


def _largest_group(board: Any, state: Any, colour: int, last: int) -> int:
    """Return the size of the largest group of a colour that touches the last cell.

    The counts of neighbours, no longer needed, hold the pieces not yet seen and those to expand.
    """
    unseen = state.ones[colour]
    reached = state.twos[colour]
    for word in range(len(board.all)):
        unseen[word] = state.pieces[colour][word]
        reached[word] = 0
    largest = 0
    for word in range(len(board.all)):
        while unseen[word] & board.adjacent[last][word]:
            first = unseen[word] & board.adjacent[last][word]
            reached[word] = first & -first
            unseen[word] ^= reached[word]
            largest = max(largest, _expand(board, unseen, reached))
    return largest


def _expand(board: Any, unseen: Any, reached: Any) -> int:
    """Flood-fill the group of the piece in `reached`; return its size."""
    count = 0
    word = 0
    while word < len(board.all):
        if reached[word] == 0:
            word += 1
            continue
        cell = word * WORD + lowest_bit(reached[word])
        reached[word] &= reached[word] - 1
        count += 1
        word = 0 if len(board.all) > 1 else word
        for other in range(len(board.all)):
            found = board.adjacent[cell][other] & unseen[other]
            unseen[other] ^= found
            reached[other] |= found
    return count
