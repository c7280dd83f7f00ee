"""The conformance suite on every game; a new game is found and tested by being there."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.variants import ALL, STUDIED, every_variant, ids

import teahouse as th
from teahouse.conformance import analysing
from teahouse.conformance.checks import Check, CheckError, Missing, UsesDefault
from teahouse.conformance.playing import (
    compiled_move_lists,
    require_readable,
    require_sound,
    start,
)
from teahouse.conformance.runner import ALL_CHECKS
from teahouse.conformance.studying import perft_line, perft_lines
from teahouse.core import jit
from teahouse.core.defaults import rules as default_rules
from teahouse.core.game import Game, game_info
from teahouse.search.puzzles import puzzle as puzzle_files

LINE_BY_LINE = "perft"  # has a test of its own for every line


def cases() -> list[tuple[Check, Game]]:
    """Return each check with each game that it applies to."""
    defaults = [th.load(name) for name in th.games()]
    return [
        (check, game)
        for check in ALL_CHECKS
        for game in (ALL if check.every_variant else defaults)
        if check.name != LINE_BY_LINE
    ]


@pytest.mark.parametrize(
    ("check", "game"), cases(), ids=lambda case: ids(case) if isinstance(case, Game) else case.name
)
def test_conformance(check: Check, game: Game) -> None:
    try:
        check.run(game)
    except UsesDefault:
        pass
    except Missing as missing:
        if game_info(game.name).tier == check.tier:
            pytest.fail(str(missing))


@pytest.mark.long
@every_variant
def test_compiled_move_lists_of_every_variant(game: Game) -> None:
    compiled_move_lists(game)


@pytest.mark.long
@every_variant
def test_random_moves_of_many_playouts(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game's own `random_move` plays the same games as the default."""
    if game.rules.random_move is default_rules.random_move:
        return
    own = [game.playouts(200, seed=seed) for seed in range(3)]
    monkeypatch.setattr(game.rules, "random_move", default_rules.random_move)
    jit.clear()
    try:
        assert [game.playouts(200, seed=seed) for seed in range(3)] == own
    finally:
        jit.clear()


def test_the_four_games_of_this_package_are_studied() -> None:
    assert len(STUDIED) >= 4


every_perft_line = pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name in th.games() for line in perft_lines(name)]
)


@every_perft_line
def test_perft(name: str, line: str) -> None:
    perft_line(name, line)


@pytest.mark.long
@every_perft_line
def test_perft_compiled(name: str, line: str) -> None:
    perft_line(name, line, compiled=True)


@every_variant
@settings(max_examples=30, deadline=None)
@given(text=st.text(max_size=12))
def test_any_text_that_is_no_move_is_illegal(game: Game, text: str) -> None:
    position = game.start(seed=2)
    if position.normalize(text) not in position.legal and text not in position.legal:
        with pytest.raises(th.IllegalMove):
            position.play(text)


@every_variant
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_broken_position_texts_are_refused_or_sound(game: Game, data: st.DataObject) -> None:
    start = game.start(seed=1)
    text = str(start.play(start.legal[0]))
    at = data.draw(st.integers(0, len(text)))
    inserted = data.draw(st.text(max_size=3))
    cut = data.draw(st.integers(0, 3))
    try:
        position = game.position(text[:at] + inserted + text[at + cut :])
    except th.PositionError:
        return
    require_sound(position)


@every_variant
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_broken_records_are_refused_or_readable(game: Game, data: st.DataObject) -> None:
    record = th.Record.new(game, seed=3)
    for _ in range(4):
        if not record.position.over:
            record.play(record.position.legal[-1])
    text = record.text()
    at = data.draw(st.integers(0, len(text)))
    inserted = data.draw(st.text(max_size=3))
    require_readable(text[:at] + inserted + text[at + data.draw(st.integers(0, 9)) :])


@every_variant
def test_positions_cannot_be_assigned_to(game: Game) -> None:
    with pytest.raises(AttributeError):
        game.start(seed=1).ply = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"line": ("nonsense",)}, "line 1: Illegal move"),
        ({"line": ()}, "no right move"),
        ({"goal": "draw"}, "unknown goal 'draw'"),
        ({"themes": ("tea",)}, "unknown themes: tea"),
        ({"replies": ("-",) * 999}, "999 replies"),
    ],
)
def test_wrong_puzzles_fail_the_check(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], reason: str
) -> None:
    name = next(name for name in th.games() if th.puzzles(name))
    wrong = replace(th.puzzles(name)[0], **change)
    monkeypatch.setattr(puzzle_files, "puzzles", lambda _: (wrong,))
    with pytest.raises(CheckError, match=reason):
        analysing.puzzles(th.load(name))


@pytest.mark.parametrize("names", [("Player 1", "Player 2"), ("Black", "Black"), ("", "White")])
def test_players_are_named_by_different_words(names: tuple[str, str]) -> None:
    """Records name players by tags, and results by words."""
    game = Game(th.games()[-1], {})
    game.players = names
    with pytest.raises(CheckError, match="records name players by tags"):
        start(game)
