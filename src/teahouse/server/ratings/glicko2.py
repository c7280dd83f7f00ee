"""Glicko-2 (Glickman 2013), updated after each game instead of after a rating period.

The time between two games is a fractional number of periods, in which a deviation grows. With
one period and several games, `update` is Glickman's algorithm as published.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from teahouse.server.ratings.scale import (
    MAX_DEVIATION,
    MIN_DEVIATION,
    PERIOD_DAYS,
    POINTS,
    Rating,
    clamp,
)

TAU = 0.5
"""How fast a volatility may change (the system constant)."""
MAX_VOLATILITY = 0.1
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Game:
    """A game against one opponent."""

    opponent: Rating
    score: float
    """1 for a win, 0.5 for a draw, 0 for a loss."""


def aged(player: Rating, days: float) -> Rating:
    """Return a rating some days later: its deviation has grown by its volatility."""
    return _aged(player, max(0.0, days) / PERIOD_DAYS)


def _aged(player: Rating, periods: float) -> Rating:
    growth = periods * (player.volatility * POINTS) ** 2
    deviation = math.sqrt(player.deviation**2 + growth)
    return Rating(player.value, min(deviation, MAX_DEVIATION), player.volatility)


def expected_score(player: Rating, opponent: Rating) -> float:
    """Return the expected score, given how uncertain both ratings are."""
    deviation = math.hypot(player.deviation, opponent.deviation)
    return _expected((player.value - opponent.value) / POINTS, _g(deviation / POINTS))


def update(player: Rating, games: Sequence[Game], periods: float = 0.0) -> Rating:
    """Return a player's rating after games, and after that time since the last ones."""
    mu, phi = player.value / POINTS, player.deviation / POINTS
    precision = change = 0.0
    for game in games:
        weight = _g(game.opponent.deviation / POINTS)
        expected = _expected(mu - game.opponent.value / POINTS, weight)
        precision += weight**2 * expected * (1 - expected)
        change += weight * (game.score - expected)
    if precision == 0.0:  # no games, or a result that was certain
        return _aged(player, periods)
    volatility = _volatility(player.volatility, phi, 1 / precision, change / precision)
    before = phi**2 + periods * volatility**2
    after = 1 / (1 / before + precision)
    return Rating((mu + after * change) * POINTS, math.sqrt(after) * POINTS, volatility)


def rate(
    player: Rating, opponent: Rating, score: float, days: float, opponent_days: float
) -> Rating:
    """Return a player's rating after a game, some days after the last one of each."""
    game = Game(aged(opponent, opponent_days), score)
    rated = update(player, [game], max(0.0, days) / PERIOD_DAYS)
    deviation = clamp(rated.deviation, MIN_DEVIATION, MAX_DEVIATION)
    return Rating(rated.value, deviation, min(rated.volatility, MAX_VOLATILITY))


def _g(phi: float) -> float:
    return 1 / math.sqrt(1 + 3 * phi**2 / math.pi**2)


def _expected(difference: float, weight: float) -> float:
    return 1 / (1 + math.exp(-weight * difference))


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Return the new volatility by the Illinois algorithm (step 5 of the paper)."""
    start = math.log(sigma**2)

    def f(x: float) -> float:
        e = math.exp(x)
        total = phi**2 + variance + e
        return e * (delta**2 - total) / (2 * total**2) - (x - start) / TAU**2

    low = start
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        steps = 1
        while f(start - steps * TAU) < 0:
            steps += 1
        high = start - steps * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
