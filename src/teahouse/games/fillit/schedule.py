"""GPU playouts of Fillit do not wait for the longest game: lengths differ much.

Threads of a warp wait for each other, so a stone's moves are counted once; on a CPU, counting them
again is quicker than waiting for the counts.
"""

from typing import Any

from teahouse.core.bits import lowest_bit, nth_bit, popcount
from teahouse.core.random import bounded
from teahouse.games.fillit.layouts import MODES
from teahouse.games.fillit.rules import (
    BOTH,
    PAWN,
    STONE,
    encode_target,
    free_cells,
    play,
    stone_targets,
)

# Numbers of moves of a side's stones, at most 24, in one word: each count has a spare bit on top.
MAX_STONES = max(mode.stones for mode in MODES.values())
COUNT_BITS = 6
COUNT_MASK = (1 << COUNT_BITS) - 1
EACH_COUNT = (1 << COUNT_BITS * MAX_STONES) // COUNT_MASK
HIGHEST_BITS = EACH_COUNT << COUNT_BITS - 1


def move_kind(board: Any, state: Any) -> int:
    """Return 0: all moves cost about the same."""
    return 0


def play_kind(board: Any, state: Any, moves: Any, random: int, kind: int) -> None:
    """Play the move that `random_move` returns."""
    player = state.player
    pawn = int(state.pawns[player])
    stones = state.stones[board.side[player]]
    free = free_cells(board, state)
    freeing = state.pending == BOTH
    slides = 0 if state.pending == STONE else popcount(board.adjacent[pawn] & free)
    counts = 0
    if state.pending != PAWN:
        counts = _count_moves(board, stones, pawn, free, freeing)
        if slides + counts == 0:
            freeing = False  # F5
            counts = _count_moves(board, stones, pawn, free, freeing)
    index = bounded(random, slides + (counts & COUNT_MASK))
    cell = pawn
    targets = free
    if index >= slides:
        index -= slides
        # The highest bit of a count stays where the index is not below it. Those of no stone are 0.
        reached = (index * EACH_COUNT | HIGHEST_BITS) - counts & HIGHEST_BITS
        left = MAX_STONES - popcount(reached)  # the stones from this one on
        index -= counts >> COUNT_BITS * left & COUNT_MASK
        cell = nth_bit(stones, popcount(stones) - left)
        targets = stone_targets(board, stones, cell, pawn, free, freeing)
    play(board, state, encode_target(board, cell, targets, index))


def _count_moves(board: Any, stones: int, pawn: int, free: int, freeing: bool) -> int:
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
