"""Figures with their 95 % intervals."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from teahouse.search.arena.ratings import Z95, Estimate, mean_score, wilson

POISSON95 = -math.log(0.025)
"""Upper bound of the 95 % interval of a Poisson mean after no event."""
T95 = (math.inf, 12.706, 4.303)
"""Quantiles of Student's t for 0, 1 and 2 degrees of freedom; for more there is a series."""


@dataclass(frozen=True)
class Figure:
    """A measured number with its 95 % interval."""

    key: str
    """The measure and the sample, such as `length.mean.level5`."""
    label: str
    """The measure in words."""
    section: str
    """The section of the report that shows it."""
    value: float
    """The number, in its unit."""
    low: float
    """Lower bound of the 95 % interval."""
    high: float
    """Upper bound of the 95 % interval."""
    count: int
    """Games, or what else the definition counts, that the number is of."""
    unit: str
    """plies, %, Elo or nothing."""
    definition: str
    """What is measured, in a sentence or two."""
    source: str = ""
    """Where the literature defines it; empty if it is defined here."""
    sample: str = ""
    """The games measured: `random`, `level 5`, `level 5 against 4`; empty if several."""

    @property
    def measure(self) -> str:
        """The key without the sample: figures of other samples and other options share it."""
        return self.key.removesuffix(f".{sample_slug(self.sample)}") if self.sample else self.key


def sample_slug(sample: str) -> str:
    """Return the name of a sample for keys and files.

    >>> sample_slug("level 5 against 4")
    'level5-against-4'
    """
    return sample.replace("level ", "level").replace(" ", "-")


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean with Student's interval, infinite for fewer than two values."""
    count = len(values)
    if not count:
        return Estimate(math.nan, -math.inf, math.inf)
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, -math.inf, math.inf)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    return Estimate(mean, mean - half, mean + half)


def count_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of counts with Student's interval; if all are 0, with the Poisson bound."""
    if values and not any(values):
        return Estimate(0.0, 0.0, POISSON95 / len(values))
    mean = mean_estimate(values)
    return Estimate(mean.value, max(0.0, mean.low), mean.high)


def share_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of numbers from 0 to 1 with Wilson's interval.

    Values between 0 and 1, such as draws, make the interval narrower, as in the arena.
    """
    if not values:
        return Estimate(math.nan, 0.0, 1.0)
    found = mean_score(values, 1)
    return Estimate(found.value, min(found.low, found.value), max(found.high, found.value))


def percentage_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of numbers from 0 to 1 in %, with Wilson's interval."""
    share = share_estimate(values)
    return Estimate(100 * share.value, 100 * share.low, 100 * share.high)


def weighted_percentage_estimate(values: Sequence[float], weights: Sequence[float]) -> Estimate:
    """Return the weighted mean of numbers from 0 to 1 in %, with Wilson's interval.

    Of n values with different weights it is the interval of fewer values with the same weight
    (Kish's effective sample size).
    """
    total = math.fsum(weights)
    mean = math.fsum(map(operator.mul, values, weights)) / total
    found = wilson(mean, total**2 / math.fsum(weight**2 for weight in weights))
    low, high = min(found.low, mean), max(found.high, mean)
    return Estimate(100 * mean, 100 * low, 100 * high)


def quantile_estimate(values: Sequence[float], share: float) -> Estimate:
    """Return a quantile with the interval between order statistics, which needs no distribution."""
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        return Estimate(math.nan, -math.inf, math.inf)
    half = Z95 * math.sqrt(count * share * (1 - share))
    first, last = math.floor(count * share - half), math.ceil(count * share + half)
    return Estimate(
        ordered[min(count - 1, int(count * share))],
        ordered[first - 1] if first >= 1 else -math.inf,
        ordered[last] if last < count else math.inf,
    )


def t_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t: a Cornish–Fisher series around the normal one."""
    if freedom < len(T95):
        return T95[freedom]
    z = Z95
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def finite(value: Any) -> Any:
    """Return a value with all non-finite numbers in it replaced by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [finite(one) for one in value]
    return value
