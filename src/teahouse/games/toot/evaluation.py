"""What Toot's positions look like to a bot: kernels over the state, as in rules.py."""

import math
from typing import Any

from teahouse.games.toot.bitboards import NO_PIECE

# Fitted to how games between bots ended.
PIECE = 2.0  # how much a piece more counts
LIFE = 0.25  # and a piece that may still return, once captured


def evaluate(board: Any, state: Any, player: int) -> float:
    """How likely a player wins, by the pieces that are left and their lives."""
    lead = 0.0
    for owner in range(2):
        first_lives = int(state.pieces_in_hand[owner])
        for index in range(len(state.piece_list[owner])):
            piece = state.piece_list[owner][index]
            first_lives += piece != NO_PIECE and piece & 1 == 0
        worth = PIECE * state.remaining[owner] + LIFE * (state.remaining[owner] + first_lives)
        lead += worth if owner == player else -worth
    return 1.0 / (1.0 + math.exp(-lead))
