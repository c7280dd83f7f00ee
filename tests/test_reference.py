"""Compare every game with its slow reference implementation, move by move."""

import random
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from support.variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game

MOVES = 1500  # compared for each variant


def reference_module(name: str) -> Any:
    """Return the reference implementation of a game, or None if it has none."""
    return import_module(f"reference.{name}") if find_spec(f"reference.{name}") else None


def reference_game(game: Game, start: th.Position) -> Any:
    """Return a reference game with the same start as this position."""
    module = reference_module(game.name)
    begin = getattr(module, "begin", lambda options, start: module.Reference(**options))
    return begin(game.options, str(start))


def compared_variants() -> list[Game]:
    """Return all variants of games with a reference, and those that its module adds."""
    more = [
        th.load(name, **options)
        for name in th.games()
        for options in getattr(reference_module(name), "VARIANTS", ())
    ]
    return [game for game in dict.fromkeys([*ALL, *more]) if reference_module(game.name)]


@pytest.mark.parametrize("game", compared_variants(), ids=ids)
def test_every_move_is_the_same(game: Game) -> None:
    chance = random.Random(str(game))
    compared = 0
    while compared < MOVES:
        position = game.start(seed=chance.randrange(1 << 30))
        reference = reference_game(game, position)
        kinds = chance.random() < 0.5  # choose the kind first: rare kinds come up more often
        while not position.over:
            where = f"{game!r} {position}"
            assert not reference.over, where
            assert sorted(position.legal) == sorted(reference.legal()), where
            assert position.player == reference.player, where
            move = _chosen(chance, position.legal, kinds)
            position = position.play(move)
            reference.play(move)
            compared += 1
        assert reference.over, str(position)
        assert position.winners == tuple(reference.winners), str(position)


def _chosen(chance: random.Random, legal: tuple[str, ...], kinds: bool) -> str:
    if not kinds:
        return chance.choice(legal)
    by_kind: dict[str, list[str]] = {}
    for move in legal:
        by_kind.setdefault("".join(sign for sign in move if not sign.isalnum()), []).append(move)
    return chance.choice(by_kind[chance.choice(sorted(by_kind))])
