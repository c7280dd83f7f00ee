"""UGI engines as players: our own through a pipe, and others that misbehave."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from support.small_games import small
from support.variants import ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.core.random import game_seed
from teahouse.search.arena import MatchResults, parse_player, play_match
from teahouse.search.ugi import EngineFailure, Go, UgiPlayer
from teahouse.search.ugi.process import EngineProcess
from teahouse.search.ugi.spec import UgiSettings
from teahouse.terminal.commands import main
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.seats import seats_of_record

BAD_ENGINE = Path(__file__).parent / "support" / "bad_engine.py"
COMMAND = [sys.executable, "-c", "from teahouse.terminal.commands import main; main()", "ugi"]
SMALL = [th.load(name, **small(name)) for name in th.games()]
FIRST = SMALL[0]


def bad_player(mode: str, **settings: object) -> UgiPlayer:
    chosen = UgiSettings(**{"seconds": 0.05, "margin": 0.25, "start": 5.0, **settings})  # type: ignore[arg-type]
    move = FIRST.start().legal[0]
    return UgiPlayer(FIRST, [sys.executable, str(BAD_ENGINE), mode, move], chosen)


def moves_of(game: Game, *players: str) -> list[tuple[str, ...]]:
    """Return the moves of two games between players that do not fail."""
    results = play_match(game, players, 2, seed=3)
    assert not any(one.failures for one in results.games)
    assert all(row.simulations for row in results.standings())
    return [th.Record.parse(one.record).moves for one in results.games]


def own_engine(settings: str, game: Game, arguments: str = "") -> str:
    return f"ugi[{settings}]:{COMMAND[0]} -c '{COMMAND[2]}' ugi {game.name} {arguments}"


@pytest.mark.parametrize("game", SMALL, ids=ids)
def test_play_through_the_pipe_equals_play_in_this_process(game: Game) -> None:
    """With a budget in nodes each seed gives one move; options are passed on."""
    engine = own_engine("nodes=60,option.threads=1,option.engine=search", game)
    expected = moves_of(game, "search:simulations=60", "search:simulations=20")
    assert moves_of(game, engine, "search:simulations=20") == expected


def test_level_through_the_pipe_equals_the_level() -> None:
    engine = own_engine("seconds=60", FIRST, "--level 2")
    expected = moves_of(FIRST, "level2", "search:simulations=20")
    assert moves_of(FIRST, engine, "search:simulations=20") == expected


@pytest.mark.parametrize(
    ("mode", "kind", "reason"),
    [
        ("mute", "start", "did not answer ugi"),
        ("hang", "timeout", "did not move within"),
        ("flood", "flood", "without an answer"),
        ("long line", "flood", "without an answer"),
        ("flood errors", "flood", "without an answer"),
        ("illegal", "illegal move", "Illegal move 'z99'"),
        ("empty", "illegal move", "Illegal move ''"),
        ("garbage", "illegal move", "Illegal move"),
        ("die", "crash", "status 3. Its last error line: out of memory"),
        ("close", "crash", "closed its output"),
    ],
)
def test_misbehaving_engine_fails_with_the_reason(mode: str, kind: str, reason: str) -> None:
    player = bad_player(mode, start=0.3 if mode == "mute" else 60.0)
    go = None if mode == "hang" else Go(seconds=60.0)
    player.new_game()
    with pytest.raises(EngineFailure) as failure:
        player.choose(FIRST.start(), go=go)
    assert failure.value.kind == kind
    assert reason in failure.value.report
    assert player.failures == [failure.value.report]
    assert player._process is None


def test_engine_that_does_not_read_fails() -> None:
    player = bad_player("deaf", start=0.3)
    with pytest.raises(EngineFailure):
        player.choose(FIRST.start())
    assert player._process is None


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to list open files")
def test_engine_that_cannot_be_started_leaves_no_open_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", fail)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(OSError, match="temporarily unavailable"):
        EngineProcess(["engine"])
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("mode", ["legal", "slow start", "premature", "lies in queries"])
def test_engine_with_odd_but_legal_answers_plays(mode: str) -> None:
    player = bad_player(mode, options={"Some Thing": "a b"}, margin=60.0, start=60.0)
    assert player.choose(FIRST.start()) == FIRST.start().legal[0]
    assert player.name == "Bad Engine"
    assert player.simulations == (0 if mode == "garbage" else 7)
    player.close()


def test_processes_of_an_engine_do_not_outlive_it() -> None:
    """An engine that ignores termination, and its own child, are killed."""
    player = bad_player("stubborn", start=60.0)
    player._ready()
    assert player._process is not None
    process = player._process
    deadline = monotonic() + 30
    while not process.stderr.endswith("\n"):  # it is read in a thread
        assert monotonic() < deadline
    with pytest.raises(EngineFailure) as failure:
        player.choose(FIRST.start())
    assert failure.value.stderr == process.stderr
    wait_for_end(process.pid)
    wait_for_end(int(process.stderr.split()[1]))


def test_engine_ends_when_its_controller_is_killed() -> None:
    script = (
        "import sys, os, signal\n"
        "from teahouse.search.ugi.process import EngineProcess\n"
        f"process = EngineProcess([sys.executable, {str(BAD_ENGINE)!r}, 'never quits'])\n"
        "print(process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=60)
    wait_for_end(int(killed.stdout))


def wait_for_end(pid: int) -> None:
    """Wait until a process that was killed has ended, which takes a moment on a busy machine."""
    deadline = monotonic() + 30
    while running(pid):
        assert monotonic() < deadline


def running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not Path("/proc/self").exists()


def test_failed_engine_is_replaced_for_the_rest_of_the_game() -> None:
    player = bad_player("die", on_failure="level2", seconds=60.0, start=60.0)
    first = FIRST.start()
    move = player.choose(first, seed=1)
    assert move == th.bot(FIRST, 2).choose(first, seed=1)
    assert len(player.failures) == 1
    player.choose(first.play(move), seed=1)
    assert len(player.failures) == 1
    player.new_game()
    assert not player.failures
    player.choose(first)
    assert len(player.failures) == 1
    player.close()


def test_cancelled_search_is_stopped() -> None:
    player = UgiPlayer(FIRST, [*COMMAND, FIRST.name], UgiSettings(seconds=100.0, margin=60.0))
    player.new_game()
    cancel = Event()
    cancel.set()
    assert player.choose(FIRST.start(), cancel=cancel) in FIRST.start().legal
    player.close()


@pytest.mark.parametrize(("on_failure", "lost"), [("lose", True), ("level1", False)])
def test_arena_goes_on_after_failures(on_failure: str, lost: bool, tmp_path: Path) -> None:
    """A failed engine loses its game, or a bot plays on; results say why, after a restart too."""
    spec = f"ugi[seconds=60,on_failure={on_failure}]:{sys.executable} {BAD_ENGINE} die"

    def play() -> MatchResults:
        return play_match(FIRST, [spec, "random"], 2, tmp_path)

    results = play()
    assert play().games == results.games
    for result in results.games:
        assert result.failures == (
            (0, "The engine exited with status 3. Its last error line: out of memory"),
        )
        record = th.Record.parse(result.record)
        if lost:
            assert result.winner == result.pairing.seating.index(1)
            assert "exited with status 3" in record.tags["Termination"]
        assert record.position.over != lost
    failures = results.json()["failures"]
    assert [(one["player"], one["game"]) for one in failures] == [(spec, 1), (spec, 2)]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("ugi:", "expected ugi:PROGRAM"),
        ("ugi:'", "No closing quotation"),
        ("ugi:/no/such/engine", "there is no program '/no/such/engine'"),
        ("ugi[colour=red]:true", "unknown setting 'colour'; settings: seconds"),
        ("ugi[seconds=soon]:true", "seconds must be a number"),
        ("ugi[seconds=-1]:true", "seconds must be above 0"),
        ("ugi[seconds=nan]:true", "seconds must be above 0"),
        ("ugi[seconds]:true", "Expected NAME=VALUE"),
        ("ugi[on_failure=cry]:true", "on_failure must be lose or level1 to level8"),
    ],
)
def test_invalid_specs_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(th.OptionError, match=re.escape(reason)):
        parse_player(FIRST, spec)


def test_engine_gets_the_moves_of_the_game() -> None:
    """From the start where it is fixed, with its position text where it is random."""
    for game in SMALL:
        player = UgiPlayer(game, [sys.executable])
        record = th.Record.new(game, game_seed(1, 2))
        record.play(record.position.legal[0])
        fen = f"position fen {record.position}"
        assert player._position(record.position) == fen
        player.record = record
        fixed = game.start(0) == game.start(1)
        head = "startpos" if fixed else f"fen {record.positions[0]}"
        line = f"position {head} moves {record.moves[0]}"
        assert player._position(record.position) == line
        assert player._position(game.start(7)) == f"position fen {game.start(7)}"


def test_terminal_seats_an_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A game goes on with the engine only if it is named again; a failed engine loses."""
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    game = next(one for one in SMALL if one.start().play(one.start().legal[0]).player == 1)
    move = game.start().legal[0]
    seat = game.players[0]
    options = [f"-o{name}={value}" for name, value in small(game.name).items()]

    def play(*arguments: str, typed: str = "") -> str:
        monkeypatch.setattr(sys, "argv", ["teahouse", "play", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 0
        return capsys.readouterr().out

    people = [f"--seat={name}=human" for name in game.players if name != seat]
    engine = f"ugi[seconds=30]:{sys.executable} {BAD_ENGINE} legal {move}"
    shown = play(game.name, *options, *people, f"--{seat.lower()}", engine, typed="moves\nquit\n")
    assert f"plays {move}" in shown and f"1. {move}" in shown
    shown = play("--continue", typed="quit\n")
    assert f"The engine of {seat} is not running" in shown and str(BAD_ENGINE) in shown
    shown = play(
        *(game.name, "--new", *options, *people),
        *(f"--{seat.lower()}", f"ugi:{sys.executable} {BAD_ENGINE} die"),
    )
    assert "failed: The engine exited with status 3." in shown
    assert f"The engine of {seat} failed." in shown


def test_a_record_starts_no_program() -> None:
    record = th.Record.new(FIRST)
    record.names = dict.fromkeys(FIRST.players, f"ugi:{sys.executable} {BAD_ENGINE} legal")
    seats = seats_of_record(record)
    assert {seat.kind for seat in seats.values()} == {"bot"}
    assert LocalGame(record, seats)._engines == {}
