"""Every game beside its slow twin, decision by decision."""

import random
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from support.variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game

MOVES = 1500  # decisions compared for each variant


def module(name: str) -> Any:
    """The slow implementation of a game, or None: a new game may have none yet."""
    return import_module(f"reference.{name}") if find_spec(f"reference.{name}") else None


def twin(game: Game, start: th.Position) -> Any:
    """The slow game that begins as this position does."""
    slow = module(game.name)
    begin = getattr(slow, "begin", lambda options, start: slow.Reference(**options))
    return begin(game.options, str(start))


def compared() -> list[Game]:
    """All variants of the games that have a twin, and those that its module adds."""
    more = [
        th.load(name, **options)
        for name in th.games()
        for options in getattr(module(name), "VARIANTS", ())
    ]
    return [game for game in dict.fromkeys([*ALL, *more]) if module(game.name)]


@pytest.mark.parametrize("game", compared(), ids=ids)
def test_every_decision_is_the_same(game: Game) -> None:
    chance = random.Random(str(game))
    decisions = 0
    while decisions < MOVES:
        position = game.start(seed=chance.randrange(1 << 30))
        slow = twin(game, position)
        kinds = chance.random() < 0.5  # pick a kind of move first: rare kinds come up more often
        while not position.over:
            where = f"{game!r} {position}"
            assert not slow.over, where
            assert sorted(position.legal) == sorted(slow.legal()), where
            assert position.player == slow.player, where
            move = _chosen(chance, position.legal, kinds)
            position = position.play(move)
            slow.play(move)
            decisions += 1
        assert slow.over, str(position)
        assert position.winners == tuple(slow.winners), str(position)


def _chosen(chance: random.Random, legal: tuple[str, ...], kinds: bool) -> str:
    if not kinds:
        return chance.choice(legal)
    by_kind: dict[str, list[str]] = {}
    for move in legal:
        by_kind.setdefault("".join(sign for sign in move if not sign.isalnum()), []).append(move)
    return chance.choice(by_kind[chance.choice(sorted(by_kind))])
