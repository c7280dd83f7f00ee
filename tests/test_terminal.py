"""The command line, driven as a person or a pipe would."""

import subprocess
import sys
from pathlib import Path

import teahouse as th


def teahouse(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from teahouse.terminal.commands import main; main()", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_whole_game_against_a_bot(tmp_path: Path) -> None:
    """Typing every legal move's text in turn until the game is over."""
    kept = tmp_path / "game.txt"
    moves = th.load("orochi", side=2).start().legal
    due = [move.replace("w", "x") for move in moves[:7]]
    typed = "\n".join(("nonsense", "?", "help", "undo", *(moves + tuple(due)) * 4))
    done = teahouse(
        "play", "orochi", "-o", "side=2", "--seconds", "0.05", "--save", str(kept), typed=typed
    )
    assert done.returncode == 0, done.stderr
    assert "a move is w, b or x and a cell" in done.stdout
    assert "Result: " in done.stdout
    record = th.Record.parse(kept.read_text())
    assert record.position.over
    assert f"Result: {record.result}" in done.stdout


def test_bots_alone_undo_and_quitting() -> None:
    done = teahouse("play", "orochi", "-o", "side=2", "--seat", "White=bot", "--seconds", "0.05")
    assert "Result: " in done.stdout
    typed = "wa1\nbb2\nundo\nundo\nundo\nboard\nquit\n"
    done = teahouse("play", "orochi", "-o", "side=2", "--seat", "Black=human", typed=typed)
    assert "there is no move of yours to take back" in done.stdout
    assert done.stdout.endswith("Good-bye.\n")
    assert "Good-bye" in teahouse("play", "orochi", typed="wa1").stdout  # the input ends


def test_the_other_commands() -> None:
    assert "orochi" in teahouse("games").stdout
    assert "over-connected" in teahouse("rules", "orochi").stdout
    assert teahouse("perft", "orochi", "2", "-o", "side=2").stdout == "1 14\n2 168\n"
    assert "decisions a game" in teahouse("playouts", "orochi", "500", "-o", "side=2").stdout


def test_bad_input_is_named_and_the_exit_code_is_2() -> None:
    for arguments in (
        ("play", "go"),
        ("play", "orochi", "-o", "side=1"),
        ("play", "orochi", "-o", "side"),
        ("play", "orochi", "--seat", "Red=bot"),
        ("playouts", "orochi", "10", "--device", "tpu"),
        ("perft", "orochi", "-1"),
    ):
        done = teahouse(*arguments)
        assert done.returncode == 2
        assert done.stderr
        assert "Traceback" not in done.stderr
