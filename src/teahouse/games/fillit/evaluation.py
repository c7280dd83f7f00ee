"""Fillit's static evaluation and playout policy, as kernels."""

import math
from typing import Any

from teahouse.core.bits import popcount
from teahouse.core.jit import rules
from teahouse.games.fillit.rules import DIRECTION_BITS, STONE, free_cells

# Weights fitted to the results of games between bots.
HAND = 5.7  # of a hand that is small relative to the others
TEMPO = 0.52  # of being the next to slide a pawn


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return a softmax over the sides by the chips in hand and by the next slide."""
    sides = len(state.chips)
    total = 2.0
    for side in range(sides):
        total += board.chips - popcount(state.chips[side])
    sliding = state.player + (state.pending == STONE)
    next_side = board.side[0 if sliding == len(state.pawns) else sliding]
    own = 0.0
    all_sides = 0.0
    for side in range(sides):
        in_hand = board.chips - popcount(state.chips[side])
        weight = math.exp(TEMPO * (side == next_side) - HAND * in_hand / total)
        all_sides += weight
        if side == board.side[player]:
            own = weight
    return own / all_sides


def playout_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return a random move, but slide the pawn where it lays the most chips."""
    move = rules.random_move(board, state, moves, random)
    pawn = int(state.pawns[state.player])
    if move >> DIRECTION_BITS != pawn:
        return move
    free = free_cells(board, state)
    own = int(state.chips[board.side[state.player]])
    best = -1
    for direction in range(6):
        gain = -1
        cell = int(board.neighbours[pawn][direction])
        while (free >> cell) & 1 != 0:
            gain += 1 + (gain < 0) - ((own >> cell) & 1)
            cell = int(board.neighbours[cell][direction])
        if gain > best:
            best = gain
            move = pawn << DIRECTION_BITS | direction
    return move
