"""Orochi's static evaluation, as a kernel.

It is what a beginner sees. It predicts games between beginners and says nothing about those of
better players, so the search plays its rollouts to the end instead of evaluating them.
"""

import math
from typing import Any

from teahouse.games.orochi.rules import BLACK, COUNT_MASK, PIECE_MASK, WHITE

PAIR = 0.06  # of two adjacent pieces of a colour; fitted to games between bots of level 1


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return a logistic win probability from the pairs of adjacent pieces of each colour."""
    white = 0
    black = 0
    for cell in range(len(state.cells) - 1):
        value = int(state.cells[cell])
        if value & PIECE_MASK == WHITE + 1:
            white += value >> 2 & COUNT_MASK
        elif value & PIECE_MASK == BLACK + 1:
            black += value >> 5 & COUNT_MASK
    lead = (white - black) / 2  # each pair was counted twice
    if player == BLACK:
        lead = -lead
    return 1.0 / (1.0 + math.exp(-PAIR * lead))
