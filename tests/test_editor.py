"""Setting up positions: whatever is clicked, the result is legal or the reason is given."""

from __future__ import annotations

import random

import pytest

import teahouse as th
from teahouse.core.editor import edited, editor, palette
from teahouse.core.errors import PositionError

EDITABLE = [game for game in th.games() if editor(game)]
CLICKS = 150


@pytest.mark.parametrize("game", EDITABLE)
def test_every_change_leads_to_a_legal_position(game: str) -> None:
    rng = random.Random(game)
    loaded = th.load(game)
    position = loaded.start(1)
    changed = 0
    for _ in range(CLICKS):
        tool = rng.choice(palette(position))
        spots = tuple(rng.choice(position.scene.spots).name for _ in range(tool.clicks))
        try:
            position = edited(position, tool.name, spots)
        except PositionError as error:
            reason = str(error)
            assert not reason[0].islower()
            assert reason.endswith(".")
            continue
        changed += 1
        assert loaded.position(str(position)) == position
        assert position.over or position.legal
    assert changed > CLICKS // 4


@pytest.mark.parametrize("game", th.games())
def test_tools_that_do_not_exist(game: str) -> None:
    start = th.load(game).start(1)
    with pytest.raises(PositionError, match="Unknown tool"):
        edited(start, "nothing", ())
    for tool in palette(start):
        with pytest.raises(PositionError, match="spot"):
            edited(start, tool.name, ("nowhere",) * max(1, tool.clicks))


def test_some_game_has_a_palette() -> None:
    assert EDITABLE
