"""Orochi's static evaluation, as a kernel.

It models a beginner: it predicts games between beginners but not those of
better players, so the search plays its rollouts to the end instead of evaluating them.
"""

import math
from typing import Any

from teahouse.core.bits import popcount
from teahouse.games.orochi.rules import BLACK, WHITE

PAIR = 0.06  # of two adjacent pieces of a colour; fitted to games between bots of level 1


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return a logistic win probability from the pairs of adjacent pieces of each colour."""
    lead = (_neighbours(state, WHITE) - _neighbours(state, BLACK)) / 2  # two of each pair
    if player == BLACK:
        lead = -lead
    return 1.0 / (1.0 + math.exp(-PAIR * lead))


def _neighbours(state: Any, colour: int) -> int:
    """Return the sum of the neighbours of their own colour that the pieces of a colour have."""
    count = 0
    for word in range(len(state.over_connected)):
        pieces = state.pieces[colour][word]
        count += popcount(pieces & state.ones[colour][word])
        count += 2 * popcount(pieces & state.twos[colour][word])
        count += 4 * popcount(pieces & state.fours[colour][word])
    return count
