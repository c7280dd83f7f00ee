"""Setting up positions; the conformance suite clicks all tools of a palette."""

from __future__ import annotations

import pytest

import teahouse as th
from teahouse.core.editor import edited, editor, palette
from teahouse.core.errors import PositionError


@pytest.mark.parametrize("game", th.games())
def test_tools_that_do_not_exist(game: str) -> None:
    start = th.load(game).start(1)
    with pytest.raises(PositionError, match="Unknown tool"):
        edited(start, "nothing", ())
    for tool in palette(start):
        with pytest.raises(PositionError, match="spot"):
            edited(start, tool.name, ("nowhere",) * max(1, tool.clicks))


def test_some_game_has_a_palette() -> None:
    assert any(editor(game) for game in th.games())
