"""GPU playouts of Fillit do not wait for the longest game: lengths differ much.

The threads of a warp wait for each other, so the stone is found from the counts of moves; on a CPU,
counting them again is quicker than waiting for these.
"""

from typing import Any

from teahouse.core.bits import nth_bit, popcount
from teahouse.core.random import bounded
from teahouse.games.fillit.layouts import MODES
from teahouse.games.fillit.rules import (
    BOTH,
    COUNT_BITS,
    COUNT_MASK,
    PAWN,
    STONE,
    count_stone_moves,
    encode_target,
    free_cells,
    play,
    stone_targets,
)

MAX_STONES = max(mode.stones for mode in MODES.values())
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
        counts = count_stone_moves(board, stones, pawn, free, freeing)
        if slides + counts == 0:
            freeing = False  # F5
            counts = count_stone_moves(board, stones, pawn, free, freeing)
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
