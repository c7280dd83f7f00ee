"""Opponents of an agent in an environment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import SEED_LIMIT
from teahouse.search.bot import Bot, bot

RANDOM = "random"
LOSE, ERROR = "lose", "error"
"""What an illegal action does: it loses the game, or raises `IllegalMove`."""

ENDED = "The game from this position was over before the agent's turn; call reset again."

Opponent = int | str | Bot | Callable[[Position], str]
"""A level, "random", a bot, or a function from a position to a move text."""


def opponent_function(
    game: Game, opponent: Opponent
) -> Callable[[Position, np.random.Generator], str]:
    """Return a function from a position and a generator to the move of a bot or function."""
    if opponent is None or isinstance(opponent, str):
        raise OptionError(
            f"opponent must be a bot, a level, random or a function, got {quoted(opponent)}."
        )
    if callable(opponent):
        return lambda position, _: opponent(position)
    player = opponent if isinstance(opponent, Bot) else bot(game, opponent)
    return lambda position, rng: player.choose(position, seed=int(rng.integers(SEED_LIMIT)))
