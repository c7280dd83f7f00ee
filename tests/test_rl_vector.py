"""The Gymnasium vector environment: autoreset modes, opponents, self-play, Gymnasium's wrappers."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from support.small_games import small
from support.variants import KINDS, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.rl import Batch
from teahouse.rl.gymnasium import register
from teahouse.rl.vector import BatchVectorEnv

FIRST = th.games()[0]
MODES = [mode.value for mode in AutoresetMode]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile nothing: batches are the same compiled."""
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")


def draw(info: dict[str, Any], rng: np.random.Generator) -> np.ndarray:
    """Return a legal action for each game, 0 where there is none."""
    masks = info["action_mask"]
    return np.array([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in masks])


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_agents_play_seats_against_random_opponents(game: Game) -> None:
    env = BatchVectorEnv(game, 3, "random")
    rng = np.random.default_rng(1)
    observation, info = env.reset(seed=4)
    for _ in range(30):
        assert observation in env.observation_space
        assert np.array_equal(env.batch.player, info["seat"])
        assert np.array_equal(info["action_mask"], env.action_masks())
        observation, rewards, ended, truncated, info = env.step(draw(info, rng))
        assert rewards.dtype == np.float64
        assert not rewards[~ended].any()
        assert not truncated.any()
        assert np.allclose(info["rewards"].sum(axis=1), 0)


@pytest.mark.parametrize("mode", MODES)
def test_games_that_end_are_replaced_as_the_mode_says(mode: str) -> None:
    """All modes play the same games; the last observation is that of mode Disabled."""
    env = BatchVectorEnv(FIRST, 4, "random", autoreset_mode=mode, **small(FIRST))
    assert env.metadata["autoreset_mode"].value == mode
    rng = np.random.default_rng(2)
    _, info = env.reset(seed=1)
    ended = np.zeros(4, bool)
    while not ended.any():
        observation, rewards, ended, _, info = env.step(draw(info, rng))
    assert (rewards[ended] != 0).any()
    if mode == "SameStep":
        assert info["action_mask"].any(axis=1).all()
        assert np.array_equal(info["_final_obs"], ended)
        assert np.array_equal(info["_final_info"], ended)
        final = info["final_info"]
        assert np.array_equal(final["_action_mask"], ended)
        assert not final["action_mask"][ended].any()
        for index in range(4):
            last = info["final_obs"][index]
            assert (last is not None) == ended[index]
            assert last is None or not np.array_equal(last, observation[index])
        return
    assert np.array_equal(~info["action_mask"].any(axis=1), ended)
    if mode == "Disabled":
        with pytest.raises(th.IllegalMove, match="call reset first"):
            env.step(draw(info, rng))
        _, info = env.reset(options={"reset_mask": ended})
    else:
        _, rewards, again, _, info = env.step(draw(info, rng))
        assert not rewards[ended].any()
        assert not again[ended].any()
    assert info["action_mask"].any(axis=1).all()


@pytest.mark.parametrize("name", th.games())
def test_self_play_is_the_batch(name: str) -> None:
    env = BatchVectorEnv(name, 4, **small(name))
    observation, info = env.reset(seed=3)
    seed = int(np.random.default_rng(3).integers(1 << 62))
    batch = Batch(name, 4, seed=seed, dtype="float32", **small(name))
    for _ in range(60):
        assert np.array_equal(observation, batch.observation)
        assert np.array_equal(info["action_mask"], batch.legal)
        assert np.array_equal(info["seat"], batch.player)
        actions, actors = batch.sample(), batch.player.copy()
        observation, rewards, ended, _, info = env.step(actions)
        batch.step(actions)
        assert np.array_equal(ended, batch.done)
        assert np.array_equal(info["rewards"], batch.rewards)
        assert np.array_equal(rewards, batch.rewards[np.arange(4), actors])
        for index in np.flatnonzero(ended):
            assert np.array_equal(info["final_obs"][index], batch.final_observation[index])


def test_the_same_seed_gives_the_same_games() -> None:
    def played() -> list[np.ndarray]:
        env = BatchVectorEnv(FIRST, 3, lambda position: position.legal[-1], **small(FIRST))
        _, info = env.reset(seed=8)
        rng = np.random.default_rng(0)
        return [env.step(draw(info, rng))[0], *env.step(env.action_space.sample() * 0)[:2]]

    assert all(map(np.array_equal, played(), played()))


