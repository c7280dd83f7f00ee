"""Every game beside its slow twin, decision by decision."""

import random
from importlib import import_module
from typing import Any

import pytest
from variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game

MOVES = 1500  # decisions compared for each variant


def twin(game: Game, start: th.Position) -> Any:
    """The slow implementation of the game that begins with this position."""
    options = game.options
    if game.name == "oolong" and options["specials"] and options["markers"] is None:
        options["markers"] = str(start).split()[1]  # what was shuffled
    return import_module(f"reference.{game.name}").Reference(**options)


def compared() -> list[Game]:
    """All variants that the slow implementations know: the house's own layouts."""
    more = [
        th.load("fillit", mode=mode, layout=layout, first=first)
        for mode, firsts in {
            "3": ("Yellow", "Blue"),
            "teams": ("Green",),
            "2mini": ("Blue",),
        }.items()
        for layout in "AB"
        for first in firsts
    ]
    return list(dict.fromkeys([*ALL, *more]))


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
