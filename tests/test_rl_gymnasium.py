"""Gymnasium's environment checker on every game, and games against bots."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from support.small_games import small
from support.variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.rl import episode
from teahouse.rl.episode import Episode
from teahouse.rl.gymnasium import AgainstBots, register

pytestmark = pytest.mark.usefixtures("no_compiling")


def test_all_games_are_registered() -> None:
    assert register() == [f"teahouse/{th.load(name).title}-v0" for name in th.games()]
    assert all(name in gymnasium.registry for name in register())


@pytest.mark.parametrize("name", register())
def test_environment_checker(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The default environment, with a bot of level 1, and its render modes."""
    check_env(gymnasium.make(name).unwrapped)
    assert capsys.readouterr().out


@pytest.mark.parametrize("game", ALL, ids=ids)
def test_every_variant_can_be_played(game: Game) -> None:
    env: Any = gymnasium.make(f"teahouse/{game.title}-v0", opponent="random", **game.options)
    check_env(env.unwrapped, skip_render_check=True)
    observation, info = env.reset(seed=5)
    env.action_space.seed(5)
    over = False
    while not over:
        assert observation in env.observation_space
        assert np.array_equal(info["action_mask"], env.unwrapped.action_masks())
        observation, reward, over, truncated, info = env.step(
            env.action_space.sample(info["action_mask"])
        )
        assert not truncated
        assert over or reward == 0
    assert abs(reward) in (0.0, 0.5, 1.0)
    assert not info["action_mask"].any()


SMALLEST = th.load("orochi", side=3)  # compiled in a few seconds
SMALL = [pytest.param(th.load(name, **small(name)), marks=pytest.mark.long) for name in th.games()]


@pytest.mark.parametrize("game", [SMALLEST, *SMALL], ids=ids)
def test_compiled_environments_play_the_same_games(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interpreted, a random opponent draws from `Position.legal`, as it always did."""

    def played() -> list[Any]:
        env = AgainstBots(game, "random")
        found: list[Any] = []
        for seed in (3, None):
            observation, info = env.reset(seed=seed)
            rng, over = np.random.default_rng(5), False
            while not over:
                found += [observation, info["action_mask"], str(env.episode.position)]
                action = rng.choice(np.flatnonzero(info["action_mask"]))
                observation, reward, over, _, info = env.step(action)
            found += [reward, observation]
        return found

    def drawn(one: Episode, rng: np.random.Generator) -> None:
        legal = one.position.legal
        one.play(legal[rng.integers(len(legal))])

    monkeypatch.setattr(episode, "COMPILE_AFTER", 0)
    quick = played()
    with monkeypatch.context() as patch:
        patch.setenv("TEAHOUSE_INTERPRETED", "1")
        patch.setattr(Episode, "play_random", drawn)
        slow = played()
    assert all(map(np.array_equal, quick, slow))


def test_opponents_and_seats_can_be_chosen() -> None:
    moved = []

    def first(position: th.Position) -> str:
        moved.append(position.player)
        return position.legal[0]

    env = AgainstBots("fillit", first, seat=1, mode="3mini")
    env.reset(seed=1)
    assert moved
    assert set(moved) == {0}
    assert AgainstBots("orochi", th.bot("orochi", 2), side=3).reset(seed=1)
    seats = set()
    env = AgainstBots("orochi", "random", side=3)
    for seed in range(20):
        seats.add(env.reset(seed=seed)[1]["seat"])
    assert seats == {0, 1}


def test_episodes_start_from_positions() -> None:
    env = AgainstBots("orochi", lambda position: position.legal[0], seat=0, side=2)
    start = env.episode.game.start()
    line = [start]
    while not line[-1].over:
        line.append(line[-1].play(line[-1].legal[0]))
    env.reset(seed=1, options={"position": str(line[3])})
    assert env.episode.position == line[3]
    env.reset(seed=1, options={"position": line[1]})  # the opponent moves first
    assert env.episode.position == line[3]
    for wrong, match in (
        (line[-1], "the game is over"),
        ("nonsense", "position"),
        (th.load("orochi", side=3).start(), "The game is"),
        (3, "must be a Position"),
    ):
        with pytest.raises(ValueError, match=match):
            env.reset(options={"position": wrong})
        assert env.episode.position == line[3]
    before = line[-2]
    other = AgainstBots(
        "orochi", lambda position: position.legal[0], seat=1 - before.player, side=2
    )
    with pytest.raises(th.OptionError, match="over before the agent's turn"):
        other.reset(options={"position": before})


def test_illegal_actions() -> None:
    env = AgainstBots("orochi", "random", seat=0, side=3)
    with pytest.raises(th.IllegalMove, match="call reset first"):
        env.step(0)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(40)
    assert (reward, over) == (-1.0, True)
    assert "Action 40 is illegal" in info["illegal"]
    with pytest.raises(th.IllegalMove, match="call reset first"):
        env.step(0)
    env.reset(seed=1)
    for wrong in (-1, 57, 2.5, "x", None):
        with pytest.raises(th.IllegalMove, match="action must be an integer from 0 to 56"):
            env.step(wrong)
    strict = AgainstBots("orochi", "random", seat=0, illegal="error", side=3)
    strict.reset(seed=1)
    with pytest.raises(th.IllegalMove, match="Action 40 is illegal"):
        strict.step(40)
    assert strict.step(0)[1] == 0.0
    assert strict.render() is None  # no mode


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_by_themselves(copied: Callable[[AgainstBots], AgainstBots]) -> None:
    env = AgainstBots("orochi", "random", seat=0, side=3)
    _, info = env.reset(seed=1)
    before = env.episode.position
    action = int(info["action_mask"].argmax())
    twin = copied(env)
    observation, *others = twin.step(action)[:4]
    assert env.episode.position == before
    again, *same = env.step(action)[:4]
    assert np.array_equal(observation, again)
    assert others == same


def test_invalid_arguments() -> None:
    for settings, match in (
        ({"opponent": 9}, "level must be an integer from 1 to 8"),
        ({"opponent": "strong"}, "opponent must be a bot, a level"),
        ({"opponent": None}, "opponent must be a bot, a level"),
        ({"seat": 2}, "seat must be an integer from 0 to 1"),
        ({"illegal": "maybe"}, "illegal must be one of lose, error"),
        ({"render_mode": "rgb"}, "render_mode must be one of ansi, human, rgb_array"),
        ({"side": 1}, "side must be an integer"),
    ):
        with pytest.raises(th.OptionError, match=match):
            AgainstBots("orochi", **settings)
