"""Confidence sequences: intervals that stay valid however often one looks and whenever one stops.

For values X symmetric about a mean m, exp(t (X − m) − t² (X − m)² / 2) has an expectation of at
most 1 for every t (de la Peña, "A general class of exponential inequalities for martingales and
ratios", 1999). Mixed over t by a normal distribution it is a supermartingale, which by Ville's
inequality exceeds 1 / alpha at any time with a probability of at most alpha (Robbins, "Statistical
methods related to the law of the iterated logarithm", 1970; Howard, Ramdas, McAuliffe and Sekhon,
"Time-uniform, nonparametric, nonasymptotic confidence sequences", 2021). All means that it does not
exclude are the interval.

The difference of two games by the same rules is symmetric about 0, so there the error holds exactly
from the first game on, whatever the distribution. For other means it holds as the number of games
grows (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and
asymptotic confidence sequences", 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

PRIOR_VALUES = 12
"""The mixture's precision, in values: intervals are tightest for about 15 times as many.

Fewer than twelve values that differ from 0 never exclude 0, so the mixture may depend on them.
"""
PRIOR_SCALES = 4
"""Squared scales added to it: n values that are all the same leave a share open by about 6 / n."""


@dataclass(frozen=True)
class Interval:
    """A mean with its interval, infinite as long as there are too few values."""

    value: float
    low: float
    high: float
    count: int

    @property
    def half_width(self) -> float:
        """The larger distance of an end from the mean."""
        return max(self.value - self.low, self.high - self.value)


def mean_interval(values: np.ndarray, alpha: float = 0.05, scale: float = 1.0) -> Interval:
    """Return the mean of values in their order, with its confidence sequence at 1 − alpha.

    `scale` is the size of a deviation to expect if all values were the same so far.
    """
    reference = float(values[0]) if len(values) else 0.0
    return _invert(values - reference, reference, alpha, scale)


def difference_interval(
    a: np.ndarray, b: np.ndarray, alpha: float = 0.05, scale: float = 1.0
) -> Interval:
    """Return the mean of b − a for pairs of values, with its confidence sequence at 1 − alpha.

    Values of a pair may depend on each other, as in games with a common seed.
    """
    return _invert(b - a, 0.0, alpha, scale)


def _invert(deviations: np.ndarray, reference: float, alpha: float, scale: float) -> Interval:
    """Return the interval of all means that the mixture does not exclude.

    `deviations` are the values' differences from `reference`.
    """
    count = len(deviations)
    if not count:
        return Interval(math.nan, -math.inf, math.inf, 0)
    mean = float(deviations.mean())
    squares = float(((deviations - mean) ** 2).sum())
    prior = deviations[np.flatnonzero(deviations)[:PRIOR_VALUES]]
    prior_mean = float(prior.mean()) if len(prior) else 0.0
    prior_squares = float(((prior - prior_mean) ** 2).sum()) + PRIOR_SCALES * scale**2
    weight = -2 * math.log(alpha)

    def excluded(candidate: float) -> bool:
        away = candidate - mean
        variance = squares + count * away**2
        mixture = prior_squares + len(prior) * (candidate - prior_mean) ** 2
        bound = (variance + mixture) * (math.log1p(variance / mixture) + weight)
        return bool((count * away) ** 2 >= bound)

    first = math.sqrt((squares + prior_squares) * weight) / count

    low = mean - _boundary(lambda away: excluded(mean - away), first)
    high = mean + _boundary(lambda away: excluded(mean + away), first)
    return Interval(reference + mean, reference + low, reference + high, count)


def _boundary(excluded: Callable[[float], bool], first: float) -> float:
    """Return the distance from which on candidates are excluded; infinite if there is none."""
    inside, outside = 0.0, first
    while not excluded(outside):
        inside, outside = outside, 2 * outside
        if outside > first * 2**20:
            return math.inf
    while outside - inside > first / 2**16:
        middle = (inside + outside) / 2
        if excluded(middle):
            outside = middle
        else:
            inside = middle
    return outside
