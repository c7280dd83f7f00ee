"""Batches that branch, interpreted: copies, rows, positions, pickles, last observations, states."""

import pickle
from typing import Any

import numpy as np
import pytest
from support.small_games import small

import teahouse as th
from teahouse.rl import Batch, functional
from teahouse.rl.rows import copy_rows

FIELDS = ("legal", "player", "rewards", "done", "over", "observation")
every_game = pytest.mark.parametrize("name", th.games())


FIRST, SECOND = th.games()[:2]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing: tests/test_rl_batch.py checks that compiled batches are the same."""
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")


def new_batch(name: str, size: int = 6, steps: int = 5, **settings: Any) -> Batch:
    """Return a batch of a short variant after some random steps."""
    batch = Batch(name, size, **settings, **small(name))
    for _ in range(steps):
        batch.step(batch.sample())
    return batch


def arrays(batch: Batch | functional.State, rows: Any = slice(None)) -> list[np.ndarray]:
    return [getattr(batch, field)[rows].copy() for field in FIELDS]


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(map(np.array_equal, one, other))


@every_game
def test_copies_are_independent_and_play_the_same_games(name: str) -> None:
    batch = new_batch(name, seed=3)
    twin, stored = batch.copy(), pickle.dumps(batch)
    before = arrays(batch)
    for _ in range(40):
        batch.step(batch.sample())
    assert same(arrays(twin), before)
    restored = pickle.loads(stored)
    assert repr(restored) == repr(batch)
    for other in (twin, restored):
        for _ in range(40):
            other.step(other.sample())
        assert same(arrays(other), arrays(batch))
        assert other.positions() == batch.positions()
    twin.set(batch)
    assert same(arrays(twin), arrays(batch))
    twin.reset(seed=3)
    batch.reset(seed=3)
    assert same(arrays(twin), arrays(batch))


@every_game
def test_copied_rows_have_the_padding_of_records(name: str) -> None:
    """NumPy's copies leave it undefined; positions compare all bytes."""
    rows = np.frombuffer(b"\1" * 4 * (width := th.load(name).layout.state.itemsize), np.uint8)
    states = rows.view(th.load(name).layout.state)
    assert copy_rows(states).tobytes() == rows.tobytes()
    assert copy_rows(states, [3, 0, 0]).tobytes() == b"\1" * 3 * width
    assert copy_rows(states).flags.writeable


@every_game
def test_rows_are_gathered_with_their_drafts(name: str) -> None:
    batch = new_batch(name, seed=5)
    for rows in ([4, 0, 0, -1], slice(1, 5, 2), np.arange(6) % 2 == 0, 3):
        index = np.atleast_1d(np.arange(6)[rows])
        branch = batch[rows]
        assert len(branch) == len(index)
        assert same(arrays(branch), arrays(batch, index))
        assert branch.positions() == [batch.position(row) for row in index]
    branch = batch.gather([2] * 8)
    twin = branch.copy()
    draws = branch.sample()
    assert (draws == twin.sample()).all()
    assert (draws == draws[0]).all()
    branch.reseed(1)
    seen = set()
    for _ in range(12):
        actions = branch.sample()
        branch.step(actions)
        seen.add(tuple(actions))
    assert any(len(set(actions)) > 1 for actions in seen)
    fresh = Batch(name, 8, seed=1, **small(name))
    branch.reset(seed=1)
    assert branch.positions() == fresh.positions()
    assert same(arrays(branch), arrays(fresh))
    assert (branch.sample() == fresh.sample()).all()


@every_game
def test_positions_are_set(name: str) -> None:
    source = new_batch(name, seed=7, steps=9)
    batch = new_batch(name, seed=8, steps=4)
    positions = source.positions()
    before = batch.positions()
    batch.set([str(positions[1]), positions[0]], rows=[3, 5])
    assert batch.positions() == [*before[:3], positions[1], before[4], positions[0]]
    batch.set(positions)
    assert batch.positions() == positions
    clean = Batch(batch.game, 6, auto_reset=False)
    clean.set(positions)
    assert same(arrays(clean), arrays(batch))
    for index, position in enumerate(positions):
        assert np.array_equal(batch.legal[index], position.action_mask())
        assert np.array_equal(batch.observation[index], position.planes())
    over = positions[0]
    while not over.over:
        over = over.play(over.legal[0])
    batch.set(over)
    assert batch.over.all()
    assert not batch.legal.any()
    assert not batch.done.any()
    assert (batch.player == over.player).all()
    for action in range(-6, 1):
        batch.step(np.full(6, action))  # ignored, whatever it is
        assert batch.over.all()
        assert not batch.done.any()
    batch.reset(where=batch.over.copy())
    assert not batch.over.any()


