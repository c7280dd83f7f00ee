"""Scores and Elo ratings with 95 % intervals.

Side i wins with probability g(i) / (g(1) + … + g(k)), where g = 10 ** (Elo / 400) of its player:
between two sides the Bradley–Terry model, among more the Plackett–Luce model. A draw counts as an
equal share of a win for each side. The score of a round is the mean over its games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Z95 = 1.959964
PER_ELO = math.log(10) / 400


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


def dispersion(rounds: Sequence[float], games_per_round: int) -> float:
    """Return the variance of the score relative to independent games without draws.

    Draws and swapped sides make it smaller than 1. One round of independent games is added, so that
    a few rounds of equal score do not give a narrow interval.
    """
    if not rounds:
        return 1.0
    mean = sum(rounds) / len(rounds)
    binomial = mean * (1 - mean)
    if binomial <= 0:
        return 1.0
    squares = sum((score - mean) ** 2 for score in rounds)
    return (games_per_round * squares / binomial + 1) / len(rounds)


def mean_score(rounds: Sequence[float], games_per_round: int) -> Estimate:
    """Return the mean score with the Wilson interval of the effective number of games."""
    if not rounds:
        return Estimate(0.5, 0.0, 1.0)
    mean = sum(rounds) / len(rounds)
    games = len(rounds) * games_per_round / dispersion(rounds, games_per_round)
    return wilson(mean, games)


def wilson(mean: float, games: float) -> Estimate:
    """Return a mean score with its Wilson interval for a number of independent games."""
    shrink = 1 / (1 + Z95**2 / games)
    centre = (mean + Z95**2 / (2 * games)) * shrink
    half = Z95 * shrink * math.sqrt(mean * (1 - mean) / games + Z95**2 / (4 * games**2))
    return Estimate(mean, max(0.0, centre - half), min(1.0, centre + half))


Wins = Mapping[tuple[int, ...], Sequence[float]]
"""For the sorted players of the sides: games won by each player of the match, draws shared."""


def fit_elo(
    players: int, wins: Wins, dispersions: Mapping[tuple[int, int], float], anchor: int | None
) -> tuple[list[Estimate], bool]:
    """Return the maximum-likelihood ratings, and whether the maximum exists.

    If it does not, half a drawn game is added for every set of players. The anchor's rating is 0;
    without one the mean is. Intervals come from the sandwich estimator: the Fisher information,
    scaled by the dispersion of each pair.
    """
    won_games = {sides: np.array(won, float) for sides, won in wins.items()}
    exists = _strongly_connected(players, won_games)
    if not exists:
        for sides, won in won_games.items():
            won += 0.5 * np.bincount(sides, minlength=players) / len(sides)
    rating = np.zeros(players)
    for _ in range(100):  # Newton's method with a limited step
        gradient, bread, _ = _derivatives(rating, won_games, dispersions)
        step = np.linalg.pinv(bread, hermitian=True) @ gradient
        rating += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    _, bread, meat = _derivatives(rating, won_games, dispersions)
    inverse = np.linalg.pinv(bread, hermitian=True)
    contrast = np.eye(players)
    contrast -= 1 / players if anchor is None else np.eye(players)[anchor]
    rating = contrast @ rating / PER_ELO
    variance = np.diag(contrast @ inverse @ meat @ inverse @ contrast.T)
    half = Z95 * np.sqrt(np.maximum(variance, 0)) / PER_ELO
    estimates = [
        Estimate(float(r), float(r - h), float(r + h)) for r, h in zip(rating, half, strict=True)
    ]
    return estimates, exists


def _derivatives(
    rating: np.ndarray,
    wins: Mapping[tuple[int, ...], np.ndarray],
    dispersions: Mapping[tuple[int, int], float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the log-likelihood's gradient, the Fisher information, and the latter dispersed."""
    players = len(rating)
    gradient = np.zeros(players)
    bread = np.zeros((players, players))
    meat = np.zeros((players, players))
    for sides, won in wins.items():
        strength = np.bincount(sides, minlength=players) * np.exp(rating - rating.max())
        chance = strength / strength.sum()
        gradient += won - won.sum() * chance
        information = won.sum() * (np.diag(chance) - np.outer(chance, chance))
        bread += information
        meat += dispersions.get((sides[0], sides[-1]), 1.0) * information
    return gradient, bread, meat


def _strongly_connected(players: int, wins: Mapping[tuple[int, ...], np.ndarray]) -> bool:
    """Return whether the graph of who scored against whom is strongly connected (Ford 1957)."""
    scored = np.eye(players, dtype=bool)
    for sides, won in wins.items():
        for player in set(sides):
            for opponent in set(sides):
                scored[player, opponent] |= won[player] > 0
    for middle in range(players):
        scored |= np.outer(scored[:, middle], scored[middle])
    return bool(scored.all())


def expected_score(elo: float, sides: int) -> float:
    """Return the expected score of a round for a player `elo` points above the other."""
    strength = math.exp(elo * PER_ELO)
    seatings = [number.bit_count() for number in range(1, (1 << sides) - 1)]
    return sum(own * strength / (own * strength + sides - own) for own in seatings) / len(seatings)
