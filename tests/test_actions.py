"""Moves as actions and positions as planes: round trips, agreement with episodes, errors."""

import random

import numpy as np
import pytest
from support.variants import KINDS, every_variant, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.rl import observation_spec
from teahouse.rl.episode import Episode


@every_variant
def test_moves_and_actions_are_one_to_one(game: Game) -> None:
    rng = random.Random(1)
    position = game.start(1)
    for _ in range(12):
        if position.over:
            break
        moves = rng.sample(position.legal, min(6, len(position.legal)))
        actions = [position.actions_of(move) for move in moves]
        assert [position.move_of(made) for made in actions] == moves
        assert len(set(actions)) == len(moves)
        firsts = {position.actions_of(move)[0] for move in position.legal}
        assert set(np.flatnonzero(position.action_mask())) == firsts
        position = position.play(rng.choice(moves))


@pytest.mark.parametrize("game", KINDS, ids=ids)
def test_actions_and_planes_are_those_of_an_episode(game: Game) -> None:
    rng = random.Random(2)
    spec = observation_spec(game)
    scale = np.array([plane.max_value for plane in spec.planes], np.float32)[:, None, None]
    episode = Episode(game, seed=2)
    while not episode.over and episode.position.ply < 20:
        position = episode.position
        move = rng.choice(position.legal)
        actions = position.actions_of(move)
        assert 1 <= len(actions) <= spec.max_parts
        for part, action in enumerate(actions):
            chosen = actions[:part]
            assert np.array_equal(position.action_mask(chosen), episode.legal)
            for viewer in (None, 0):
                planes = position.planes(chosen, viewer)
                assert planes.dtype == np.uint8 and planes.shape == episode.shape
                assert np.array_equal(planes / scale, episode.observation(viewer))
            episode.step(action)
        assert episode.position == position.play(move)


def test_wrong_actions_are_refused_with_what_is_allowed() -> None:
    for name in th.games():
        position = th.load(name).start(1)
        count = observation_spec(position.game).action_count
        first = position.actions_of(position.legal[0])
        for wrong in (-1, count, 1 << 70, "a", True, 1.0, None, (), [*first, first[-1]]):
            with pytest.raises(th.IllegalMove):
                position.move_of(wrong)  # type: ignore[arg-type]
        with pytest.raises(th.IllegalMove, match="legal actions: "):
            position.move_of(-1)
        with pytest.raises(th.OptionError, match="viewer"):
            position.planes(viewer=9)
        if len(first) > 1:
            with pytest.raises(th.IllegalMove, match="beginning of a move; the next one may be"):
                position.move_of(first[0])
        else:
            with pytest.raises(th.IllegalMove, match="completes a move"):
                position.action_mask(first)


def test_a_finished_game_has_planes_but_no_actions() -> None:
    game = KINDS[0]
    position = game.start()
    while not position.over:
        position = position.play(position.legal[0])
    assert not position.action_mask().any()
    assert position.planes().any()
    with pytest.raises(th.IllegalMove, match="the game is over"):
        position.move_of(0)
