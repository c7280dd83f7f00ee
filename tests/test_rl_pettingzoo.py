"""PettingZoo's API tests of every variant, complete games, errors and pickling."""

import copy
import pickle
import warnings
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    render_test,
    seed_test,
)
from support.variants import ALL, KINDS, ids

import teahouse as th
from teahouse.core.game import Game, non_default_options
from teahouse.rl import pettingzoo

pytestmark = pytest.mark.usefixtures("no_compiling")
every_variant = pytest.mark.parametrize("game", ALL, ids=ids)


@every_variant
def test_api(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        # The API test warns about dict observations unless the game is one of PettingZoo's.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        api_test(pettingzoo.env(game), num_cycles=60)
        seed_test(partial(pettingzoo.env, game), num_cycles=40)
    assert "Passed API test" in capsys.readouterr().out


def seeded(environment: Any, seed: int = 1) -> Any:
    """Reset the environment and seed its action spaces."""
    environment.reset(seed=seed)
    for number, agent in enumerate(environment.possible_agents):
        environment.action_space(agent).seed(seed + number)
    return environment


@every_variant
def test_max_cycles(game: Game) -> None:
    """PettingZoo's test requires equally many actions of each agent, which this seed gives."""
    if non_default_options(game) == {"side": 2}:
        pytest.skip("the test plays four cycles; a game on seven cells has at most six moves")
    max_cycles_test(
        SimpleNamespace(
            env=lambda max_cycles: seeded(pettingzoo.env(game, max_cycles=max_cycles)),
            parallel_env=partial(pettingzoo.parallel_env, game),
        )
    )


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_parallel_api(game: Game) -> None:
    parallel_api_test(pettingzoo.parallel_env(game), num_cycles=40)


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    """PettingZoo's test of every render mode; an image shows the board."""
    render_test(
        partial(pettingzoo.env, th.games()[0]),
        {"rgb_array": lambda frame: len(np.unique(frame)) > 5},
    )
    assert capsys.readouterr().out


def test_the_order_of_calls_is_enforced() -> None:
    env = pettingzoo.env("orochi", side=3)
    for call in (env.last, lambda: env.step(0), env.render, env.agent_iter, lambda: env.agents):
        with pytest.raises((AttributeError, AssertionError), match="reset"):
            call()
    env.reset(seed=1)
    assert env.agents == env.possible_agents
    assert env.agent_selection == "player_0"
    assert str(env) == "teahouse_orochi_v0"


def test_complete_game() -> None:
    env = pettingzoo.env("fillit", mode="teams", render_mode="ansi")
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


def test_illegal_actions_change_nothing() -> None:
    env = pettingzoo.env("orochi", side=3)
    env.reset(seed=1)
    env.step(0)
    before = env.last()[0]
    for wrong in (0, -1, 57, 1.5, "x", None, True):
        with pytest.raises(th.IllegalMove):
            env.step(wrong)
    after = env.last()[0]
    assert np.array_equal(before["observation"], after["observation"])
    assert np.array_equal(before["action_mask"], after["action_mask"])


def test_episodes_start_from_positions() -> None:
    env = pettingzoo.env("orochi", side=3)
    position = th.load("orochi", side=3).start().play("wa1")
    env.reset(seed=1, options={"position": str(position)})
    assert env.agent_selection == "player_1"
    assert np.array_equal(env.last()[4]["action_mask"], position.action_mask())
    with pytest.raises(th.PositionError):
        env.reset(options={"position": "nonsense"})


def test_invalid_arguments() -> None:
    for settings, match in (
        ({"max_cycles": 0}, "max_cycles must be an integer"),
        ({"max_cycles": "9"}, "max_cycles must be an integer"),
        ({"max_actions": 0}, "max_actions must be an integer"),
        ({"render_mode": "rgb"}, "render_mode must be one of ansi, human, rgb_array"),
        ({"side": 12}, "side must be an integer"),
    ):
        with pytest.raises(th.OptionError, match=match):
            pettingzoo.env("orochi", **settings)
    with pytest.raises(th.OptionError, match="max_cycles must be an integer"):
        pettingzoo.parallel_env("orochi", max_cycles=0)


def test_pickling() -> None:
    env = pickle.loads(pickle.dumps(pettingzoo.raw_env("oolong", max_cycles=5)))
    env.reset(seed=1)
    assert str(env) == "teahouse_oolong_v0"
    assert env.max_actions == 10


@pytest.mark.parametrize("copied", [lambda env: pickle.loads(pickle.dumps(env)), copy.deepcopy])
def test_copies_have_their_own_spaces_and_limits(copied: Callable[[Any], Any]) -> None:
    env = copied(pettingzoo.parallel_env("orochi", max_cycles=3, side=2))
    assert env.action_space("player_0").sample() in env.action_space("player_0")  # before a reset
    env.reset(seed=1)
    cycles = 0
    while env.agents:  # an illegal action would raise
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        cycles += 1
    assert cycles == 3
