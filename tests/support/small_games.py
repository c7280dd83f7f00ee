"""Options that make a game short."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import teahouse as th
from support.variants import variants
from teahouse.core.game import Game, game_info
from teahouse.core.options import IntOption


def _playout_length(game: Game) -> int:
    rng, position = random.Random(1), game.start(1)
    while not position.over:
        position = position.play(rng.choice(position.legal))
    return position.ply


@cache
def small(name: str) -> dict[str, Any]:
    """Return the options of the shortest variant with the default number of players.

    Options with their default values are omitted.
    """
    options = game_info(name).options
    smallest = {key: option.low for key, option in options.items() if isinstance(option, IntOption)}
    players = len(th.load(name).players)
    candidates = [*variants(name), th.load(name, **smallest)]
    shortest = min(
        (game for game in candidates if len(game.players) == players), key=_playout_length
    )
    return {key: value for key, value in shortest.options.items() if value != options[key].default}
