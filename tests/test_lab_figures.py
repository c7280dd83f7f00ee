"""Figures of the lab: intervals, quantiles, heat maps."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

import teahouse as th
from teahouse.lab.figures import (
    count_estimate,
    mean_estimate,
    quantile_estimate,
    share_estimate,
    t_quantile,
    weighted_percentage_estimate,
)
from teahouse.lab.games import GameRun
from teahouse.lab.spots import heatmaps
from teahouse.search.arena.ratings import Estimate


@pytest.mark.parametrize(
    ("draw", "truth", "estimate"),
    [
        (lambda rng: rng.normal(40, 8, 30), 40.0, mean_estimate),
        (lambda rng: rng.poisson(1.5, 60), 1.5, count_estimate),
        (lambda rng: rng.random(80) < 0.3, 0.3, share_estimate),
        (lambda rng: rng.choice([0, 0.5, 1], 80, p=[0.3, 0.3, 0.4]), 0.55, share_estimate),
        (lambda rng: rng.exponential(1, 80), math.log(2), lambda v: quantile_estimate(v, 0.5)),
        (lambda rng: rng.exponential(1, 80), math.log(10), lambda v: quantile_estimate(v, 0.9)),
    ],
    ids=["mean", "count", "share", "score", "median", "90 % quantile"],
)
def test_intervals_cover_the_truth_in_95_percent_of_samples(
    draw: Callable[[np.random.Generator], np.ndarray],
    truth: float,
    estimate: Callable[[Sequence[float]], Estimate],
) -> None:
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(1000):
        found = estimate([float(value) for value in draw(rng)])
        assert found.low <= found.value <= found.high
        covered += found.low <= truth <= found.high
    assert 0.93 <= covered / 1000 <= 0.985


def test_student_quantiles() -> None:
    table = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 30: 2.042, 1000: 1.962}
    for freedom, quantile in table.items():
        assert t_quantile(freedom) == pytest.approx(quantile, rel=0.005)


def test_few_values_have_wide_intervals() -> None:
    assert mean_estimate([3.0]).high == math.inf
    assert quantile_estimate([1.0, 2.0], 0.5).low == -math.inf
    assert count_estimate([0.0] * 10).high > 0.3
    assert math.isnan(share_estimate([]).value)


def test_heat_maps_have_intervals_and_leave_out_unfinished_games() -> None:
    game = th.load("orochi", side=3)
    run = GameRun(game, "random", seed=3)
    spot = game.start().scene.spots[0].name
    games = [run.play(number) for number in range(8)]
    sample = [replace(one, spots=(spot,) * len(one.moves)) for one in games]
    uses, scores = heatmaps(game, sample, ())
    for heatmap in (uses, scores):
        low, high = heatmap.intervals[spot]
        assert low <= heatmap.values[spot] <= high
    stopped = [replace(one, winner=None, ended=False) for one in sample]
    assert list(heatmaps(game, [*sample, *stopped], ()))[1] == scores


def test_the_interval_of_few_heavy_values_is_wide() -> None:
    even = weighted_percentage_estimate([1.0, 0.0] * 10, [1] * 20)
    heavy = weighted_percentage_estimate([1.0, 0.0] * 10, [1, 1, 9, 9] * 5)
    assert (even.value, heavy.value) == (50, 50)
    assert heavy.high - heavy.low > even.high - even.low
