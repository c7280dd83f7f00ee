"""What Oolong's positions look like to a bot: kernels over the state, as in rules.py."""

import math
from typing import Any

from teahouse.games.oolong.rules import BLACK, GREEN, PLACES, WIN

DOUBT = 0.3  # added to the spread of claims: markers and the waiter upset what looks certain
STEEPNESS = 1.702  # of the logistic curve that is closest to the normal distribution's


def evaluate(board: Any, state: Any, player: int) -> float:
    """How likely a player claims most tables if tokens fell on the empty seats by chance."""
    mean = 0.0
    spread = DOUBT
    for table in range(PLACES):
        black = board.size[state.tokens[BLACK][table]]
        green = board.size[state.tokens[GREEN][table]]
        chance = board.claim_chance[black][green]
        mean += chance
        spread += chance * (1.0 - chance)
    lead = mean - (WIN - 0.5)
    if player == GREEN:
        lead = -lead
    return 1.0 / (1.0 + math.exp(-STEEPNESS * lead / math.sqrt(spread)))
