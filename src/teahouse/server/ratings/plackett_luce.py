"""Games of three or more sides, and of teams: OpenSkill's Plackett–Luce model (Weng & Lin 2011).

A side wins with probability g / Σ g, where g = 10 ** (strength / 400), as in the arena where the
levels were measured; the strength of a team is the mean of its players'. OpenSkill's scale is
chosen so that its numbers are these points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations

from openskill.models import PlackettLuce
from openskill.models.weng_lin.plackett_luce import PlackettLuceRating

from teahouse.server.ratings.scale import (
    MAX_DEVIATION,
    MIN_DEVIATION,
    POINTS,
    POINTS_PER_DAY,
    Rating,
    clamp,
)

Sides = Sequence[Sequence[Rating]]
"""The ratings of every side's players."""
Ratings = list[list[PlackettLuceRating]]
_LEAST = 1e-3
"""OpenSkill divides by deviations, so that of an anchor must not be 0."""


@cache
def _model(sides: int, players: int) -> PlackettLuce:
    """Return the model for sides of some players each.

    OpenSkill adds up the players of a side, and divides by c = √(Σ deviations² + sides · beta²).
    If all strengths are known, c has to be the points of one natural unit for each player.
    """
    beta = players * POINTS / math.sqrt(sides)
    return PlackettLuce(beta=beta, tau=_LEAST, gamma=_undamped)


def _undamped(*_: object) -> float:
    """Return 1: no damping of the change of deviations (OpenSkill's gamma)."""
    return 1.0


def aged(player: Rating, days: float) -> Rating:
    """Return a rating some days later."""
    deviation = math.sqrt(player.deviation**2 + max(0.0, days) * POINTS_PER_DAY)
    return replace(player, deviation=min(deviation, MAX_DEVIATION))


def expected_scores(sides: Sides) -> list[float]:
    """Return the chances of every side, given how uncertain the ratings are."""
    weights = _weights(sides)
    return [weight / sum(weights) for weight in weights]


def _weights(sides: Sides) -> list[float]:
    """Return numbers that are in proportion to the chances of winning."""
    beta = _model(len(sides), len(sides[0])).beta
    variance = sum(one.deviation**2 for side in sides for one in side) + len(sides) * beta**2
    strengths = [sum(one.value for one in side) / math.sqrt(variance) for side in sides]
    return [math.exp(strength - max(strengths)) for strength in strengths]


def rate(sides: Sides, winners: Sequence[int]) -> list[list[Rating]]:
    """Return everybody's rating after a game that these sides have won together.

    A game does not say in which order the others came. OpenSkill takes players of equal rank for
    equally strong, which would pull strong and weak losers together; so the result is the mean over
    all orders, weighted by their probability.
    """
    weights = _weights(sides)
    rated = {order: _rate_order(sides, order) for order in permutations(range(len(sides)))}
    chances = {
        order: _chance(order, weights) / len(winners) for order in rated if order[0] in winners
    }
    return [
        [
            replace(
                player,
                value=sum(p * rated[order][side][at].mu for order, p in chances.items()),
                deviation=_deviation(rated, side, at),
            )
            for at, player in enumerate(players)
        ]
        for side, players in enumerate(sides)
    ]


def _deviation(rated: Mapping[tuple[int, ...], Ratings], side: int, at: int) -> float:
    """Return a player's deviation: only the first place of an order is known, if it is theirs."""
    first = next(order for order in rated if order[0] == side)
    return clamp(rated[first][side][at].sigma, MIN_DEVIATION, MAX_DEVIATION)


def _chance(order: Sequence[int], weights: Sequence[float]) -> float:
    """Return the probability of an order, given its first place."""
    chance = 1.0
    for place in range(1, len(order)):
        chance *= weights[order[place]] / sum(weights[side] for side in order[place:])
    return chance


def _rate_order(sides: Sides, order: Sequence[int]) -> Ratings:
    model = _model(len(sides), len(sides[0]))
    teams = [
        [model.rating(mu=one.value, sigma=max(one.deviation, _LEAST)) for one in side]
        for side in sides
    ]
    return model.rate(teams, ranks=[float(order.index(side)) for side in range(len(sides))])
