"""Batches: the same games as episode ones, on any number of threads, and nothing breaks them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teahouse as th
from teahouse.core.playouts import SETUP
from teahouse.core.random import game_seed
from teahouse.rl import Batch, dlpack
from teahouse.rl.episode import Episode

# Compiling takes longer than all else here, so few kinds of games are compiled.
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 3}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "3mini"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {"tiles": 4, "pieces": 2}),
]
every_small = pytest.mark.parametrize(("name", "options"), SMALL)
FIELDS = ("legal", "player", "rewards", "done", "observation")


def arrays(batch: Batch) -> dict[str, np.ndarray]:
    """Copies of all that a batch shows."""
    return {field: getattr(batch, field).copy() for field in FIELDS}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(one[field], other[field]) for field in FIELDS)


@every_small
def test_a_batch_plays_what_single_games_play(name: str, options: dict[str, Any]) -> None:
    size = 6
    batch = Batch(name, size, seed=4, **options)
    game = batch.game
    numbers = list(range(size))
    episodes = [Episode(game, game_seed(4, number) ^ SETUP) for number in numbers]
    most = np.array([plane.max_value for plane in batch.spec.planes], np.float32)[:, None, None]
    ended = 0
    for _ in range(120):
        for place, episode in enumerate(episodes):
            assert np.array_equal(batch.legal[place], episode.legal)
            assert batch.player[place] == episode.player
            assert np.array_equal(batch.observation[place] / most, episode.observation())
            assert batch.position(place) == episode.position
        actions = batch.sample()
        batch.step(actions)
        for place, episode in enumerate(episodes):
            episode.step(actions[place])
            assert batch.done[place] == episode.over
            assert np.allclose(batch.rewards[place], episode.rewards)
            if episode.over:
                ended += 1
                numbers[place] += size
                episodes[place] = Episode(game, game_seed(4, numbers[place]) ^ SETUP)


@every_small
def test_threads_and_interpreting_change_nothing(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(threads: int) -> dict[str, np.ndarray]:
        batch = Batch(name, 13, seed=9, threads=threads, **options)
        for _ in range(150):
            batch.step(batch.sample())
        return arrays(batch)

    one = played(1)
    assert same(one, played(4))
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    assert same(one, played(1))


def test_the_same_seed_gives_the_same_games() -> None:
    batch = Batch("oolong", 50, seed=1)
    first = arrays(batch)
    batch.step(batch.sample())
    batch.reset()
    assert not same(first, arrays(batch))  # the next games, with other markers
    batch.reset(seed=1)
    assert same(first, arrays(batch))
    batch.reset(seed=2)
    assert not same(first, arrays(batch))


def test_games_are_begun_anew_where_wanted() -> None:
    batch = Batch("orochi", 10, side=3)
    for _ in range(5):
        batch.step(batch.sample())
    before = arrays(batch)
    where = np.arange(10) % 2 == 0
    batch.reset(where=where)
    after = arrays(batch)
    assert all(batch.position(place).ply == 0 for place in range(0, 10, 2))
    for field in FIELDS:
        assert np.array_equal(before[field][~where], after[field][~where])
    for wrong in (where[:5], where.astype(int), [0, 1]):
        with pytest.raises(ValueError, match="where is a bool array"):
            batch.reset(where=wrong)
    with pytest.raises(th.OptionError, match="does not go with where"):
        batch.reset(seed=1, where=where)


def test_without_auto_reset_games_stay_over() -> None:
    batch = Batch("orochi", 40, side=3, auto_reset=False)
    ends = np.zeros(40, int)
    total = np.zeros((40, 2))
    for _ in range(60):
        batch.step(batch.sample())
        ends += batch.done
        total += batch.rewards
    assert (ends == 1).all()
    assert (np.abs(total) == 1).all()
    assert (total.sum(axis=1) == 0).all()
    assert not batch.legal.any()
    for place in range(40):
        position = batch.position(place)
        assert position.over
        assert total[place, position.winners[0]] == 1
    batch.step(np.full(40, -5))  # ignored
    assert not batch.done.any()
    batch.reset(where=np.ones(40, bool))
    assert batch.legal.any(axis=1).all()


def test_rewards_add_up_to_nothing() -> None:
    for mode, winners in (("3mini", 1), ("teams", 2)):
        batch = Batch("fillit", 64, mode=mode, threads=2)
        seen = set()
        for _ in range(400):
            batch.step(batch.sample())
            assert not batch.rewards[~batch.done].any()
            seen |= {tuple(row) for row in batch.rewards[batch.done].tolist()}
        assert all(abs(sum(row)) < 1e-6 for row in seen)
        assert any(row.count(1.0) == winners for row in seen)


def refused(batch: Batch, actions: Any, error: type[Exception], match: str) -> None:
    """The actions are refused, and nothing has happened."""
    before = arrays(batch)
    states = [batch.position(place) for place in range(batch.size)]
    with pytest.raises(error, match=match):
        batch.step(actions)
    assert same(before, arrays(batch))
    assert states == [batch.position(place) for place in range(batch.size)]


def test_bad_actions_are_refused_and_nothing_happens() -> None:
    batch = Batch("orochi", 8, side=3)
    good = batch.sample()
    batch.step(good)
    refused(batch, good, th.IllegalMove, f"game 0: action {good[0]} is not legal; legal here:")
    good = batch.sample()
    for wrong in (-1, 57, 1 << 40, -(1 << 63)):
        bad = good.copy()
        bad[5] = wrong
        refused(batch, bad, th.IllegalMove, f"game 5: actions are 0 to 56, not {wrong}")
    refused(batch, good[:7], ValueError, r"actions are of shape \(8,\)")
    refused(batch, good[:, None], ValueError, r"actions are of shape \(8,\)")
    refused(batch, int(good[0]), ValueError, r"actions are of shape \(8,\)")
    refused(batch, good.astype(float), ValueError, "whole numbers")
    refused(batch, good > 3, ValueError, "whole numbers")
    refused(batch, ["a"] * 8, ValueError, "whole numbers")
    refused(batch, None, ValueError, "shape")
    for kind in (np.int8, np.uint8, np.int32, np.uint64):
        batch.step(batch.sample().astype(kind))
    batch.step(batch.sample().tolist())


def test_bad_settings_are_refused() -> None:
    cases: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: Batch("orochi", device="tpu"), th.OptionError, "device must be one of cpu, cuda"),
        (lambda: Batch("chess"), th.OptionError, "Unknown game"),
        (lambda: Batch("orochi", side=9), th.OptionError, "side must be an integer from 2 to 8"),
        (lambda: Batch("orochi", 0), th.OptionError, "size must be an integer"),
        (lambda: Batch("orochi", True), th.OptionError, "size must be an integer"),
        (lambda: Batch("orochi", 4, threads=-1), th.OptionError, "threads must be an integer"),
        (lambda: Batch("orochi", 4, seed=-1), ValueError, "seed must be an integer"),
        (lambda: Batch(th.load("orochi"), side=3), th.OptionError, "has its options already"),
        (lambda: Batch("orochi", 4, side=3).position(4), IndexError, "numbered 0 to 3"),
    ]
    for make, error, match in cases:
        with pytest.raises(error, match=match):
            make()


def test_arrays_can_be_looked_at_only() -> None:
    batch = Batch("orochi", 4, side=3)
    for field in FIELDS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, field)[0] = 0


def test_without_a_gpu_the_error_says_so() -> None:
    try:
        from numba import cuda

        there = cuda.is_available()  # type: ignore[no-untyped-call]
    except ImportError:
        there = False
    if there:
        one, other = Batch("orochi", 64), Batch("orochi", 64, device="cuda")
        for _ in range(50):
            one.step(one.sample())
            other.step(other.sample())
        assert np.array_equal(one.legal, other.legal.numpy())
    else:
        with pytest.raises(th.DeviceError, match="device cuda requires"):
            Batch("orochi", device="cuda")


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f4"])
def test_lent_arrays_live_as_long_as_they_are_held(dtype: str) -> None:
    """DLPack as it is used on a GPU, here for memory that NumPy can take over."""

    class Lent:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack_device__(self) -> tuple[int, int]:
            return (dlpack.CPU, 0)

        def __dlpack__(self, **wishes: Any) -> Any:
            shape, kind = self.array.shape, self.array.dtype
            return dlpack.lend(
                self.array.ctypes.data, shape, kind, self.__dlpack_device__(), self.array
            )

    own = np.arange(24).reshape(2, 3, 4).astype(dtype)
    taken = np.from_dlpack(Lent(own))
    assert taken.ctypes.data == own.ctypes.data
    assert taken.dtype == own.dtype
    assert np.array_equal(taken, own)
    assert len(dlpack._lent) == 1
    del taken
    assert not dlpack._lent
    capsule = Lent(own).__dlpack__()
    assert len(dlpack._lent) == 1
    del capsule  # nobody took it
    assert not dlpack._lent
