"""Playing at a pseudo-terminal: typed lines, interrupts, kills, and the app."""

import signal
import sys
from pathlib import Path

import pexpect
import pytest

import teahouse as th
from teahouse.terminal.saved_games import unfinished_games

CALL = "from teahouse.terminal.commands import main; main()"
TIMEOUT = 120  # seconds; for a busy machine


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")
    return tmp_path


def enable_interrupts() -> None:
    """Handle SIGINT even if the tests were started in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def teahouse(*arguments: str) -> "pexpect.spawn[str]":
    return pexpect.spawn(
        sys.executable,
        ["-c", CALL, *arguments],
        encoding="utf-8",
        codec_errors="replace",
        dimensions=(24, 80),
        timeout=TIMEOUT,
        preexec_fn=enable_interrupts,
    )


def exit_code(child: "pexpect.spawn[str]") -> int | None:
    """Wait for the end and return the exit code."""
    child.expect(pexpect.EOF)
    child.close()
    code: int | None = child.exitstatus
    return code


def test_a_killed_game_is_offered_again() -> None:
    child = teahouse("play", "orochi", "--black", "human")
    child.expect("> ")
    child.sendline("wa1")
    child.expect("White plays wa1")
    child.expect("Black to move")
    child.kill(signal.SIGKILL)
    child.expect(pexpect.EOF)
    (left,) = unfinished_games()

    child = teahouse("play")
    child.expect("Unfinished games")
    child.expect("Continue number")
    child.sendline("7")
    child.expect("Type a number from 1 to 1")
    child.sendline("1")
    child.expect("Black to move")
    other = teahouse("play", "orochi", "--continue")  # a second process
    assert exit_code(other) == 2
    child.sendline("moves")
    child.expect("1. wa1")
    child.sendline("bb2")
    child.expect("Black plays bb2")
    child.sendline("quit")
    assert exit_code(child) == 0
    assert th.Record.parse(left.path.read_text()).moves == ("wa1", "bb2")

    child = teahouse("play", "orochi")
    child.expect("Continue number")
    child.sendline("")  # a new game instead
    child.expect("Orochi. White: human, Black: Level 5 · Skilled")
    child.expect("> ")
    child.sendeof()
    assert exit_code(child) == 0


def test_an_interrupt_quits_and_loses_nothing() -> None:
    child = teahouse("play", "orochi", "--new", "--black", "human")
    child.expect("> ")
    child.sendline("wa1")
    child.expect("Black to move")
    child.expect("> ")
    child.sendintr()
    assert exit_code(child) == 130
    (left,) = unfinished_games()
    assert left.moves == 1


def test_a_search_shows_its_progress_and_can_be_interrupted() -> None:
    child = teahouse("play", "orochi", "--new", "--white", "level8")
    child.expect("is thinking")
    child.sendintr()
    child.expect("plays")
    child.kill(signal.SIGKILL)


def test_plain_output_is_not_animated() -> None:
    typed = ("--new", "--plain", "--white", "level1", "--black", "level1", "-o", "side=2")
    child = teahouse("play", "orochi", *typed)
    child.expect("Result: ")
    assert "\x1b" not in child.before
    assert "thinking" not in child.before
    assert exit_code(child) == 0


def test_the_app_needs_more_than_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    child = teahouse()
    child.expect("TERM is dumb. Play line by line: teahouse play")
    assert exit_code(child) == 2


def test_the_app_in_a_terminal() -> None:
    """It is resized and killed during a game, which is then offered first."""
    child = teahouse()
    child.expect("NEW GAME")
    child.send("\r")
    child.expect("New game: ")
    child.send("\x13")  # Ctrl-S starts
    child.expect("move 0")
    child.send("\t")
    child.setwinsize(12, 50)
    child.setwinsize(40, 120)
    child.expect("Moves")
    move = th.load(th.games()[0]).start().legal[0]
    child.send("t")
    child.expect("type a move")
    child.send(f"{move}\r")
    child.expect("move [1-9]")
    child.kill(signal.SIGKILL)
    child.expect(pexpect.EOF)
    (left,) = unfinished_games()
    assert th.Record.parse(left.path.read_text()).moves[0] == move
    child = teahouse()
    child.expect("CONTINUE")
    child.send("q")
    assert exit_code(child) == 0
