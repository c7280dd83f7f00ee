"""Fillit's rules: the state's layout and the kernels. Rule numbers are those of rules.md.

Sets of cells are bitboards in one signed 64-bit integer; 61 cells do not reach the sign bit.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.core.game import Layout
from teahouse.games.fillit import layouts

MAX_TURNS = 300  # F10

# A move is the cell of the pawn or stone and its direction; the distance follows from the rules.
DIRECTION_BITS = 3
DIRECTION_MASK = (1 << DIRECTION_BITS) - 1

# Values of `pending`: what the player still has to move in this turn.
BOTH, PAWN, STONE = 0, 1, 2

# Powers of two have different remainders modulo 67: a perfect hash from a bit to its index.
BIT_HASH = 67


def layout(options: Mapping[str, Any]) -> Layout:
    """Return the layout of the board's constants and of the state."""
    mode = layouts.MODES[options["mode"]]
    players, sides = len(mode.players), len(mode.sides)
    neighbours = hexgrid.neighbours(mode.board)
    size = len(neighbours)
    wall = layouts.wall_cell(mode.board)
    board = np.zeros(
        1,
        [
            ("adjacent", np.int64, size),  # the neighbours of each cell without the wall
            ("open_cells", np.int64),  # all cells but the wall
            ("chips", np.int64),  # per side, on the board and in hand
            ("start_chips", np.int64, sides),
            ("start_stones", np.int64, sides),
            ("start_pawns", np.uint8, players),
            ("side", np.uint8, players),  # of each player
            ("winners", np.uint8, sides),  # a bit for each player of a side
            ("first", np.uint8),
            ("neighbours", np.uint8, (size, 6)),
            ("bit_index", np.uint8, BIT_HASH),
        ],
    )
    for cell in range(size):
        board["adjacent"][0, cell] = sum(1 << other for other in {*neighbours[cell]} - {wall, size})
    board["open_cells"] = (1 << size) - 1 ^ 1 << wall
    board["chips"] = layouts.chips_per_side(options)
    glyphs = layouts.start_glyphs(options)
    for side, seats in enumerate(mode.sides):
        stones = [cell for cell, glyph in enumerate(glyphs) if glyph == mode.stone_letters[side]]
        board["start_stones"][0, side] = sum(1 << cell for cell in stones)
        for player in seats:
            pawn = glyphs.index(mode.pawn_letters[player])
            board["start_pawns"][0, player] = pawn
            board["start_chips"][0, side] |= 1 << pawn  # F1
            board["side"][0, player] = side
            board["winners"][0, side] |= 1 << player
    board["first"] = mode.players.index(options["first"])
    board["neighbours"] = neighbours
    for cell in range(size):
        board["bit_index"][0, (1 << cell) % BIT_HASH] = cell
    state = np.dtype(
        [
            ("chips", np.int64, sides),  # bitboard of each side's chips
            ("stones", np.int64, sides),  # bitboard of each side's stones
            ("turns", np.uint16),  # number of turns ended
            ("pawns", np.uint8, players),
            ("pending", np.uint8),
            ("player", np.uint8),
            ("over", np.uint8),
            ("winners", np.uint8),
        ]
    )
    return Layout(board, state, max_moves=6 + 6 * mode.stones)


def start(board: Any, state: Any, seed: int) -> None:
    """Set up pawns and stones (F1) with the first player to move (F2)."""
    for side in range(len(state.chips)):
        state.chips[side] = board.start_chips[side]
        state.stones[side] = board.start_stones[side]
    for player in range(len(state.pawns)):
        state.pawns[player] = board.start_pawns[player]
    state.turns = 0
    state.pending = BOTH
    state.player = board.first
    state.over = 0
    state.winners = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """Write the pawn's moves by direction, then the stones' by cell and direction."""
    count = 0
    if state.over:
        return count
    player = state.player
    stones = state.stones[board.side[player]]
    if state.pending == STONE:
        return _list_stones(board, stones, moves, count)
    pawn = int(state.pawns[player])
    free = free_cells(board, state)
    neighbours = board.neighbours[pawn]
    for direction in range(6):
        moves[count] = pawn << DIRECTION_BITS | direction
        count += (free >> neighbours[direction]) & 1
    if state.pending == PAWN:
        return count
    count = list_freeing_stones(board, stones, pawn, free, moves, count)
    if count == 0:
        count = _list_stones(board, stones, moves, count)  # F5
    return count


