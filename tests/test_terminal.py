"""The command line, driven through pipes."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_runs import Run
from support.positions import late_record

import teahouse as th
from teahouse.draw.rules_text import rules_text
from teahouse.draw.text import board_lines
from teahouse.search import evaluations
from teahouse.search.levels import LEVELS
from teahouse.terminal.commands import COMMANDS
from teahouse.terminal.line_ui import LineUI
from teahouse.terminal.local_game import LocalGame, new_record
from teahouse.terminal.progress import silent
from teahouse.terminal.saved_games import saved_games, unfinished_games
from teahouse.terminal.seats import assign_seats

COMMAND = (sys.executable, "-c", "from teahouse.terminal.commands import main; main()")


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    return tmp_path


def teahouse(*arguments: str, typed: str | bytes = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=typed.encode() if isinstance(typed, str) else typed,
        capture_output=True,
        check=False,
        timeout=300,
    )
    out, err = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
    assert "Traceback" not in err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(monkeypatch, capsys)


def test_a_complete_game_against_a_bot(tmp_path: Path) -> None:
    """Every legal move is typed in turn until the game is over."""
    copy = tmp_path / "game.txt"
    moves = th.load("orochi", side=2).start().legal
    due = [move.replace("w", "x") for move in moves[:7]]
    typed = "\n".join(("nonsense", "?", "help", "undo", *(moves + tuple(due)) * 4))
    options = ("-o", "side=2", "--black", "level1", "--save", str(copy))
    done = teahouse("play", "orochi", *options, typed=typed)
    assert done.returncode == 0, done.stderr
    assert "a move is w, b or x and a cell" in done.stdout
    assert "You have not played a move yet." in done.stdout
    record = th.Record.parse(copy.read_text())
    assert record.position.over
    assert f"Result: {record.result}" in done.stdout
    assert ("You win: " if record.result == "White" else "Black wins: ") in done.stdout
    assert record.names == {"White": "human", "Black": "level1"}
    (info,) = saved_games()
    assert th.Record.parse(info.path.read_text()) == record
    assert unfinished_games() == []


@pytest.mark.parametrize("name", th.games())
def test_a_program_plays_every_game_through_a_pipe(name: str) -> None:
    """It lists the legal moves and plays one of them, for all seats."""
    game = th.load(name)
    people = [word for seat in game.players for word in (f"--{seat.lower()}", "human")]
    with subprocess.Popen(
        [*COMMAND, "play", name, *people, "--seed", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin and process.stdout
        position = game.start(1)
        for number in range(12):
            process.stdin.write("?\n")
            listed = [line.removeprefix("> ").split() for line in _until(process.stdout, position)]
            assert list(position.legal) in listed
            going_on = [text for text in position.legal if not position.play(text).over]
            move = going_on[number % len(going_on)]
            process.stdin.write(f"{move}\n")
            position = position.play(move)
        process.stdin.write("quit\n")
        rest = process.stdout.read()
    assert position.status in " ".join(rest.split())
    assert "Goodbye. The game is saved" in rest
    assert process.returncode == 0


def _until(lines: object, position: th.Position) -> list[str]:
    """Return the lines up to the list of legal moves."""
    read = []
    for line in lines:  # type: ignore[attr-defined]
        read.append(line)
        if line.removeprefix("> ").split() == list(position.legal):
            break
    return read


def test_bots_alone_seats_in_every_form_and_quitting() -> None:
    done = teahouse("play", "orochi", "-o", "side=2", "--seat", "White=level1", "--black=level2")
    players = (
        r"Orochi\. White: Level 1 · Beginner \(rating \d+\), "
        r"Black: Level 2 · Casual \(rating \d+\)\."
    )
    assert re.match(players, done.stdout)
    assert "Result: " in done.stdout
    assert done.stdout.count("\nc   ") == done.stdout.count(" plays ")  # a board after each move
    assert "Type " not in done.stdout
    assert done.stderr.count("Preparing") <= 1
    typed = "wa1\nbb2\nundo\nundo\nundo\nboard\nmoves\nquit\n"
    done = teahouse("play", "orochi", "-o", "side=2", "--BLACK", "human", typed=typed)
    assert "You have not played a move yet." in done.stdout
    assert "No move has been played yet." in done.stdout
    assert done.stdout.endswith("Goodbye.\n")


def test_an_unfinished_game_is_continued() -> None:
    first = teahouse("play", "orochi", "--black", "human", typed="wa1\nbb2\n")  # the input ends
    assert "continue it with: teahouse play --continue" in first.stdout
    assert first.returncode == 0
    assert "1. wa1" in teahouse("play", "Orochi", "--continue", typed="moves\nquit\n").stdout
    again = teahouse("play", "--continue", typed="moves\nwc3\nquit\n")
    assert "1. wa1 2. bb2" in again.stdout
    (info,) = unfinished_games("orochi")
    assert info.moves == 3
    assert unfinished_games("oolong") == []
    none = teahouse("play", "oolong", "--continue")
    assert none.returncode == 2
    assert "no unfinished game" in none.stderr
    saved = info.path.read_text()
    loaded = teahouse("play", "--load", str(info.path), typed="wd4\nresign\nyes\n")
    assert "Result: " in loaded.stdout  # a copy was continued
    assert info.path.read_text() == saved
    assert len(saved_games()) == 2
    branched = teahouse("play", "--load", str(info.path), "--ply", "1", typed="moves\nquit\n")
    assert "\n> 1. wa1\n" in branched.stdout


def test_all_commands_during_a_game(tmp_path: Path) -> None:
    file = tmp_path / "my game.txt"
    typed = f"""hint
        ? d4
        look
        look d4
        explain D4
        explain z9
        wd4
        save
        save {file}
        save "{file}"
        no
        save {tmp_path}/no/where.txt
        rules
        resign
        no
        exit
        """
    done = teahouse("play", "orochi", "--black", "human", "--seed", "0", typed=typed)
    printed = done.stdout
    assert "Expected continuation: " in printed
    assert "wd4 bd4" in printed
    assert "d4: empty" in printed
    assert "An empty cell: a white or a black stone can be placed here." in printed
    assert "Unknown name 'z9'" in printed
    assert "White plays wd4: White placed a white stone on d4." in printed
    assert "File name missing" in printed
    assert "Nothing was written." in printed
    assert "Failed: " in printed
    assert "The game continues." in printed
    assert th.Record.parse(file.read_text()).moves == ("wd4",)


def test_garbage_is_rejected_with_a_reason() -> None:
    garbage = b"\xff\xfe\x00\n\x1b[2J\n" + b"x" * 100_000 + b"\n\n   \n!!\n-1\n\xc3\x28\n"
    for name in th.games():
        done = teahouse("play", name, typed=garbage)
        assert done.returncode == 0
        assert "Illegal move" in done.stdout
        assert "\x1b" not in done.stdout
        assert saved_games() == []


def test_a_game_is_asked_for_if_none_is_named() -> None:
    done = teahouse("play", typed="go\norochi\nquit\n")
    assert done.stdout.count("Which game") == 2
    assert teahouse("play").returncode == 2


def test_closed_streams_are_empty() -> None:
    python = f"{sys.executable} -m teahouse"
    done = subprocess.run(
        ["/bin/sh", "-c", f"{python} play toot --words <&-; {python} games >&-"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("Goodbye.\n")
    assert done.stderr == ""


def test_texts_are_wrapped_to_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for name in th.games():
        local = LocalGame(new_record(th.load(name), 1), assign_seats(th.load(name), {}))
        out = io.StringIO()
        monkeypatch.setattr(out, "isatty", lambda: True)
        ui = LineUI(local, lambda prompt: None, out, silent)
        ui.show_board("")
        board = board_lines(local.position.scene)
        lines = out.getvalue().splitlines()
        assert lines[: len(board)] == board
        assert max(map(len, lines[len(board) :])) <= 40


def test_boards_in_words() -> None:
    done = teahouse("play", "orochi", "--words", "--black", "human", typed="wd4\nquit\n")
    assert "d4: white stone" in done.stdout
    assert ". . . ." not in done.stdout


def test_perft_playouts_and_bench(run: Run) -> None:
    assert run("perft", "orochi", "2", "-o", "side=2").stdout == "1 14\n2 168\n"
    counted = json.loads(run("perft", "orochi", "2", "-o", "side=2", "--json").stdout)
    assert counted["counts"] == [14, 168]
    assert "moves per game" in run("playouts", "orochi", "500", "-o", "side=2").stdout
    played = json.loads(run("playouts", "orochi", "500", "--json").stdout)
    assert sum(played["wins"].values()) == played["games"] == 500
    short = ("bench", "orochi", "--only", "playouts", "--seconds", "0.05", "--no-peers")
    (row,) = json.loads(run(*short, "--json").stdout)["rows"]
    assert row["value"] > 0 and row["unit"] == "moves/s" and row["ratio"] is None
    assert row["row"] == "playouts orochi side=4"
    assert "random moves" in run(*short).stdout


def test_games_rules_and_help(run: Run) -> None:
    listed = json.loads(run("games", "--json").stdout)
    assert [game["name"] for game in listed] == th.games()
    assert all([level["level"] for level in game["levels"]] == [*LEVELS] for game in listed)
    assert all(name in run("games").stdout for name in th.games())
    one = run("games", "orochi").stdout
    assert "oolong" not in one and "8 · Master" in one and "neural network" in one
    assert "Unknown game 'chess'" in run("games", "chess").stderr
    for name in th.games():
        assert run("rules", name).stdout.strip() == rules_text(th.load(name)).strip()
    assert run().stdout == run("--help").stdout  # no app without a terminal
    assert all(command in run("--help").stdout for command in COMMANDS)
    for command in COMMANDS:
        assert f"teahouse {command}" in run(command, "--help").stdout


def test_analysis_of_games_positions_and_records(run: Run, tmp_path: Path) -> None:
    limits = ("--simulations", "500", "--threads", "1")
    shown = run("analyse", "orochi", *limits).stdout
    assert "Expected continuation: " in shown
    found = json.loads(run("analyse", "orochi", *limits, "--json").stdout)
    assert found["best"] == found["moves"][0]["move"]
    record = th.Record.new(th.load("orochi", side=2))
    record.play("wb2")
    file = tmp_path / "record.txt"
    file.write_text(record.text())
    last = json.loads(run("analyse", str(file), *limits, "--json").stdout)
    assert last["position"] == str(record.position)
    first = json.loads(
        teahouse("analyse", "-", "--ply", "0", *limits, "--json", typed=record.text()).stdout
    )
    assert first["position"] == str(record.positions[0])
    there = ("-o", "side=2", "-p", str(record.position))
    assert json.loads(run("analyse", "orochi", *there, *limits, "--json").stdout) | {
        "seconds": 0
    } == last | {"seconds": 0}


def test_bad_input_is_named_and_the_exit_code_is_2(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("nonsense")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    for arguments in (
        ("play", "go"),
        ("play", "orochi", "-o", "side=1"),
        ("play", "orochi", "-o", "side"),
        ("play", "orochi", "--seat", "Red=bot"),
        ("play", "orochi", "--seat", "White"),
        ("play", "orochi", "--pink", "human"),
        ("play", "orochi", "--white", "level9"),
        ("play", "orochi", "--white"),
        ("play", "orochi", "more"),
        ("play", "--load", str(tmp_path / "bad.txt")),
        ("play", "--load", str(tmp_path / "bytes.txt")),
        ("play", "--load", str(tmp_path / "nowhere.txt")),
        ("playouts", "orochi", "10", "--device", "tpu"),
        ("perft", "orochi", "-1"),
        ("perft", "orochi", "2", "-p", "nonsense"),
        ("analyse", "go"),
        ("analyse", "orochi", "--ply", "3"),
        ("bench", "go"),
        ("nonsense",),
    ):
        done = run(*arguments)
        assert done.returncode == 2, arguments
        assert done.stderr


def test_a_failure_has_the_exit_code_1(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.write_text("a file instead of a folder")
    done = teahouse("play", "orochi", "--black", "human", typed="wa1\n")
    assert done.returncode == 1
    assert "games" in done.stderr


def test_names_are_completed_in_the_shell() -> None:
    environment = {
        **os.environ,
        "_TEAHOUSE_COMPLETE": "complete_bash",
        "COMP_WORDS": "teahouse play o",
        "COMP_CWORD": "2",
    }
    call = (
        "import sys; sys.argv[0] = 'teahouse'; from teahouse.terminal.commands import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", call], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["oolong", "orochi"]


def test_puzzles_in_the_terminal(run: Run) -> None:
    name = th.games()[0]
    puzzle = next(one for one in th.puzzles(name) if len(one.line) == 1)
    wrong = next(move for move in puzzle.position.legal if move != puzzle.line[0])
    lines = ("?", "hint", "board", "look", "nonsense", wrong, puzzle.line[0], "solution", "quit")
    done = teahouse("puzzle", name, "--number", str(puzzle.number), typed="\n".join(lines))
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stdout.split()).count(puzzle.task) >= 2
    assert "Not this move." in done.stdout
    assert "Solved!" in done.stdout
    assert "Goodbye. Puzzles solved: 0." in done.stdout, "a hint and a wrong move"
    data = json.loads(run("puzzle", name, "--number", str(puzzle.number), "--json").stdout)
    assert (data["position"], data["line"]) == (puzzle.start, list(puzzle.line))
    assert run("puzzle", "--daily", "--json").returncode == 0
    for bad in (("nothing",), (name, "--number", "9999"), (name, "--theme", "x"), ("--json",)):
        done = run("puzzle", *bad)
        assert done.returncode == 2, bad
        assert done.stderr


def test_making_puzzles(run: Run, tmp_path: Path) -> None:
    puzzle = next(one for one in th.puzzles("orochi") if not one.then)
    record = th.Record(puzzle.position.game, puzzle.position)
    for move in puzzle.line:
        record.play(move)
    records = tmp_path / "records"
    records.mkdir()
    (records / "1.txt").write_text(record.text())
    out = tmp_path / "puzzles.jsonl"
    folder = ("--folder", str(tmp_path / "work"), "--out", str(out), "--games", "0")
    done = run("puzzles", "orochi", "--records", str(records), *folder, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found == {"puzzles": 1, "file": str(out), "complete": True}
    assert json.loads(out.read_text())["line"].split()[0] == puzzle.line[0]
    missing = run("puzzles", "orochi", "--records", str(tmp_path / "nowhere"), *folder)
    assert missing.returncode == 2


def test_review(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluations, "BUDGETS", dict.fromkeys(evaluations.BUDGETS, 1))
    record = late_record(th.load(th.games()[0]), seed=1, count=3)
    path = tmp_path / "game.txt"
    path.write_text(record.text())
    shown = run("review", str(path), "--threads", "1")
    assert shown.returncode == 0
    assert all(move in shown.stdout for move in record.moves)
    assert "Accuracy" in shown.stdout
    found = json.loads(run("review", str(path), "--json").stdout)
    assert [move["move"] for move in found["moves"]] == list(record.moves)
    assert found["complete"]
    path.write_text(record.text().replace(f"3. {record.moves[2]}", "3. nonsense"))
    broken = run("review", str(path), "--json")
    assert broken.returncode == 2
    assert "only the first 2 moves" in broken.stderr
    assert len(json.loads(broken.stdout)["moves"]) == 2
    assert run("review", str(tmp_path / "missing.txt")).returncode == 2
