"""PettingZoo's own checks of every game and mode, and what else its users rely on."""

import pickle
import warnings
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, seed_test
from support.variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.rl import pettingzoo as table

every_variant = pytest.mark.parametrize("game", ALL, ids=ids)


@every_variant
def test_pettingzoo_is_content(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        # It says this of every observation with a mask that is not one of its own games'.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        api_test(table.env(game), num_cycles=60)
        seed_test(partial(table.env, game), num_cycles=40)
    assert "Passed API test" in capsys.readouterr().out


def seeded(environment: Any, seed: int = 1) -> Any:
    """The environment with all its chance fixed."""
    environment.reset(seed=seed)
    for number, agent in enumerate(environment.possible_agents):
        environment.action_space(agent).seed(seed + number)
    return environment


@every_variant
def test_cycles_are_counted(game: Game) -> None:
    """PettingZoo's check, which wants as many actions of each agent: so it is with this seed."""
    # It plays four cycles of both agents; seven cells have room for six placements.
    if game.options == {"side": 2}:
        pytest.skip("a game on seven cells is over too soon for it")
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: seeded(table.env(game, max_cycles=max_cycles)),
            parallel_env=partial(table.parallel_env, game),
        )
    )


def test_a_game_to_its_end() -> None:
    env = table.env("fillit", mode="teams", render_mode="ansi")
    env.reset(seed=3)
    for agent in env.agents:
        env.action_space(agent).seed(3)
    rewards = {}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        assert not truncated
        if terminated:
            assert not info["action_mask"].any()
            rewards[agent] = reward
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(info["action_mask"]))
    assert rewards["player_0"] == rewards["player_2"] == -rewards["player_1"]
    assert set(map(abs, rewards.values())) <= {0.0, 1.0}
    assert "Red" in env.render()


def test_illegal_actions_are_refused_and_nothing_happens() -> None:
    env = table.env("orochi", side=3)
    env.reset(seed=1)
    env.step(0)
    before = env.last()[0]
    for wrong in (0, -1, 57, 1.5, "x", None, True):
        with pytest.raises(th.IllegalMove):
            env.step(wrong)
    after = env.last()[0]
    assert np.array_equal(before["observation"], after["observation"])
    assert np.array_equal(before["action_mask"], after["action_mask"])


def test_settings_are_checked() -> None:
    for settings, match in (
        ({"max_cycles": 0}, "max_cycles must be an integer"),
        ({"max_cycles": "9"}, "max_cycles must be an integer"),
        ({"render_mode": "rgb"}, "render_mode must be one of ansi, human"),
        ({"side": 12}, "side must be an integer"),
    ):
        with pytest.raises(th.OptionError, match=match):
            table.env("orochi", **settings)


def test_environments_can_be_copied() -> None:
    env = pickle.loads(pickle.dumps(table.raw_env("oolong", max_cycles=5)))
    env.reset(seed=1)
    assert str(env) == "teahouse_oolong_v0"
    assert env.max_actions == 10
