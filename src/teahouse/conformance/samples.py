"""Games and positions to run checks on: variants of a game, and positions of random games."""

from __future__ import annotations

import random
from functools import lru_cache

from teahouse.conformance.checks import CheckError
from teahouse.core.catalog import load
from teahouse.core.errors import OptionError
from teahouse.core.game import Game, game_info
from teahouse.core.position import Position

MAX_PLIES = 5000
"""A random game that is longer counts as endless."""

Ply = tuple[Position, str]
"""A position and the move played there, "" at the end of a game."""


def variants(name: str) -> list[Game]:
    """Return a game with its defaults first, then with each option's examples."""
    games = [load(name)]
    for option, kind in game_info(name).options.items():
        for value in kind.examples:
            try:
                games.append(load(name, **{option: value}))
            except OptionError:  # not allowed with the other defaults
                continue
    return list(dict.fromkeys(games))


@lru_cache(maxsize=64)
def random_game(game: Game, seed: int) -> tuple[Ply, ...]:
    """Play a random game to its end."""
    rng = random.Random(seed)
    position = game.start(seed)
    plies: list[Ply] = []
    while not position.over:
        if len(plies) == MAX_PLIES:
            raise CheckError(f"A random game does not end within {MAX_PLIES} moves (seed {seed}).")
        if not position.legal:
            raise CheckError(f"There is no legal move, but the game is not over: {position}.")
        move = rng.choice(position.legal)
        plies.append((position, move))
        position = position.play(move)
    return (*plies, (position, ""))


def sample(game: Game, seed: int, size: int = 12) -> list[Ply]:
    """Return a few positions of a random game, including the first and the last."""
    plies = random_game(game, seed)
    chosen = random.Random(seed).sample(plies, min(size, len(plies)))
    return [plies[0], *chosen, plies[-1]]
