"""What every game must tell learners: actions, planes and symmetries; new games are found."""

import random
from typing import Any

import numpy as np
import pytest
from support.twins import moved, play_both
from support.variants import ALL, ids

from teahouse.core.game import Game
from teahouse.core.jit import interpret
from teahouse.core.pyrecord import unpack
from teahouse.rl import kernels
from teahouse.rl.single import Single
from teahouse.rl.spec import kernels_of, view_of
from teahouse.rl.symmetries import Symmetries

every_variant = pytest.mark.parametrize("game", ALL, ids=ids)


def random_game(game: Game, seed: int, most: int = 400) -> list[Single]:
    """A game of random actions, as copies before each of them."""
    chance = random.Random(seed)
    single = Single(game, seed)
    played: list[Single] = []
    while not single.over and len(played) < most:
        played.append(single.copy())
        single.step(chance.choice(single.legal_actions))
    return [*played, single]


def some(played: list[Single], count: int) -> list[Single]:
    """A few of them, the first and the last among them."""
    return [played[0], *random.Random(1).sample(played, min(count, len(played))), played[-1]]


@every_variant
def test_actions_and_moves_stand_for_each_other(game: Game) -> None:
    """Every legal move can be made by legal actions, and every legal action leads to a move."""
    own = kernels_of(game.name, game.rules)
    mark = interpret(kernels.mark_game, own)
    for single in some(random_game(game, 1), 12):
        state = single.position.unpack()
        if single.over:
            assert not single.legal.any()
            continue
        draft: Any = unpack(np.zeros(1, kernels.slot_type(single.view))[0])
        moves = [0] * game.layout.max_moves
        listed = moves[: game.rules.legal(game.board, state, moves)]
        found = []
        stack: list[tuple[int, ...]] = [()]
        while stack:
            chosen = stack.pop()
            legal = np.zeros(single.view.action_count, np.uint8)
            draft.part = len(chosen)
            draft.chosen[: len(chosen)] = chosen
            scratch = [0] * game.layout.max_moves
            assert mark(game.board, state, draft, scratch, legal) == legal.sum() > 0
            for action in np.flatnonzero(legal):
                move = own.move(game.board, state, draft, int(action))
                if move < 0:
                    stack.append((*chosen, int(action)))
                    continue
                for part, number in enumerate((*chosen, int(action))):
                    assert own.action(game.board, state, move, part) == number
                found.append(move)
        assert sorted(found) == sorted(listed)
        assert len(set(found)) == len(found)


@every_variant
def test_observations_stay_within_what_is_declared(game: Game) -> None:
    view = view_of(game)
    assert len(set(view.places)) == len(view.places)
    for single in random_game(game, 2):
        for viewer in range(len(game.players)):
            observation = single.observation(viewer)
            assert observation.dtype == np.float32
            assert observation.shape == (len(view.planes), *view.shape)
            assert observation.min() >= 0.0
            assert observation.max() <= 1.0
    assert all(1 <= plane.most <= 255 for plane in view.planes)


@every_variant
def test_symmetries_are_a_group(game: Game) -> None:
    tables = Symmetries.of(game)
    for table in (tables.places, tables.actions, tables.renamed):
        assert (table[0] == np.arange(table.shape[1])).all()
        rows = {row.tobytes() for row in table}
        assert len(rows) == len(table) == len(set(tables.names))
        for one in table:
            assert (np.sort(one) == table[0]).all()
            for other in table:
                assert one[other].tobytes() in rows


@every_variant
def test_texts_of_actions_tell_them_apart(game: Game) -> None:
    for single in some(random_game(game, 3), 8):
        if single.over:
            continue
        texts = [single.action_text(action) for action in single.legal_actions]
        assert len(set(texts)) == len(texts)
        assert all(any(move.startswith(text) for move in single.position.legal) for text in texts)


@every_variant
def test_symmetries_that_keep_the_start_keep_the_game(game: Game) -> None:
    start = Single(game)
    kept = [
        number
        for number in range(len(Symmetries.of(game).names))
        if (moved(start, number) == start.observation()).all()
    ]
    assert kept[0] == 0
    for number in kept:
        play_both(Single(game), Single(game), number, seed=number, most=60)
