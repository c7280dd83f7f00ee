"""Batches: the same games as episodes, on any number of threads, and errors that change nothing."""

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import teahouse as th
from teahouse.core.random import game_seed, setup_seed
from teahouse.rl import Batch, cpu_batch, dlpack, observation_spec
from teahouse.rl.episode import Episode

# Compiling takes most of the time here, so few variants are compiled.
SMALL: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 3}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "3mini"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {"tiles": 4, "pieces": 2}),
]
every_small = pytest.mark.parametrize(("name", "options"), SMALL)
FIELDS = ("legal", "player", "rewards", "done", "over", "observation")


def arrays(batch: Batch) -> dict[str, np.ndarray]:
    """Return copies of the public arrays."""
    return {field: getattr(batch, field).copy() for field in FIELDS}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(one[field], other[field]) for field in FIELDS)


@every_small
def test_a_batch_plays_the_same_games_as_episodes(name: str, options: dict[str, Any]) -> None:
    size = 6
    batch = Batch(name, size, seed=4, **options)
    game = batch.game
    numbers = list(range(size))
    episodes = [Episode(game, setup_seed(game_seed(4, number))) for number in numbers]
    max_values = np.array([plane.max_value for plane in batch.spec.planes], np.float32)[
        :, None, None
    ]
    ended = 0
    for _ in range(120):
        for index, episode in enumerate(episodes):
            assert np.array_equal(batch.legal[index], episode.legal)
            assert batch.player[index] == episode.player
            assert np.array_equal(batch.observation[index] / max_values, episode.observation())
            assert batch.position(index) == episode.position
        actions = batch.sample()
        batch.step(actions)
        for index, episode in enumerate(episodes):
            episode.step(actions[index])
            assert batch.done[index] == episode.over
            assert np.allclose(batch.rewards[index], episode.rewards)
            if episode.over:
                ended += 1
                numbers[index] += size
                episodes[index] = Episode(game, setup_seed(game_seed(4, numbers[index])))
    assert ended


@every_small
def test_threads_and_interpretation_do_not_change_results(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(threads: int) -> list[dict[str, np.ndarray]]:
        batch = Batch(name, 13, seed=9, threads=threads, dtype="float32", **options)
        for _ in range(150):
            batch.step(batch.sample())
        branch = pickle.loads(pickle.dumps(batch))[[12, 3, 3]]
        branch.set(str(batch.position(5)), rows=[2])
        branch.reseed(7)
        found = [arrays(batch), arrays(branch)]
        while not branch.done.any():
            branch.step(branch.sample())
        return [*found, {**arrays(branch), "observation": branch.final_observation[branch.done]}]

    one = played(1)
    monkeypatch.setattr(cpu_batch, "THREAD_SECONDS", 0.0)  # however little there is to do
    assert all(map(same, one, played(4)))
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    assert all(map(same, one, played(1)))


def test_threads_are_woken_for_enough_work_only(monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[int] = []
    submit = ThreadPoolExecutor.submit

    def counted(pool: ThreadPoolExecutor, *call: Any) -> Any:
        woken.append(call[-1])
        return submit(pool, *call)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", counted)
    batch = Batch("orochi", 12, side=3, threads=3)
    monkeypatch.setattr(cpu_batch, "THREAD_SECONDS", 1e9)
    batch.step(batch.sample())
    assert woken == []
    monkeypatch.setattr(cpu_batch, "THREAD_SECONDS", 0.0)
    batch.sample()
    assert woken == [8, 12]  # the calling thread takes the games before the first of them


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


def test_selected_games_are_reset() -> None:
    batch = Batch("orochi", 10, side=3)
    for _ in range(5):
        batch.step(batch.sample())
    before = arrays(batch)
    where = np.arange(10) % 2 == 0
    batch.reset(where=where)
    after = arrays(batch)
    assert all(batch.position(index).ply == 0 for index in range(0, 10, 2))
    for field in FIELDS:
        assert np.array_equal(before[field][~where], after[field][~where])
    for wrong in (where[:5], where.astype(int), [0, 1]):
        with pytest.raises(ValueError, match="where must be a bool array"):
            batch.reset(where=wrong)
    with pytest.raises(th.OptionError, match="either seed or where"):
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
    for index in range(40):
        position = batch.position(index)
        assert position.over
        assert total[index, position.winners[0]] == 1
    batch.step(np.full(40, -5))  # ignored
    assert not batch.done.any()
    batch.reset(where=np.ones(40, bool))
    assert batch.legal.any(axis=1).all()


def test_rewards_sum_to_zero() -> None:
    for mode, winners in (("3mini", 1), ("teams", 2)):
        batch = Batch("fillit", 64, mode=mode, threads=2)
        seen = set()
        for _ in range(400):
            batch.step(batch.sample())
            assert not batch.rewards[~batch.done].any()
            seen |= {tuple(row) for row in batch.rewards[batch.done].tolist()}
        assert all(abs(sum(row)) < 1e-6 for row in seen)
        assert any(row.count(1.0) == winners for row in seen)


def check_rejected(batch: Batch, actions: Any, error: type[Exception], match: str) -> None:
    """Check that the actions raise an error and change nothing."""
    before = arrays(batch)
    states = [batch.position(index) for index in range(batch.size)]
    with pytest.raises(error, match=match):
        batch.step(actions)
    assert same(before, arrays(batch))
    assert states == [batch.position(index) for index in range(batch.size)]


def test_illegal_actions_change_nothing() -> None:
    batch = Batch("orochi", 8, side=3)
    good = batch.sample()
    batch.step(good)
    check_rejected(
        batch, good, th.IllegalMove, f"Game 0: action {good[0]} is illegal; legal actions:"
    )
    good = batch.sample()
    for wrong in (-1, 57, 1 << 40, -(1 << 63)):
        bad = good.copy()
        bad[5] = wrong
        check_rejected(
            batch, bad, th.IllegalMove, f"Game 5: actions must be from 0 to 56, got {wrong}"
        )
    check_rejected(batch, good[:7], ValueError, r"actions must have shape \(8,\)")
    check_rejected(batch, good[:, None], ValueError, r"actions must have shape \(8,\)")
    check_rejected(batch, int(good[0]), ValueError, r"actions must have shape \(8,\)")
    check_rejected(batch, good.astype(float), ValueError, "must be integers")
    check_rejected(batch, good > 3, ValueError, "must be integers")
    check_rejected(batch, ["a"] * 8, ValueError, "must be integers")
    check_rejected(batch, None, ValueError, "shape")
    for kind in (np.int8, np.uint8, np.int32, np.uint64):
        batch.step(batch.sample().astype(kind))
    batch.step(batch.sample().tolist())


def test_invalid_arguments() -> None:
    cases: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: Batch("orochi", device="tpu"), th.OptionError, "device must be one of cpu, cuda"),
        (lambda: Batch("chess"), th.OptionError, "Unknown game"),
        (lambda: Batch("orochi", side=9), th.OptionError, "side must be an integer from 2 to 8"),
        (lambda: Batch("orochi", 0), th.OptionError, "size must be an integer"),
        (lambda: Batch("orochi", True), th.OptionError, "size must be an integer"),
        (lambda: Batch("orochi", 4, threads=-1), th.OptionError, "threads must be an integer"),
        (lambda: Batch("orochi", 4, seed=-1), ValueError, "seed must be an integer"),
        (
            lambda: Batch(th.load("orochi"), side=3),
            th.OptionError,
            "only be given with a game's name",
        ),
        (lambda: Batch("orochi", 4, side=3).position(4), IndexError, "must be from -4 to 3, got 4"),
        (lambda: Batch("orochi", 4, side=3).position(True), IndexError, "must be from -4 to 3"),
        (lambda: Batch("orochi", auto_reset="no"), th.OptionError, "must be True or False"),  # type: ignore[arg-type]
    ]
    for make, error, match in cases:
        with pytest.raises(error, match=match):
            make()


