"""Fillit's rules: the state's layout and the kernels. Rule numbers are those of rules.md.

Sets of cells are bitboards in one signed 64-bit integer; 61 cells do not reach the sign bit.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.core.bits import bit_length, lowest_bit, nth_bit, popcount
from teahouse.core.game import Layout
from teahouse.core.random import bounded
from teahouse.games.fillit import layouts

MAX_TURNS = 300  # F10

# A move is the cell of the pawn or stone and its direction; the distance follows from the rules.
DIRECTION_BITS = 3
DIRECTION_MASK = (1 << DIRECTION_BITS) - 1

# Numbers of moves of a side's stones, at most 24, in one word: each count has a spare bit on top.
COUNT_BITS = 6
COUNT_MASK = (1 << COUNT_BITS) - 1

# Values of `pending`: what the player still has to move in this turn.
BOTH, PAWN, STONE = 0, 1, 2


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
            ("ray", np.int64, (size, 6)),  # all cells of each direction
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
        for direction in range(6):
            beyond = neighbours[cell][direction]
            while beyond < size:
                board["ray"][0, cell, direction] |= 1 << beyond
                beyond = neighbours[beyond][direction]
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
    pawn = int(state.pawns[player])
    stones = state.stones[board.side[player]]
    free = free_cells(board, state)
    if state.pending != STONE:
        count = _list_directions(board, pawn, free, moves, count)
    if state.pending != PAWN:
        begin = count
        count = _list_stones(board, stones, pawn, free, state.pending == BOTH, moves, begin)
        if count == 0:
            count = _list_stones(board, stones, pawn, free, False, moves, begin)  # F5
    return count


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return the move that `random` picks from the list of `legal`, without writing the list."""
    player = state.player
    pawn = int(state.pawns[player])
    stones = state.stones[board.side[player]]
    free = free_cells(board, state)
    freeing = state.pending == BOTH
    slides = 0 if state.pending == STONE else popcount(board.adjacent[pawn] & free)
    counts = 0
    if state.pending != PAWN:
        counts = count_stone_moves(board, stones, pawn, free, freeing)
        if slides + counts == 0:
            freeing = False  # F5
            counts = count_stone_moves(board, stones, pawn, free, freeing)
    index = bounded(random, slides + (counts & COUNT_MASK))
    cell = pawn
    targets = free
    if index >= slides:
        index -= slides
        left = index
        rest = stones
        while rest:
            # Keep the last stone before which the index has not run out. A branch that ends the
            # loop there would be hard to predict.
            wanted = ~(left >> 63)
            stone = lowest_bit(rest)
            swaps = stone_targets(board, stones, stone, pawn, free, freeing)
            cell ^= (cell ^ stone) & wanted
            targets ^= (targets ^ swaps) & wanted
            index ^= (index ^ left) & wanted
            left -= popcount(board.adjacent[stone] & swaps)
            rest &= rest - 1
    return encode_target(board, cell, targets, index)


def encode_target(board: Any, cell: int, targets: int, index: int) -> int:
    """Return the move from a cell to the target with an index, in the order of directions."""
    directions = 0
    for direction in range(6):
        directions |= (targets >> board.neighbours[cell][direction] & 1) << direction
    return cell << DIRECTION_BITS | nth_bit(directions, index)


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


def stone_targets(board: Any, stones: int, cell: int, pawn: int, free: int, freeing: bool) -> int:
    """Return the cells whose contents the stone on a cell may be swapped with (F8), if adjacent.

    With `freeing` these are only the swaps after which the pawn can move (F4). Of two own stones
    the one on the lower cell moves.
    """
    targets = board.open_cells
    if freeing:
        by_pawn = board.adjacent[pawn]
        exits = by_pawn & free
        pawn_bit = 1 << pawn
        # A stone adjacent to the pawn opens an exit when it goes to a free cell. A stone from
        # elsewhere can close the pawn's only exit. A swap with a stone or a pawn changes no exit.
        from_adjacent = targets ^ pawn_bit if exits else free
        from_elsewhere = 0
        if exits:
            from_elsewhere = from_adjacent ^ (exits if exits & (exits - 1) == 0 else 0)
        # A swap with the own pawn: its exits are then those of the stone's cell.
        if board.adjacent[cell] & free:
            from_adjacent |= pawn_bit
        targets = from_adjacent if by_pawn >> cell & 1 else from_elsewhere
    return targets & ~(stones & (1 << cell) - 1)


def _list_stones(
    board: Any, stones: int, pawn: int, free: int, freeing: bool, moves: Any, count: int
) -> int:
    """Append the moves of these stones; return the number of moves listed."""
    rest = stones
    while rest:
        cell = lowest_bit(rest)
        targets = stone_targets(board, stones, cell, pawn, free, freeing)
        count = _list_directions(board, cell, targets, moves, count)
        rest &= rest - 1
    return count


def count_stone_moves(board: Any, stones: int, pawn: int, free: int, freeing: bool) -> int:
    """Return the number of moves of the stones up to each one, COUNT_BITS each, of all lowest."""
    counts = 0
    total = 0
    rest = stones
    while rest:
        cell = lowest_bit(rest)
        targets = stone_targets(board, stones, cell, pawn, free, freeing)
        total += popcount(board.adjacent[cell] & targets)
        counts = counts << COUNT_BITS | total
        rest &= rest - 1
    return counts


def _list_directions(board: Any, cell: int, targets: int, moves: Any, count: int) -> int:
    """Append the moves from a cell to the targets; return the number of moves listed."""
    neighbours = board.neighbours[cell]
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
    ray = board.ray[state.pawns[player]][direction]
    blockers = ray & ~free
    if direction & 1 == 0:  # towards higher cells
        path = ray & (blockers & -blockers) - 1
        last = bit_length(path) - 1
    else:
        path = ray & -(1 << bit_length(blockers))
        last = lowest_bit(path)
    laid = path & ~own
    if popcount(laid) >= in_hand:
        if direction & 1 == 0:
            last = nth_bit(laid, in_hand - 1)
            path &= (2 << last) - 1
        else:
            last = nth_bit(laid, popcount(laid) - in_hand)
            path &= -(1 << last)
        state.over = 1
        state.winners = board.winners[side]
        state.pending = BOTH
    for other in range(len(state.chips)):
        state.chips[other] &= ~path
    state.chips[side] |= path
    state.pawns[player] = last


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
