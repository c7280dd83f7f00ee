"""OpenSpiel's simulation tests of every variant, its MCTS, and the parameters."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation
from support.variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.rl import openspiel

pytestmark = pytest.mark.usefixtures("no_compiling")
QUICK = ("fillit(mode=2mini)", "oolong(specials=false)", "orochi(side=2)", "toot(tiles=4,pieces=2)")


def as_parameters(game: Game) -> dict[str, object]:
    """Return a game's options as OpenSpiel parameters."""
    return {
        option: openspiel.to_parameter(
            kind,
            value.replace(",", ";")
            if isinstance(value := game.all_options[option], str)
            else value,
        )
        for option, kind in game_info(game.name).options.items()
    }


def slow(game: Game) -> bool:
    """Return whether a game takes as long as all others together: a variant of a large game."""
    return game.layout.max_moves > 1_000 and game != th.load(game.name)


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[pytest.mark.long] if slow(game) else []) for game in ALL],
    ids=ids,
)
def test_random_simulations(game: Game) -> None:
    spiel_game = pyspiel.load_game(openspiel.PREFIX + game.name, as_parameters(game))
    assert spiel_game.num_players() == len(game.players)
    pyspiel.random_sim_test(spiel_game, num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("name", QUICK)
def test_serialisation(name: str) -> None:
    game = pyspiel.load_game(openspiel.PREFIX + name)
    if name.startswith("toot"):
        state = game.new_initial_state()
        for _ in range(30):
            state.apply_action(state.legal_actions()[0])
        _, twin = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        assert str(twin) == str(state)
        return
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", QUICK)
def test_mcts_plays(name: str) -> None:
    game = pyspiel.load_game(openspiel.PREFIX + name)
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(game, 2.0, 3, evaluator, random_state=rng)
    state = game.new_initial_state()
    if state.is_chance_node():
        state.apply_action(7)
    for _ in range(4):
        state.apply_action(bot.step(state))
    assert len(state.history()) >= 4
    search = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 3, 50, False, 1, False
    )
    assert search.mcts_search(state).best_child().action in state.legal_actions()


def test_states_follow_positions() -> None:
    game = pyspiel.load_game("python_teahouse_orochi(side=4)")
    state = game.new_initial_state()
    position = th.load("orochi", side=4).start()
    for text in ("wd4", "bd3", "wc2", "wa1"):
        action = state.string_to_action(text)
        assert state.action_to_string(action) == text
        twin = state.clone()
        state.apply_action(action)
        position = position.play(text)
        assert str(state) == str(position)
        assert str(twin) != str(state)
    observation = make_observation(game)
    observation.set_from(state, 0)
    own = observation.dict["observation"].copy()
    observation.set_from(state, 1)
    assert np.array_equal(own[1], observation.dict["observation"][2])
    assert observation.string_from(state, 0) == str(position)


@pytest.mark.parametrize("name", QUICK)
def test_states_are_set_from_texts(name: str) -> None:
    """Every state of a game, with drafts of compound moves, is given by its text."""
    game = pyspiel.load_game(openspiel.PREFIX + name)
    state = game.new_initial_state()
    rng = np.random.RandomState(3)
    for _ in range(25):
        twin = game.new_initial_state(str(state))
        assert str(twin) == str(state)
        assert twin.current_player() == state.current_player()
        if state.is_terminal():
            assert twin.returns() == state.returns()
            break
        assert twin.legal_actions() == state.legal_actions()
        action = int(rng.choice(state.legal_actions()))
        twin.apply_action(action)
        state.apply_action(action)
        assert str(twin) == str(state)
        _, stored = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, twin))
        assert str(stored) == str(state)
    for wrong in ("nonsense", "", f"{state} +x", 5):
        with pytest.raises(ValueError):
            game.new_initial_state(wrong)


def test_setups_are_chance_nodes() -> None:
    game = pyspiel.load_game("python_teahouse_oolong(setups=50)")
    state = game.new_initial_state()
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(setup, 1 / 50) for setup in range(50)]
    state.apply_action(7)
    assert str(state) == str(th.load("oolong").start(seed=7))
    fixed = pyspiel.load_game("python_teahouse_oolong(specials=false)").new_initial_state()
    assert not fixed.is_chance_node()


def test_invalid_parameters() -> None:
    for name, match in (
        ("orochi(side=12)", "side must be an integer from 2 to 8"),
        ("oolong(markers=mb;mb)", "markers"),
        ("oolong(setups=0)", "setups must be an integer from 1"),
    ):
        with pytest.raises(ValueError, match=match):
            pyspiel.load_game(openspiel.PREFIX + name)
