"""Toot's static evaluation, as a kernel."""

import math
from typing import Any

from teahouse.core.bits import popcount
from teahouse.games.toot.links import standing_pieces

# Weights fitted to the results of games between bots.
PIECE = 2.0  # of each piece left
LIFE = 0.25  # of each capture that a piece survives
CAPTURE = 0.4  # of the last capture, if it decides an equal count (T18)
QUIET = 0.06  # of the last capture, for each turn without progress since


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return a logistic win probability from the pieces left, their lives and the last capture."""
    lead = 0.0
    for owner in range(2):
        first_lives = state.pieces_in_hand[owner] + popcount(standing_pieces(state, owner))
        value = PIECE * state.remaining[owner] + LIFE * (state.remaining[owner] + first_lives)
        lead += value if owner == player else -value
    if state.last_captor and state.remaining[0] == state.remaining[1]:
        value = CAPTURE + QUIET * state.quiet_turns
        lead += value if state.last_captor == 1 << player else -value
    return 1.0 / (1.0 + math.exp(-lead))
