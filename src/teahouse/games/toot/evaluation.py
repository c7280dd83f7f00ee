"""Toot's static evaluation, as a kernel."""

import math
from typing import Any

from teahouse.games.toot.bitboards import NO_PIECE

# Weights fitted to the results of games between bots.
PIECE = 2.0  # of each piece left
LIFE = 0.25  # of each capture that a piece survives


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return a logistic win probability from the pieces left and their lives."""
    lead = 0.0
    for owner in range(2):
        first_lives = int(state.pieces_in_hand[owner])
        for index in range(len(state.piece_list[owner])):
            piece = state.piece_list[owner][index]
            first_lives += piece != NO_PIECE and piece & 1 == 0
        value = PIECE * state.remaining[owner] + LIFE * (state.remaining[owner] + first_lives)
        lead += value if owner == player else -value
    return 1.0 / (1.0 + math.exp(-lead))