def play(board: Any, state: Any, move: int) -> None:
    """Move the pawn or a stone; end the turn or the game where the rules say so."""
    cell = move >> DIRECTION_BITS
    direction = move & DIRECTION_MASK
    player = state.player
    if cell == state.pawns[player]:
        _slide_pawn(board, state, direction)
        if state.over:
            return
        pending = STONE
    else:
        _swap_stone(state, cell, int(board.neighbours[cell][direction]))
        # By F4 the pawn is blocked after a first stone move only if no stone move frees it (F5).
        can_slide = board.adjacent[state.pawns[player]] & free_cells(board, state) != 0
        pending = PAWN if can_slide else BOTH
    if state.pending == BOTH and pending != BOTH:
        state.pending = pending
        return
    state.pending = BOTH
    state.player = 0 if player + 1 == len(state.pawns) else player + 1  # F2, F11
    state.turns += 1
    state.over = int(state.turns == MAX_TURNS)  # F10


def free_cells(board: Any, state: Any) -> int:
    """Return the cells a pawn can enter: all but the wall, stones and pawns (F6)."""
    occupied = 0
    for side in range(len(state.stones)):
        occupied |= state.stones[side]
    for player in range(len(state.pawns)):
        occupied |= 1 << int(state.pawns[player])
    return board.open_cells & ~occupied


def _list_stones(board: Any, stones: int, moves: Any, count: int) -> int:
    """Append all moves of these stones; return the number of moves listed."""
    rest = stones
    while rest != 0:
        lowest = rest & -rest
        rest ^= lowest
        count = _list_stone(board, stones, lowest, board.open_cells, moves, count)
    return count


def list_freeing_stones(
    board: Any, stones: int, pawn: int, free: int, moves: Any, count: int
) -> int:
    """Append the moves of these stones after which the pawn can move (F4)."""
    by_pawn = board.adjacent[pawn]
    exits = by_pawn & free
    pawn_bit = 1 << pawn
    # A stone adjacent to the pawn opens an exit when it goes to a free cell. A stone from elsewhere
    # can close the pawn's only exit. A swap with a stone or a pawn changes no exit.
    from_adjacent = free
    from_elsewhere = 0
    if exits != 0:
        from_adjacent = board.open_cells ^ pawn_bit
        from_elsewhere = from_adjacent
        if exits & (exits - 1) == 0:
            from_elsewhere ^= exits
    rest = stones
    while rest != 0:
        lowest = rest & -rest
        rest ^= lowest
        targets = from_elsewhere
        if lowest & by_pawn != 0:
            targets = from_adjacent
            # A swap with the own pawn: its exits are then those of the stone's cell.
            if board.adjacent[board.bit_index[lowest % BIT_HASH]] & free != 0:
                targets |= pawn_bit
        count = _list_stone(board, stones, lowest, targets, moves, count)
    return count


def _list_stone(board: Any, stones: int, lowest: int, targets: int, moves: Any, count: int) -> int:
    """Append the moves of the stone with this bit to the targets but earlier own stones (F8)."""
    cell = int(board.bit_index[lowest % BIT_HASH])
    neighbours = board.neighbours[cell]
    targets &= ~(stones & (lowest - 1))
    for direction in range(6):
        moves[count] = cell << DIRECTION_BITS | direction
        count += (targets >> neighbours[direction]) & 1
    return count


def _slide_pawn(board: Any, state: Any, direction: int) -> None:
    """Slide the pawn and lay chips (F6, F7), stopping with the last chip (F9)."""
    player = state.player
    side = board.side[player]
    free = free_cells(board, state)
    own = int(state.chips[side])
    in_hand = board.chips - popcount(own)
    path = 0
    cell = int(state.pawns[player])
    beyond = int(board.neighbours[cell][direction])
    while (free >> beyond) & 1 != 0 and in_hand > 0:
        cell = beyond
        path |= 1 << cell
        in_hand -= 1 - ((own >> cell) & 1)
        beyond = int(board.neighbours[cell][direction])
    for other in range(len(state.chips)):
        state.chips[other] &= ~path
    state.chips[side] |= path
    state.pawns[player] = cell
    if in_hand == 0:
        state.over = 1
        state.winners = board.winners[side]
        state.pending = BOTH


def _swap_stone(state: Any, stone: int, target: int) -> None:
    """Swap a stone with the contents of the target cell (F8)."""
    both = 1 << stone | 1 << target
    for side in range(len(state.chips)):
        chips = state.chips[side]
        state.chips[side] = chips ^ both * ((chips >> stone ^ chips >> target) & 1)
        stones = state.stones[side]
        state.stones[side] = stones ^ both * ((stones >> stone ^ stones >> target) & 1)
    for player in range(len(state.pawns)):
        if state.pawns[player] == target:
            state.pawns[player] = stone


def popcount(cells: int) -> int:
    """Return the number of cells of a set."""
    cells -= cells >> 1 & 0x5555555555555555
    cells = (cells & 0x3333333333333333) + (cells >> 2 & 0x3333333333333333)
    cells = cells + (cells >> 4) & 0x0F0F0F0F0F0F0F0F
    cells += cells >> 8
    cells += cells >> 16
    cells += cells >> 32
    return cells & 127
