"""Every game with options that make it short, found by trying."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import teahouse as th
from support.variants import variants
from teahouse.core.game import Game, game_info
from teahouse.core.options import IntOption


def _length(game: Game) -> int:
    chance, position = random.Random(1), game.start(1)
    while not position.over:
        position = position.play(chance.choice(position.legal))
    return position.ply


@cache
def small(name: str) -> dict[str, Any]:
    """Options that differ from the defaults and make games short."""
    declared = game_info(name).options
    least = {key: kind.low for key, kind in declared.items() if isinstance(kind, IntOption)}
    tried = [*variants(name), th.load(name, **least)]
    pairs = [game for game in tried if len(game.players) == len(th.load(name).players)]
    shortest = min(pairs, key=_length)
    return {key: value for key, value in shortest.options.items() if value != declared[key].default}
