"""Oolong's static evaluation, as a kernel."""

import math
from typing import Any

from teahouse.games.oolong.equipment import BLACK, GREEN, PLACES, WIN

EXTRA_VARIANCE = 0.3  # markers and the waiter make claims less certain than chance alone
LOGISTIC_SCALE = 1.702  # of the logistic approximation of the normal distribution


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return the probability of claiming most tables if the empty seats were filled at random."""
    mean = 0.0
    variance = EXTRA_VARIANCE
    for table in range(PLACES):
        black = board.size[state.tokens[BLACK][table]]
        green = board.size[state.tokens[GREEN][table]]
        probability = board.claim_probability[black][green]
        mean += probability
        variance += probability * (1.0 - probability)
    lead = mean - (WIN - 0.5)
    if player == GREEN:
        lead = -lead
    return 1.0 / (1.0 + math.exp(-LOGISTIC_SCALE * lead / math.sqrt(variance)))
