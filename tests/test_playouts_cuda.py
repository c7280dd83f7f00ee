"""What playouts on a GPU are made of, without one."""

from typing import Any

import numpy as np
import pytest

import teahouse as th
from teahouse.core.jit.cuda import BANK, padded
from teahouse.core.packages import optional_module
from teahouse.core.playouts_cuda import KINDS
from teahouse.core.pyrecord import pack, unpack
from teahouse.core.random import advance, generator

SCHEDULED = ("fillit", "toot")


@pytest.mark.parametrize("name", ["fillit", "oolong", "orochi", "toot"])
def test_padded_records_use_different_banks(name: str) -> None:
    """Fields stay where they are, and neighbours are an odd number of banks or of pairs apart."""
    state = th.load(name).layout.state
    wide = padded(state)
    assert wide.names == state.names
    assert wide.fields is not None and state.fields is not None
    assert all(wide.fields[field] == state.fields[field] for field in state.names or ())
    assert state.itemsize <= wide.itemsize < state.itemsize + 2 * max(BANK, state.alignment)
    assert wide.itemsize // max(BANK, state.alignment) % 2 == 1
    records = np.zeros(2, state)
    records["player"] = 1
    assert np.array_equal(records.astype(wide)["player"], records["player"])


@pytest.mark.parametrize("name", SCHEDULED)
def test_kinds_of_moves(name: str) -> None:
    """All kinds are below `KINDS`, and a random game has all that the game tells apart."""
    schedule = optional_module(name, "schedule")
    assert schedule is not None
    game = th.load(name)
    found = set()
    for seed in range(3):
        position = game.start(seed=seed)
        for number in range(400):
            if position.over:
                break
            found.add(int(schedule.move_kind(game.board, position.unpack())))
            moves = position.legal
            position = position.play(moves[(seed + 7 * number) % len(moves)])
    assert found == ({0} if name == "fillit" else set(range(KINDS)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *(("fillit", {"mode": mode}) for mode in ("2", "3", "teams", "2mini", "3mini")),
        *(("toot", {"tiles": tiles}) for tiles in (10, 11, 20)),
    ],
)
def test_scheduled_moves(name: str, options: dict[str, Any]) -> None:
    """A schedule's own `play_kind` plays the move of `random_move`."""
    schedule = optional_module(name, "schedule")
    assert schedule is not None
    game = th.load(name, **options)
    moves = [0] * game.layout.max_moves
    for seed in range(2):
        random = generator(seed)
        state = game.start(seed=seed).unpack()
        while not state.over:
            random = advance(random)
            other = unpack(np.frombuffer(pack(state, game.layout.state), game.layout.state)[0])
            kind = int(schedule.move_kind(game.board, state))
            schedule.play_kind(game.board, state, moves, random, kind)
            move = game.rules.random_move(game.board, other, moves, random)
            game.rules.play(game.board, other, move)
            assert pack(state, game.layout.state) == pack(other, game.layout.state)
