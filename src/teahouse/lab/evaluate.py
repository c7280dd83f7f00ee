"""Winning chances of a position by a quick search, and whether one move is clearly the best."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.random import game_seed
from teahouse.search.chances import winning_chances
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.result import Analysis
from teahouse.search.review import THRESHOLDS

ONLY_GOOD = THRESHOLDS["mistake"]
"""Winning chances by which the second-best move falls short where there is one good move."""
MEMORY = 16  # megabytes of a search
DIGITS = 3


@dataclass(frozen=True)
class WinningChances:
    """The winning chances of a position."""

    chances: tuple[float, ...]
    only: bool = False
    """Whether all moves but the best one give away `ONLY_GOOD` or more."""


def evaluate(position: Position, simulations: int, seed: int) -> WinningChances:
    """Return the winning chances of a position; the same seed gives the same result."""
    game = position.game
    if position.over:
        return WinningChances(_result(position))
    number = int.from_bytes(sha256(position.state).digest()[:7])
    simulations = max(simulations, len(position.legal))
    engine = Engine(
        position,
        profile(game).params,
        seed=game_seed(seed, number),
        memory=MEMORY,
        max_simulations=simulations,
    )
    found = engine.run(None, simulations)
    chances = tuple(round(chance, DIGITS) for chance in winning_chances(game, found.scores))
    return WinningChances(chances, _only_good(game, found))


def _only_good(game: Game, found: Analysis) -> bool:
    if len(found.moves) < 2:
        return False
    best = _chance(game, next(one.value for one in found.moves if one.move == found.best))
    others = (one.value for one in found.moves if one.move != found.best)
    return best - _chance(game, max(others)) >= ONLY_GOOD


def _chance(game: Game, value: float) -> float:
    """Return the winning chance of the player to move from an expected score."""
    rest = (1 - value) / (len(game.teams) - 1)
    return winning_chances(game, (value, *(rest,) * (len(game.teams) - 1)))[0]


def _result(position: Position) -> tuple[float, ...]:
    """Return the points of each side of a finished game."""
    game = position.game
    winners = {game.side(player) for player in position.winners}
    count = len(game.teams)
    return tuple(float(side in winners) if winners else 1 / count for side in range(count))
