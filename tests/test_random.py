"""The kernels' random numbers."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from teahouse.core import random


@given(st.integers(0, random.SEED_LIMIT - 1), st.integers(0, random.SEED_LIMIT - 1))
def test_mix_is_injective(one: int, other: int) -> None:
    assert 0 <= random.mix(one) < random.SEED_LIMIT
    assert (random.mix(one) == random.mix(other)) == (one == other)


@given(st.integers(0, random.SEED_LIMIT - 1))
def test_products_stay_below_63_bits(seed: int) -> None:
    """Signed overflow is undefined behaviour in compiled code."""
    state = random.generator(seed)
    for _ in range(20):
        state = random.advance(state)
        assert 0 < state < 1 << 63
        assert 0 <= random.bounded(state, (1 << 31) - 1) < (1 << 31) - 1


def test_draws_are_uniform_and_independent() -> None:
    draws: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    games = 4000
    for game in range(games):
        state = random.generator(random.game_seed(7, game))
        before = -1
        for _ in range(10):
            state = random.advance(state)
            now = random.bounded(state, 6)
            draws[now] += 1
            pairs[before, now] += 1
            before = now
    expected = games * 10 / 6
    assert sum((count - expected) ** 2 / expected for count in draws.values()) < 20.5  # 99.9 %, 5
    followers = [count for (before, _), count in pairs.items() if before >= 0]
    expected = games * 9 / 36
    assert sum((count - expected) ** 2 / expected for count in followers) < 66.6  # 99.9 %, 35


def test_seeds_of_texts_are_the_same_everywhere() -> None:
    assert random.text_seed(1, "4/5/6/7/6/5/4 w 0") == 2_653_184_368_635_866_755
    seeds = {random.text_seed(seed, text) for seed in range(10) for text in ("a", "b", "")}
    assert len(seeds) == 30
    assert all(0 <= seed < random.SEED_LIMIT for seed in seeds)
