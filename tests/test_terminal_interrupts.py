"""Ctrl-C ends commands with a line and the exit code 130; what is known by then is printed."""

import ctypes
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import teahouse as th
from teahouse.lab.games import GameRun, PlayedGame
from teahouse.lab.plan import Plan
from teahouse.lab.store import LabStore
from teahouse.rl.data import Dataset
from teahouse.rl.data.generate import RandomGames
from teahouse.search.arena.runner import GameResult, GameRunner
from teahouse.search.arena.schedule import Pairing
from teahouse.search.proof.moves import unsolved
from teahouse.search.proof.solve import Solution
from teahouse.terminal.commands import command_line, solve
from teahouse.terminal.commands.flags import Group
from teahouse.terminal.interrupts import EXIT_CODE, interruptible, interrupts

GAME = th.games()[0]
MINUTE = 60.0
IMPORTING = """
import sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "numpy":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from teahouse.__main__ import main
main()
"""
COMPILING = """
import signal
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, main_thread
from teahouse.core.jit.mode import compiling
from teahouse.terminal.interrupts import interrupts

def compile():
    with compiling():
        started.wait()
        signal.pthread_kill(main_thread().ident, signal.SIGINT)
        Event().wait()

signal.signal(signal.SIGINT, signal.default_int_handler)
started = Event()
with interrupts(), ThreadPoolExecutor(1) as pool:
    compilation = pool.submit(compile)
    started.set()
    while True:
        wait([compilation], 0.01)  # a signal just before a wait is handled after it
"""


@pytest.fixture(autouse=True)
def _signals_are_not_ignored() -> Iterator[None]:
    """Handle SIGINT as in a terminal; programs that scripts start in the background ignore it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


def test_a_long_count_ends_at_once() -> None:
    command = [sys.executable, "-m", "teahouse", "perft", GAME, "12"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("1 ")  # it counts
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=MINUTE)
    assert errors == "Interrupted.\n"
    assert process.returncode == EXIT_CODE


@pytest.mark.parametrize("code", [IMPORTING, COMPILING], ids=["import", "compilation"])
def test_imports_and_compilations_end_at_once(code: str) -> None:
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=MINUTE, check=False)
    assert (result.returncode, result.stderr) == (EXIT_CODE, "Interrupted.\n")


def test_solve_prints_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(position: th.Position, *, cancel: threading.Event, **_: Any) -> Solution:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert cancel.wait(MINUTE)
        return unsolved(position)

    monkeypatch.setattr(solve, "solve_position", search)
    result = CliRunner().invoke(command_line(["solve", "games"]), ["solve", GAME])
    assert result.exit_code == EXIT_CODE
    assert "Not solved within the limits." in result.stdout
    assert result.stderr.endswith("Interrupted.\n")


def test_selfplay_stops_within_a_file_and_says_what_is_stored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = RandomGames.rows

    def slow_rows(source: RandomGames, shard: int, games: int) -> np.ndarray:
        if shard:
            signal.raise_signal(signal.SIGINT)
            threading.Event().wait(MINUTE)
        return rows(source, shard, games)

    monkeypatch.setattr(RandomGames, "rows", slow_rows)
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    command = ["selfplay", "orochi", "-o", "side=2", "--shard", "2", "--games", "4"]
    result = CliRunner().invoke(
        command_line(["selfplay", "games"]), [*command, "--out", str(tmp_path)]
    )
    assert result.exit_code == EXIT_CODE
    assert result.stdout.startswith("2 games, ")
    assert result.stderr.endswith("Stopped. Run the same command to continue.\n")


def test_selfplay_stops_within_a_game_and_writes_the_rows_of_those_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = GameRunner.run

    def slow_run(runner: GameRunner, pairing: Pairing) -> GameResult:
        if pairing.number == 3:
            signal.raise_signal(signal.SIGINT)
            threading.Event().wait(MINUTE)
        return run(runner, pairing)

    monkeypatch.setattr(GameRunner, "run", slow_run)
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    command = ["selfplay", "orochi", "greedy", "-o", "side=2", "--games", "5"]
    result = CliRunner().invoke(
        command_line(["selfplay", "games"]), [*command, "--out", str(tmp_path)]
    )
    assert result.exit_code == EXIT_CODE
    assert result.stdout.startswith("3 games, ")
    assert len(set(Dataset(tmp_path)[:].game)) == 3


@pytest.mark.parametrize("command", ["report", "compare"])
def test_the_lab_stops_within_a_game_and_shows_what_is_stored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    play, played = GameRun.play, []

    def slow_play(run: GameRun, number: int) -> PlayedGame:
        played.append(number)
        if len(played) == stop_at:
            signal.raise_signal(signal.SIGINT)
            threading.Event().wait(MINUTE)
        return play(run, number)

    words = [command, "orochi", "-o", "side=2", "-j", "1", "--folder", str(tmp_path), "--json"]
    if command == "compare":
        stop_at = 40
        words += ["--b", "side=3", "--sample", "random", "--figures", "length"]
    else:
        plan = Plan(5, 60, 1, 1, 0, {"random": 30, "level 1": 0}, {}, 385)
        stop_at = 20
        LabStore(tmp_path, th.load("orochi", side=2), 0).plan = plan.json()
        words += ["--seconds", "60"]
    monkeypatch.setattr(GameRun, "play", slow_play)
    result = CliRunner().invoke(command_line([command, "games"]), words)
    assert result.exit_code == EXIT_CODE
    found = json.loads(result.stdout)
    assert found["figures"]
    assert not found["complete"]
    assert result.stderr.endswith("Stopped. Run the same command to continue.\n")


def test_work_that_does_not_end_is_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible(patience=0.01) as cancel:
        signal.raise_signal(signal.SIGINT)
        assert cancel.is_set()
        threading.Event().wait(MINUTE)


def test_an_interrupt_in_a_callback_of_the_compiler_is_not_lost() -> None:
    callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    with interrupts() as interrupted:
        callback()  # ctypes drops the exception
        assert interrupted.is_set()
        with pytest.raises(KeyboardInterrupt):
            threading.Event().wait(MINUTE)


def test_what_fails_because_of_an_interrupt_has_no_traceback() -> None:
    app = typer.Typer(cls=Group)

    @app.callback(invoke_without_command=True)
    def fail() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("the compilation is incomplete") from None

    result = CliRunner().invoke(app)
    assert (result.exit_code, result.stderr) == (EXIT_CODE, "Interrupted.\n")
