"""What Fillit's positions look like to a bot: kernels over the state, as in rules.py."""

import math
from typing import Any

from teahouse.core.jit import rules
from teahouse.games.fillit.rules import DIRECTION_BITS, STONE, _count, _free

# Fitted to how games between bots ended.
HAND = 5.7  # how much a hand that is small beside the others counts
TURN = 0.52  # and whose pawn slides next


def evaluate(board: Any, state: Any, player: int) -> float:
    """A side's share by the chips in all hands and by whose pawn slides next."""
    sides = len(state.chips)
    total = 2.0
    for side in range(sides):
        total += board.chips - _count(state.chips[side])
    sliding = state.player + (state.due == STONE)
    next_side = board.side[0 if sliding == len(state.pawns) else sliding]
    own = 0.0
    every = 0.0
    for side in range(sides):
        hand = board.chips - _count(state.chips[side])
        weight = math.exp(TURN * (side == next_side) - HAND * hand / total)
        every += weight
        if side == board.side[player]:
            own = weight
    return own / every


def playout_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """A random move, but the pawn slides where it lays most chips."""
    move = rules.random_move(board, state, moves, random)
    pawn = int(state.pawns[state.player])
    if move >> DIRECTION_BITS != pawn:
        return move
    free = _free(board, state)
    own = int(state.chips[board.side[state.player]])
    best = -1
    for direction in range(6):
        gain = -1
        cell = int(board.near[pawn][direction])
        while (free >> cell) & 1 != 0:
            gain += 1 + (gain < 0) - ((own >> cell) & 1)
            cell = int(board.near[cell][direction])
        if gain > best:
            best = gain
            move = pawn << DIRECTION_BITS | direction
    return move
