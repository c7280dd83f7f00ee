"""Confidence sequences: error under repeated looks, on seeded synthetic values."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from teahouse.lab.sequential import difference_interval, mean_interval

RUNS = 100
LOOKS = range(32, 801, 32)
Draw = Callable[[np.random.Generator, int], np.ndarray]

DISTRIBUTIONS: dict[str, Draw] = {
    "rare": lambda rng, count: (rng.random(count) < 0.02).astype(float),
    "even": lambda rng, count: (rng.random(count) < 0.5).astype(float),
    "plies": lambda rng, count: rng.normal(40, 8, count).round(),
    "skewed": lambda rng, count: rng.geometric(0.05, count).astype(float),
    "outliers": lambda rng, count: rng.standard_t(1.5, count),
}


def peeks(draw: Draw, alpha: float, covers: Callable[[np.ndarray, np.ndarray, float], bool]) -> int:
    """Return in how many runs an interval misses at any of the looks."""
    rng = np.random.default_rng(7)
    missed = 0
    for _ in range(RUNS):
        a, b = draw(rng, LOOKS[-1]), draw(rng, LOOKS[-1])
        missed += not all(covers(a[:count], b[:count], alpha) for count in LOOKS)
    return missed


def always_valid(a: np.ndarray, b: np.ndarray, alpha: float) -> bool:
    interval = difference_interval(a, b, alpha)
    return interval.low <= 0 <= interval.high


def fixed_sample(a: np.ndarray, b: np.ndarray, alpha: float) -> bool:
    difference = b - a
    return bool(abs(difference.mean()) <= 1.96 * difference.std() / math.sqrt(len(difference)))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_repeated_looks_do_not_raise_false_alarms(name: str) -> None:
    assert peeks(DISTRIBUTIONS[name], 0.05, always_valid) <= 0.05 * RUNS


def test_intervals_of_a_fixed_sample_do_raise_them() -> None:
    assert peeks(DISTRIBUTIONS["plies"], 0.05, fixed_sample) > 0.15 * RUNS


def test_the_mean_is_covered_at_every_look() -> None:
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(RUNS):
        values = rng.geometric(0.1, LOOKS[-1]).astype(float)
        intervals = [mean_interval(values[:count]) for count in LOOKS]
        missed += not all(one.low <= 10 <= one.high for one in intervals)
    assert missed <= 0.05 * RUNS


def test_a_true_difference_is_found_and_covered() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(40, 8, 400), rng.normal(46, 8, 400)
    found = difference_interval(a, b, 0.05 / 20)
    assert 0 < found.low <= 6 <= found.high
    assert found.value == pytest.approx((b - a).mean())
    assert found.half_width < 3


def test_pairs_that_depend_on_each_other_give_narrow_intervals() -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(40, 8, 400)
    pairs = difference_interval(a, a + rng.normal(1, 1, 400))
    strangers = difference_interval(a, rng.normal(41, 8, 400))
    assert pairs.half_width < strangers.half_width / 5


@pytest.mark.parametrize("count", (50, 200, 1000))
def test_a_share_that_never_varied_stays_open(count: int) -> None:
    never, always = np.zeros(count), np.ones(count)
    for interval in (difference_interval(never, never), mean_interval(always)):
        assert 3.7 / count < interval.half_width < 10 / count
    assert difference_interval(never, always).low < 1


def test_few_values_exclude_nothing() -> None:
    for count in range(12):
        interval = difference_interval(np.zeros(count), np.full(count, 100.0))
        assert interval.low <= 0, count
    assert math.isinf(difference_interval(np.zeros(3), np.ones(3)).high)


def test_the_interval_does_not_depend_on_the_unit() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random(100), rng.random(100)
    share, percent = difference_interval(a, b), difference_interval(100 * a, 100 * b, scale=100.0)
    assert percent.low == pytest.approx(100 * share.low, rel=1e-3)
    assert percent.high == pytest.approx(100 * share.high, rel=1e-3)
