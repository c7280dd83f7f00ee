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


@pytest.mark.parametrize(
    ("game", "options", "text", "change"),
    [
        (
            "fillit",
            {"mode": "2mini"},
            "4/1r1b1/6/R1r#b1B/6/1r1b1/4 R over 300 600",
            ("chip-0", ("a1",)),
        ),
        (
            "fillit",
            {"mode": "2mini"},
            "4/1r1b1/6/R1r#b1B/6/1r1b1/4 R over 300 600",
            ("turn-1", ()),
        ),
        (
            "toot",
            {"tiles": 4, "pieces": 2, "most_pieces": False},
            "j12:BrRb/Br1R/b3 b - 0,0 0,0 - 60 0 90",
            ("red-to-move", ()),
        ),
        (
            "toot",
            {"tiles": 4, "pieces": 3, "most_pieces": False},
            "j13:B=1B=1b/1b3/1r3/R=1R=2/1R=3 b - 0,0 0,0 br 2 2 90",
            ("move", ("j13", "k12")),
        ),
    ],
)
def test_a_game_that_ended_without_a_winner_can_be_changed(
    game: str, options: dict[str, object], text: str, change: tuple[str, tuple[str, ...]]
) -> None:
    """Counts of turns and of passes that the change leaves behind do not stand in its way."""
    position = edited(th.load(game, **options).position(text), *change)
    assert not position.over
    assert position.legal
