"""What scores say about strength: intervals, Elo ratings and the sequential test.

Side i wins a game with probability g(i) / (g(1) + … + g(k)), where g is 10 ** (Elo / 400) of the
entrant that plays it: between two sides the model of Bradley and Terry, with more that of Plackett
and Luce. A draw counts as an equal share of a win for each side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

Z95 = 1.959964
PER_ELO = math.log(10) / 400


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


def dispersion(bouts: Sequence[float], games_a_bout: int) -> float:
    """The variance of the score against that of as many independent games without draws.

    Draws and exchanged sides make it smaller. One bout of independent games is counted in, so that
    a few bouts that happen to agree prove little.
    """
    if not bouts:
        return 1.0
    mean = sum(bouts) / len(bouts)
    single = mean * (1 - mean)
    if single <= 0:
        return 1.0
    spread = sum((score - mean) ** 2 for score in bouts)
    return (games_a_bout * spread / single + 1) / len(bouts)


def score(bouts: Sequence[float], games_a_bout: int) -> Estimate:
    """The mean score of bouts, with Wilson's interval for as many games as they are worth."""
    if not bouts:
        return Estimate(0.5, 0.0, 1.0)
    mean = sum(bouts) / len(bouts)
    games = len(bouts) * games_a_bout / dispersion(bouts, games_a_bout)
    return _wilson(mean, games)


def _wilson(mean: float, games: float) -> Estimate:
    shrink = 1 / (1 + Z95**2 / games)
    centre = (mean + Z95**2 / (2 * games)) * shrink
    half = Z95 * shrink * math.sqrt(mean * (1 - mean) / games + Z95**2 / (4 * games**2))
    return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half))


Tally = Mapping[tuple[int, ...], Sequence[float]]
"""For entrants of the sides in rising order: games won by each entrant, draws shared out."""


def elo(
    entrants: int, tally: Tally, spread: Mapping[tuple[int, int], float], anchor: int | None
) -> tuple[list[Estimate], bool]:
    """Ratings of most likelihood, and whether they exist: else half a draw is added to each kind.

    The anchor's rating is 0, or the mean of all is. `spread` is each pair's dispersion.
    """
    wins = {sides: np.array(won, float) for sides, won in tally.items()}
    exists = _connected(entrants, wins)
    if not exists:
        for sides, won in wins.items():
            won += 0.5 * np.bincount(sides, minlength=entrants) / len(sides)
    rating = np.zeros(entrants)
    for _ in range(100):
        slope, bread, _ = _curvature(rating, wins, spread)
        step = np.linalg.pinv(bread, hermitian=True) @ slope
        rating += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    _, bread, meat = _curvature(rating, wins, spread)
    inverse = np.linalg.pinv(bread, hermitian=True)
    contrast = np.eye(entrants)
    contrast -= 1 / entrants if anchor is None else np.eye(entrants)[anchor]
    rating = contrast @ rating / PER_ELO
    variance = np.diag(contrast @ inverse @ meat @ inverse @ contrast.T)
    half = Z95 * np.sqrt(np.maximum(variance, 0)) / PER_ELO
    found = [
        Estimate(float(r), float(r - h), float(r + h)) for r, h in zip(rating, half, strict=True)
    ]
    return found, exists


def _curvature(
    rating: np.ndarray,
    wins: Mapping[tuple[int, ...], np.ndarray],
    spread: Mapping[tuple[int, int], float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The likelihood's slope, its information, and the information as the games scatter."""
    entrants = len(rating)
    slope = np.zeros(entrants)
    bread = np.zeros((entrants, entrants))
    meat = np.zeros((entrants, entrants))
    for sides, won in wins.items():
        strength = np.bincount(sides, minlength=entrants) * np.exp(rating - rating.max())
        chance = strength / strength.sum()
        slope += won - won.sum() * chance
        information = won.sum() * (np.diag(chance) - np.outer(chance, chance))
        bread += information
        meat += spread.get((sides[0], sides[-1]), 1.0) * information
    return slope, bread, meat


def _connected(entrants: int, wins: Mapping[tuple[int, ...], np.ndarray]) -> bool:
    """Whether everybody has scored against everybody, perhaps by way of others."""
    scored = np.eye(entrants, dtype=bool)
    for sides, won in wins.items():
        for one in set(sides):
            for other in set(sides):
                scored[one, other] |= won[one] > 0
    for middle in range(entrants):
        scored |= np.outer(scored[:, middle], scored[middle])
    return bool(scored.all())


def expected(elo: float, sides: int) -> float:
    """The expected score of a bout for an entrant that is so much stronger than the other."""
    strength = math.exp(elo * PER_ELO)
    seatings = [number.bit_count() for number in range(1, (1 << sides) - 1)]
    return sum(own * strength / (own * strength + sides - own) for own in seatings) / len(seatings)


@dataclass(frozen=True)
class Test:
    """A sequential test of whether the first entrant is `low` or `high` Elo above the second."""

    __test__ = False  # no test of this project's

    low: float
    high: float
    error: float = 0.05

    @property
    def bound(self) -> float:
        """How large the ratio gets before it decides."""
        return math.log((1 - self.error) / self.error)

    def ratio(self, bouts: Sequence[float], games_a_bout: int, sides: int) -> float:
        """The logarithm of how much likelier the bouts are if `high` is true than if `low` is.

        Bouts are drawn from any distribution over the scores that a bout can have, with the mean
        that the hypothesis demands: the generalised test, which needs no model of draws.
        """
        steps = games_a_bout * sides
        counts = [0] * (steps + 1)
        for bout in bouts:
            counts[round(bout * steps)] += 1
        low, high = (
            _likelihood(tuple(counts), expected(elo, sides)) for elo in (self.low, self.high)
        )
        return high - low

    def verdict(self, ratio: float) -> str | None:
        """What the test says: `high`, `low`, or nothing yet."""
        if abs(ratio) < self.bound:
            return None
        return "high" if ratio > 0 else "low"


@lru_cache(maxsize=1 << 16)
def _likelihood(bouts: tuple[int, ...], mean: float) -> float:
    """The greatest log-likelihood of bouts, counted by score, under any distribution of this mean.

    Its chances are share / (1 + t (score - mean)) for the t that gives them this mean.
    """
    counts = np.array(bouts) + 1e-3  # so that no score is impossible
    share = counts / counts.sum()
    away = np.arange(len(counts)) / (len(counts) - 1) - mean
    low, high = -1 / away[-1], -1 / away[0]
    for _ in range(100):
        t = (low + high) / 2
        if (share * away / (1 + t * away)).sum() > 0:
            low = t
        else:
            high = t
    return float((counts * np.log(share / (1 + low * away))).sum())