def test_types_of_observations_are_names_or_types_of_numpy() -> None:
    for dtype in ("float32", np.float32, np.dtype("float32")):
        assert Batch("orochi", 1, side=2, dtype=dtype).observation.dtype == np.float32


def test_specs_by_name_and_options() -> None:
    spec = observation_spec("orochi", side=3)
    assert spec == observation_spec(th.load("orochi", side=3)) == Batch("orochi", 1, side=3).spec


def test_arrays_are_read_only() -> None:
    batch = Batch("orochi", 4, side=3)
    for field in (*FIELDS, "final_observation", "final_player"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, field)[0] = 0


def test_batch_on_a_gpu_or_a_device_error() -> None:
    try:
        from numba import cuda

        available = cuda.is_available()  # type: ignore[no-untyped-call]
    except ImportError:
        available = False
    if available:
        one, other = Batch("orochi", 64), Batch("orochi", 64, device="cuda")
        for _ in range(50):
            one.step(one.sample())
            other.step(other.sample())
        assert np.array_equal(one.legal, other.legal.numpy())
    else:
        with pytest.raises(th.DeviceError, match="device cuda requires"):
            Batch("orochi", device="cuda")


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "f4"])
def test_dlpack_keeps_arrays_alive(dtype: str) -> None:
    """DLPack as used on a GPU, here for CPU memory that NumPy imports."""

    class Exporter:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack_device__(self) -> tuple[int, int]:
            return (dlpack.CPU, 0)

        def __dlpack__(self, **kwargs: Any) -> Any:
            shape, kind = self.array.shape, self.array.dtype
            return dlpack.export(
                self.array.ctypes.data, shape, kind, self.__dlpack_device__(), self.array
            )

    own = np.arange(24).reshape(2, 3, 4).astype(dtype)
    imported = np.from_dlpack(Exporter(own))
    assert imported.ctypes.data == own.ctypes.data
    assert imported.dtype == own.dtype
    assert np.array_equal(imported, own)
    assert len(dlpack._exported) == 1
    del imported
    assert not dlpack._exported
    capsule = Exporter(own).__dlpack__()
    assert len(dlpack._exported) == 1
    del capsule  # not imported by anyone
    assert not dlpack._exported