def test_illegal_actions() -> None:
    env = BatchVectorEnv(FIRST, 3, "random", seat=0, dtype="uint8", **small(FIRST))
    with pytest.raises(th.IllegalMove, match="call reset first"):
        env.step(np.zeros(3, int))
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    actions = draw(info, rng)
    illegal = int(np.flatnonzero(info["action_mask"][1] == 0)[0])
    actions[1] = illegal
    observation, rewards, ended, _, info = env.step(actions)
    assert observation.dtype == np.uint8
    assert observation in env.observation_space
    assert ended.tolist() == [False, True, False]
    assert rewards[1] == -1
    assert info["rewards"][1, 0] == -1
    assert info["rewards"][1].sum() == 0
    assert f"action {illegal} is illegal" in info["final_info"]["illegal"][1]
    assert info["action_mask"][1].any()
    for wrong in (-1, env.batch.spec.action_count):
        with pytest.raises(th.IllegalMove, match="actions must be from 0"):
            env.step(np.full(3, wrong))
    with pytest.raises(ValueError, match="must have shape"):
        env.step(np.zeros(2, int))
    strict = BatchVectorEnv(FIRST, 2, illegal="error", **small(FIRST))
    strict.reset(seed=1)
    with pytest.raises(th.IllegalMove, match="is illegal"):
        strict.step(np.full(2, illegal))


def test_an_illegal_action_loses_for_the_whole_side() -> None:
    env = BatchVectorEnv("fillit", 2, autoreset_mode="NextStep", mode="teams")
    _, info = env.reset(seed=1)
    actions = draw(info, np.random.default_rng(1))
    actions[1] = int(np.flatnonzero(info["action_mask"][1] == 0)[0])
    loser = int(info["seat"][1])
    _, rewards, ended, _, info = env.step(actions)
    side = env.batch.game.teams[env.batch.game.side(loser)]
    assert info["rewards"][1].tolist() == [-1.0 if seat in side else 1.0 for seat in range(4)]
    assert rewards.tolist() == [0, -1]
    ended[:] = False  # the environment has its own
    assert env.action_masks().any(axis=1).tolist() == [True, False]


def test_wrappers_and_registration() -> None:
    plain = gymnasium.make_vec(
        register()[0], 2, vectorization_mode="vector_entry_point", **small(FIRST)
    )
    env = DictInfoToList(RecordEpisodeStatistics(plain))
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(1)
    ended = np.zeros(2, bool)
    while not ended.any():
        masks = np.array([info["action_mask"] for info in infos])
        _, _, ended, _, infos = env.step(draw({"action_mask": masks}, rng))
    assert infos[int(np.argmax(ended))]["episode"]["l"] > 1


def test_invalid_arguments() -> None:
    for settings, match in (
        ({"seat": 0}, "seat needs an opponent"),
        ({"opponent": "random", "seat": 9}, "seat must be an integer"),
        ({"opponent": "strong"}, "opponent must be a bot"),
        ({"autoreset_mode": "never"}, "autoreset_mode must be one of NextStep, SameStep, Disabled"),
        ({"dtype": "float64"}, "dtype must be one of"),
        ({"illegal": "maybe"}, "illegal must be one of"),
    ):
        with pytest.raises(th.OptionError, match=match):
            BatchVectorEnv(FIRST, 2, **settings)
    env = BatchVectorEnv(FIRST, 2, "random", seat=1, **small(FIRST))
    for mask in ([True], [0, 1]):
        with pytest.raises(ValueError, match="reset_mask must be a bool array"):
            env.reset(options={"reset_mask": mask})
    _, info = env.reset(options={"reset_mask": [True, False]})  # the first one starts all games
    assert (info["seat"] == 1).all()
    assert (env.batch.player == 1).all()


def test_games_start_from_positions() -> None:
    env = BatchVectorEnv("orochi", 3, autoreset_mode="Disabled", side=2)
    start = env.batch.game.start()
    first = start.play(start.legal[0])
    env.reset(seed=1, options={"position": str(first)})
    assert env.batch.positions() == [first] * 3
    second = first.play(first.legal[0])
    mask = [False, True, True]
    env.reset(options={"position": [second, start], "reset_mask": mask})
    assert env.batch.positions() == [first, second, start]
    while not second.over:
        second = second.play(second.legal[0])
    for wrong, match in (
        (second, "the game is over"),
        ([first], "There must be 3 positions"),
        ("nonsense", "position"),
    ):
        with pytest.raises(ValueError, match=match):
            env.reset(options={"position": wrong})
    assert env.batch.position(0) == first


def test_boards_are_rendered() -> None:
    env = BatchVectorEnv(FIRST, 2, render_mode="rgb_array", **small(FIRST))
    env.reset(seed=1)
    frames = env.render()
    assert frames
    assert [frame.shape[2] for frame in frames] == [3, 3]
