"""Playing at a real (pseudo-)terminal: typed lines, interrupts, kills, and the house itself."""

import signal
import sys
from pathlib import Path

import pexpect
import pytest

import teahouse as th
from teahouse.terminal import saved_games

CALL = "from teahouse.terminal.commands import main; main()"
WAIT = 120  # seconds until a test gives up on a busy machine


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")
    return tmp_path


def heed_interrupts() -> None:
    """A terminal's programs do, even where the tests themselves were started in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def teahouse(*arguments: str) -> "pexpect.spawn[str]":
    return pexpect.spawn(
        sys.executable,
        ["-c", CALL, *arguments],
        encoding="utf-8",
        codec_errors="replace",
        dimensions=(24, 80),
        timeout=WAIT,
        preexec_fn=heed_interrupts,
    )


def ended(child: "pexpect.spawn[str]") -> int | None:
    """Wait for the end; the exit code."""
    child.expect(pexpect.EOF)
    child.close()
    code: int | None = child.exitstatus
    return code


def test_a_killed_game_is_offered_again() -> None:
    child = teahouse("play", "orochi", "--black", "human")
    child.expect("> ")
    child.sendline("wa1")
    child.expect("White plays wa1")
    child.expect("Black places")
    child.kill(signal.SIGKILL)
    child.expect(pexpect.EOF)
    (left,) = saved_games.unfinished()

    child = teahouse("play")
    child.expect("Unfinished games")
    child.expect("Go on with number")
    child.sendline("7")
    child.expect("type a number from 1 to 1")
    child.sendline("1")
    child.expect("Black places")
    other = teahouse("play", "orochi", "--continue")  # somebody else comes in
    assert ended(other) == 2
    child.sendline("moves")
    child.expect("1. wa1")
    child.sendline("bb2")
    child.expect("Black plays bb2")
    child.sendline("quit")
    assert ended(child) == 0
    assert th.Record.parse(left.path.read_text()).moves == ("wa1", "bb2")

    child = teahouse("play", "orochi")
    child.expect("Go on with number")
    child.sendline("")  # a new game instead
    child.expect("Orochi: White human, Black level5")
    child.expect("> ")
    child.sendeof()
    assert ended(child) == 0


def test_an_interrupt_leaves_the_table_and_loses_nothing() -> None:
    child = teahouse("play", "orochi", "--new", "--black", "human")
    child.expect("> ")
    child.sendline("wa1")
    child.expect("Black places")
    child.expect("> ")
    child.sendintr()
    assert ended(child) == 130
    (left,) = saved_games.unfinished()
    assert left.moves == 1


def test_a_thinking_bot_shows_it_and_can_be_hurried() -> None:
    child = teahouse("play", "orochi", "--new", "-o", "side=8", "--white", "level8")
    child.expect("thinks")
    child.sendintr()
    child.expect("plays")
    child.kill(signal.SIGKILL)


def test_plain_play_has_no_moving_signs() -> None:
    typed = ("--new", "--plain", "--white", "level1", "--black", "level1", "-o", "side=2")
    child = teahouse("play", "orochi", *typed)
    child.expect("Result: ")
    assert "\x1b" not in child.before
    assert "thinks" not in child.before
    assert ended(child) == 0


def test_the_house_in_a_terminal() -> None:
    """Opened, resized and killed in the middle of a game, which is then offered first."""
    child = teahouse()
    child.expect("NEW GAME")
    child.send("\r")
    child.expect("a new game")
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
    (left,) = saved_games.unfinished()
    assert th.Record.parse(left.path.read_text()).moves[0] == move
    child = teahouse()
    child.expect("GO ON WITH")
    child.send("q")
    assert ended(child) == 0