@every_game
def test_last_observations_are_those_without_a_reset(name: str) -> None:
    batch, plain = new_batch(name, 3, 0), new_batch(name, 3, 0, auto_reset=False)
    ended = np.zeros(3, bool)
    while not ended.all():
        plain.set(batch)
        actions = batch.sample()
        batch.step(actions)
        plain.step(actions)
        assert np.array_equal(batch.done, plain.over)
        assert not batch.over.any()
        done = batch.done
        assert np.array_equal(batch.final_observation[done], plain.observation[done])
        assert np.array_equal(plain.final_observation[done], plain.observation[done])
        assert np.array_equal(batch.final_player[done], plain.player[done])
        ended |= done


@every_game
def test_float_observations_are_those_of_environments(name: str) -> None:
    batch, scaled = new_batch(name), new_batch(name, dtype="float32")
    largest = np.array([plane.max_value for plane in batch.spec.planes], np.float32)
    assert scaled.observation.dtype == np.float32
    for _ in range(2):
        expected = batch.observation / largest[:, None, None]
        assert np.array_equal(scaled.observation, expected)
        assert scaled.observation.max() <= 1
        batch.step(batch.sample())
        scaled.step(scaled.sample())


@every_game
def test_states_never_change(name: str) -> None:
    start = functional.init(name, 5, seed=2, **small(name))
    batch = Batch(name, 5, seed=2, **small(name))
    assert same(arrays(start), arrays(batch))
    kept, copies = start.legal, arrays(start)
    actions = functional.sample(start, seed=9)
    assert (functional.sample(start, seed=9) == actions).all()
    state = functional.step(start, actions)
    batch.step(actions)
    assert same(arrays(state), arrays(batch))
    assert state.positions() == batch.positions()
    assert same(arrays(start), copies)
    assert kept is start.legal
    assert np.array_equal(kept, copies[0])
    other = functional.step(state[[0, 0, 4]], functional.sample(state[[0, 0, 4]], seed=1))
    assert len(other) == other.size == 3
    assert state.set(start.position(0)).position(4) == start.position(0)
    free = state.batch()
    free.step(free.sample())
    assert same(arrays(state), arrays(batch))


def test_invalid_rows_and_positions() -> None:
    batch = new_batch(FIRST, 3)
    game = batch.game
    before = arrays(batch)
    wrong: Any = [1, 2, 3]
    none: Any = None
    state = functional.State(batch)
    for call, error, match in (
        (lambda: batch[3], IndexError, "rows must be from -3 to 2, got 3"),
        (lambda: batch[[0, -4]], IndexError, "got -4"),
        (lambda: batch[[]], IndexError, "at least one game"),
        (lambda: batch[[0.5]], ValueError, "rows must be an index, a slice"),
        (lambda: batch[[True, False]], ValueError, r"bool array of shape \(3,\)"),
        (lambda: batch["a"], ValueError, "rows must be an index"),
        (lambda: batch.set("nonsense"), th.PositionError, "position"),
        (lambda: batch.set([game.start()]), ValueError, "There must be 3 positions"),
        (lambda: batch.set(wrong), ValueError, "must be a Position or its text"),
        (
            lambda: batch.set(none),
            ValueError,
            "positions must be a Position, a position text or a seq",
        ),
        (lambda: batch.position(wrong), IndexError, "index must be from -3 to 2"),
        (lambda: functional.step(none, [0, 0, 0]), th.OptionError, "state must be a State"),
        (lambda: functional.sample(state, none), th.OptionError, "seed must be an integer"),
        (lambda: batch.set(th.load(SECOND).start()), th.OptionError, "The game is"),
        (lambda: batch.set(batch[[0]]), th.OptionError, "other batch must be like"),
        (lambda: batch.set(batch, rows=[1]), th.OptionError, "sets all rows"),
        (lambda: batch.reseed(-1), ValueError, "seed must be an integer"),
        (lambda: batch.sample(-1), ValueError, "seed must be an integer"),
        (lambda: Batch(game, 3, dtype="int8"), th.OptionError, "dtype must be one of uint8"),
    ):
        with pytest.raises(error, match=match):
            call()
    assert same(arrays(batch), before)
    assert batch.position(-1) == batch.position(2)


def test_pickles_of_other_versions_are_refused() -> None:
    restore, (settings, rows) = new_batch(FIRST, 2).__reduce__()
    for name, other in (
        ("states", np.zeros(2, [("player", np.uint8)])),
        ("legal", rows["legal"][:, 1:]),
    ):
        with pytest.raises(ValueError, match=f"of another version, with other {name}"):
            restore(settings, {**rows, name: other})
    with pytest.raises(ValueError, match="with other done"):
        restore(settings, {name: array for name, array in rows.items() if name != "done"})
