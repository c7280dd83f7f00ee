"""Shells complete commands, games, options, seats, players and themes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import teahouse as th
from teahouse.core.game import game_info
from teahouse.terminal.commands import completion

GAME = th.games()[0]


@pytest.mark.parametrize(
    ("shell", "variables"),
    [
        ("bash", {"COMP_WORDS": "teahouse play {line}", "COMP_CWORD": "{last}"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "teahouse play {line}"}),
        (
            "fish",
            {
                "_TYPER_COMPLETE_ARGS": "teahouse play {line}",
                "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            },
        ),
    ],
)
def test_shells(shell: str, variables: dict[str, str]) -> None:
    """The parser itself is asked: the value of an option, and the game before it."""
    line = f"{GAME} -o "
    values = {"line": line, "last": 4}
    environment = {name: value.format(**values) for name, value in variables.items()}
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv = ['teahouse']\n"
         "from teahouse.terminal.commands import main; main()"],
        env={**os.environ, **environment, completion.VARIABLE: f"complete_{shell}"},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert all(f"{option}=" in done.stdout for option in game_info(GAME).options), done.stderr


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", f"teahouse play {GAME} ")


@pytest.mark.usefixtures("line")
def test_values() -> None:
    seats = [seat.lower() for seat in th.load(GAME).players]
    assert completion.game_names("") == th.games()
    assert completion.game_names(GAME[:2].upper()) == [GAME]
    assert completion.seat_texts("") == [f"{seat}=" for seat in seats]
    assert completion.seat_texts(f"{seats[0]}=level") == [
        f"{seats[0]}=level{level}" for level in range(1, 9)
    ]
    assert completion.player_texts("level8") == ["level8"]
    assert completion.player_texts("py") == ["python:"]
    used = {theme for puzzle in th.puzzles(GAME) for theme in puzzle.themes}
    assert set(completion.puzzle_themes("")) == used
    options = {text.partition("=")[0] for text in completion.option_texts("")}
    assert options <= game_info(GAME).options.keys()


def test_without_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "teahouse play ")
    assert completion.option_texts("") == completion.seat_texts("") == []
    assert completion.puzzle_themes("")
