"""Fillit's rules: the state's layout and all kernels. Rule numbers are those of rules.md.

Sets of cells are whole numbers with a bit for each cell; 61 cells leave the sign bit alone.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from teahouse.core import hexgrid
from teahouse.core.game import Layout
from teahouse.games.fillit import layouts

TURNS = 300  # F10

# A move is the cell of the pawn or stone and the direction it goes in; how far follows from that.
DIRECTION_BITS = 3
DIRECTION_MASK = (1 << DIRECTION_BITS) - 1

# What the player has still to move in this turn.
BOTH, PAWN, STONE = 0, 1, 2

# Powers of two leave different remainders: what finds the place of a bit.
PLACES = 67


def layout(options: Mapping[str, Any]) -> Layout:
    """The board's tables and the state's fields for these options."""
    mode = layouts.MODES[options["mode"]]
    players, sides = len(mode.players), len(mode.sides)
    near = hexgrid.neighbours(mode.board)
    size = len(near)
    wall = layouts.middle(mode.board)
    board = np.zeros(
        1,
        [
            ("beside", np.int64, size),  # the neighbours of each cell but the wall
            ("open", np.int64),  # all cells but the wall
            ("chips", np.int64),  # of each side, on the board and in hand
            ("start_chips", np.int64, sides),
            ("start_stones", np.int64, sides),
            ("start_pawns", np.uint8, players),
            ("side", np.uint8, players),  # whose chips and stones each player uses
            ("winners", np.uint8, sides),  # a bit for each player of the side
            ("first", np.uint8),
            ("near", np.uint8, (size, 6)),
            ("place", np.uint8, PLACES),
        ],
    )
    for cell in range(size):
        board["beside"][0, cell] = sum(1 << beside for beside in {*near[cell]} - {wall, size})
    board["open"] = (1 << size) - 1 ^ 1 << wall
    board["chips"] = mode.chips
    opening = layouts.opening(options)
    for side, seats in enumerate(mode.sides):
        stones = [cell for cell, sign in enumerate(opening) if sign == mode.stone_letters[side]]
        board["start_stones"][0, side] = sum(1 << cell for cell in stones)
        for player in seats:
            pawn = opening.index(mode.pawn_letters[player])
            board["start_pawns"][0, player] = pawn
            board["start_chips"][0, side] |= 1 << pawn  # F1
            board["side"][0, player] = side
            board["winners"][0, side] |= 1 << player
    board["first"] = mode.players.index(options["first"])
    board["near"] = near
    for cell in range(size):
        board["place"][0, (1 << cell) % PLACES] = cell
    state = np.dtype(
        [
            ("chips", np.int64, sides),  # the cells where each side's chips lie,
            ("stones", np.int64, sides),  # and where its stones are
            ("turns", np.uint16),  # ended so far
            ("pawns", np.uint8, players),
            ("due", np.uint8),
            ("player", np.uint8),
            ("over", np.uint8),
            ("winners", np.uint8),
        ]
    )
    return Layout(board, state, max_moves=6 + 6 * mode.stones)


def start(board: Any, state: Any, seed: int) -> None:
    """Pawns and stones as drawn (F1), the first player to move (F2)."""
    for side in range(len(state.chips)):
        state.chips[side] = board.start_chips[side]
        state.stones[side] = board.start_stones[side]
    for player in range(len(state.pawns)):
        state.pawns[player] = board.start_pawns[player]
    state.turns = 0
    state.due = BOTH
    state.player = board.first
    state.over = 0
    state.winners = 0


def legal(board: Any, state: Any, moves: Any) -> int:
    """List what may be moved next: the pawn by directions, then stones by cells and directions."""
    count = 0
    if state.over:
        return count
    player = state.player
    stones = state.stones[board.side[player]]
    if state.due == STONE:
        return _any_stone(board, stones, moves, count)
    pawn = int(state.pawns[player])
    free = _free(board, state)
    near = board.near[pawn]
    for direction in range(6):
        moves[count] = pawn << DIRECTION_BITS | direction
        count += (free >> near[direction]) & 1
    if state.due == PAWN:
        return count
    count = _stone_first(board, stones, pawn, free, moves, count)
    if count == 0:
        count = _any_stone(board, stones, moves, count)  # F5
    return count


def play(board: Any, state: Any, move: int) -> None:
    """Move the pawn or a stone, and end the turn or the game where that is due."""
    cell = move >> DIRECTION_BITS
    direction = move & DIRECTION_MASK
    player = state.player
    if cell == state.pawns[player]:
        _slide(board, state, direction)
        if state.over:
            return
        left = STONE
    else:
        _swap(state, cell, int(board.near[cell][direction]))
        # By F4 the pawn is stuck after a first stone move only if no stone move helps: F5.
        able = board.beside[state.pawns[player]] & _free(board, state) != 0
        left = PAWN if able else BOTH
    if state.due == BOTH and left != BOTH:
        state.due = left
        return
    state.due = BOTH
    state.player = 0 if player + 1 == len(state.pawns) else player + 1  # F2, F11
    state.turns += 1
    state.over = int(state.turns == TURNS)  # F10


def _free(board: Any, state: Any) -> int:
    """The cells a pawn can go to: without wall, stones and pawns."""
    taken = 0
    for side in range(len(state.stones)):
        taken |= state.stones[side]
    for player in range(len(state.pawns)):
        taken |= 1 << int(state.pawns[player])
    return board.open & ~taken


def _any_stone(board: Any, stones: int, moves: Any, count: int) -> int:
    """List all moves of these stones after the `count` moves listed already; how many there are."""
    rest = stones
    while rest != 0:
        lowest = rest & -rest
        rest ^= lowest
        count = _stone(board, stones, lowest, board.open, moves, count)
    return count


def _stone_first(board: Any, stones: int, pawn: int, free: int, moves: Any, count: int) -> int:
    """List the moves of these stones after which the pawn can move (F4)."""
    by_pawn = board.beside[pawn]
    exits = by_pawn & free
    pawn_bit = 1 << pawn
    # A stone beside the pawn leaves an exit there when it goes to a free cell. One from elsewhere
    # can shut the pawn's only exit. What changes places with a stone or a pawn alters no exit.
    from_beside = free
    from_elsewhere = 0
    if exits != 0:
        from_beside = board.open ^ pawn_bit
        from_elsewhere = from_beside
        if exits & (exits - 1) == 0:
            from_elsewhere ^= exits
    rest = stones
    while rest != 0:
        lowest = rest & -rest
        rest ^= lowest
        targets = from_elsewhere
        if lowest & by_pawn != 0:
            targets = from_beside
            # Changing places with the own pawn: its exits are those of the stone's cell then.
            if board.beside[board.place[lowest % PLACES]] & free != 0:
                targets |= pawn_bit
        count = _stone(board, stones, lowest, targets, moves, count)
    return count


def _stone(board: Any, stones: int, lowest: int, targets: int, moves: Any, count: int) -> int:
    """List the moves of the stone with this bit to the targets but earlier own stones (F8)."""
    cell = int(board.place[lowest % PLACES])
    near = board.near[cell]
    targets &= ~(stones & (lowest - 1))
    for direction in range(6):
        moves[count] = cell << DIRECTION_BITS | direction
        count += (targets >> near[direction]) & 1
    return count


def _slide(board: Any, state: Any, direction: int) -> None:
    """Slide the pawn and lay chips (F6, F7) until the last one is laid (F9)."""
    player = state.player
    side = board.side[player]
    free = _free(board, state)
    own = int(state.chips[side])
    hand = board.chips - _count(own)
    path = 0
    cell = int(state.pawns[player])
    beyond = int(board.near[cell][direction])
    while (free >> beyond) & 1 != 0 and hand > 0:
        cell = beyond
        path |= 1 << cell
        hand -= 1 - ((own >> cell) & 1)
        beyond = int(board.near[cell][direction])
    for other in range(len(state.chips)):
        state.chips[other] &= ~path
    state.chips[side] |= path
    state.pawns[player] = cell
    if hand == 0:
        state.over = 1
        state.winners = board.winners[side]
        state.due = BOTH


def _swap(state: Any, stone: int, target: int) -> None:
    """Let a stone and whatever is on the target change places (F8)."""
    both = 1 << stone | 1 << target
    for side in range(len(state.chips)):
        chips = state.chips[side]
        state.chips[side] = chips ^ both * ((chips >> stone ^ chips >> target) & 1)
        stones = state.stones[side]
        state.stones[side] = stones ^ both * ((stones >> stone ^ stones >> target) & 1)
    for player in range(len(state.pawns)):
        if state.pawns[player] == target:
            state.pawns[player] = stone


def _count(cells: int) -> int:
    """How many cells a set has."""
    cells -= cells >> 1 & 0x5555555555555555
    cells = (cells & 0x3333333333333333) + (cells >> 2 & 0x3333333333333333)
    cells = cells + (cells >> 4) & 0x0F0F0F0F0F0F0F0F
    cells += cells >> 8
    cells += cells >> 16
    cells += cells >> 32
    return cells & 127
