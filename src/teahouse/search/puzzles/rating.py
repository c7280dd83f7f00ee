"""Rate a puzzle by how often bots of each level solve it.

A bot solves a puzzle if it finds every right move of the line. Its chance is modelled as

    guess + (1 - guess) / (1 + 10 ** ((rating - elo) / 400))

where `elo` is the measured rating of the bot's level and `guess` the chance to find the line by
random moves: the three-parameter logistic model of test theory on the Elo scale. The rating is the
maximum a posteriori estimate under a normal prior around the middle of the levels' ratings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.bot import Bot
from teahouse.search.levels import level_ratings

RATED_LEVELS = range(1, 7)
SEEDS = 10
UNMEASURED_STEP = 300  # Elo between levels that have not been measured
PRIOR_DEVIATION = 600.0
MARGIN = 400  # a puzzle's rating is at most this far above the highest level's, and none below
STEP = 5


def count_solved(start: Position, line: Sequence[str], seeds: int = SEEDS) -> tuple[int, ...]:
    """Return for each of `RATED_LEVELS` the number of seeds for which its bot solves the line."""
    asked = [
        (position, move) for position, move in own_moves(start, line) if len(position.legal) > 1
    ]
    return tuple(
        sum(
            all(bot.choose(position, seed=seed) == move for position, move in asked)
            for seed in range(seeds)
        )
        for bot in (Bot(start.game, level, seed=0) for level in RATED_LEVELS)
    )


def own_moves(start: Position, line: Sequence[str]) -> list[tuple[Position, str]]:
    """Return the moves of a line that the side to move at its start makes, with their positions."""
    game = start.game
    side = game.side(start.player)
    found = []
    position = start
    for move in line:
        if game.side(position.player) == side:
            found.append((position, move))
        position = position.play(move)
    return found


def guess_chance(start: Position, line: Sequence[str]) -> float:
    """Return the chance to play the right moves of a line at random."""
    return math.prod(1 / len(position.legal) for position, _ in own_moves(start, line))


def level_elos(game: Game) -> dict[int, float]:
    """Return the rating of each of `RATED_LEVELS`; evenly spaced where it was not measured."""
    measured = {rating.level: rating.elo for rating in level_ratings(game)}
    return {
        level: measured.get(level, (level - 1) * float(UNMEASURED_STEP)) for level in RATED_LEVELS
    }


def fit_rating(solved: Sequence[int], seeds: int, guess: float, elos: Mapping[int, float]) -> int:
    """Return the most probable rating, given how many seeds of each level solved the puzzle."""
    low, high = min(elos.values()), max(elos.values())
    middle = (low + high) / 2

    def log_posterior(rating: float) -> float:
        total = -(((rating - middle) / PRIOR_DEVIATION) ** 2) / 2
        for (_, elo), count in zip(sorted(elos.items()), solved, strict=True):
            chance = guess + (1 - guess) / (1 + 10 ** ((rating - elo) / 400))
            total += count * math.log(chance) + (seeds - count) * math.log1p(-chance)
        return total

    return max(range(round(low), round(high) + MARGIN + 1, STEP), key=log_posterior)
