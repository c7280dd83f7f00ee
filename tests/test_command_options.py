"""Options of the commands: what is unknown, excluded or impossible is refused before any work."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_runs import Run

import teahouse as th
from teahouse.terminal.connect.rules import check_games

NAMES = th.games()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path / "data"))
    return Run(monkeypatch, capsys)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A file with a record of two moves."""
    one = th.Record.new(th.load(NAMES[0]), seed=1)
    for _ in range(2):
        one.play(one.position.legal[0])
    path = tmp_path / "game.txt"
    path.write_text(one.text())
    return path


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "teahouse", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"teahouse {th.__version__}\n"


@pytest.mark.parametrize("name", NAMES)
def test_names_of_games_in_any_case(run: Run, name: str) -> None:
    upper = name.upper()
    for words in (("perft", name, "1"), ("puzzle", "--daily", name, "--json")):
        assert (
            run(*(upper if word == name else word for word in words)).stdout == run(*words).stdout
        )
    assert th.load(name.title()) is th.load(name)
    assert check_games([upper]) == {name}
    with pytest.raises(th.OptionError, match="Unknown game 'no'"):
        check_games([name, "no"])
    assert run("learn", upper, "--step", "99").stderr.startswith(f"teahouse: The lesson of {name}")
    done = run("analyse", upper, "--simulations", "1", "--ply", "1")
    assert done.stderr == "teahouse: --ply needs a record file.\n"  # it is a game


def test_a_misspelt_option_of_play(run: Run) -> None:
    done = run("play", NAMES[0], "--sede", "4")
    assert (done.returncode, done.stderr) == (
        2,
        "teahouse: There is no option or seat --sede; did you mean --seed?\n",
    )
    players = th.load(NAMES[0]).players
    done = run("play", NAMES[0], f"--{players[0].lower()}s", "human")
    assert f"did you mean --{players[0].lower()}?" in done.stderr
    done = run("play", NAMES[0], "--qqqq", "human")
    assert f"seats: {', '.join(players)}." in done.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("solve", NAMES[0], "--at", "3"), "--at is for a --record"),
        (("solve", "--record", "RECORD", "-o", "side=2"), "--option needs a game"),
        (("solve", "--record", "RECORD", "--proof", "FOLDER/none/x"), "there is no folder"),
        (("play", "--continue", "--new"), "--continue excludes --new"),
        (("play", "--load", "RECORD", "-o", "side=2"), "--load excludes --option"),
        (("play", "--load", "RECORD", "--ply", "3"), "--ply must be at most 2"),
        (("play", NAMES[0], "--ply", "3"), "--ply needs --load"),
        (("play", NAMES[0], "--save", "FOLDER"), "it is a folder"),
        (("play", "--load", "FOLDER/none"), "/none: No such file or directory."),
        (("solve", "--record", "FOLDER/none"), "/none: No such file or directory."),
        (("solve", "--record", "FOLDER"), ": Is a directory."),
        (("draw", "RECORD", "--ply", "3"), "--ply must be at most 2"),
        (("draw", NAMES[0], "FOLDER/none/x.svg"), "there is no folder"),
        (("draw", "RECORD", "--animate", "--targets"), "--hint and --targets are for a still"),
        (("openings", NAMES[0], "--out", "FOLDER/x"), "--out needs --build"),
        (("openings", NAMES[0], "--build", "FOLDER", "-o", "a=1"), "--build excludes --option"),
        (("openings", NAMES[0], "--build", "FOLDER", "--out", "FOLDER"), "it is a folder"),
        (("puzzles", NAMES[0], "--out", "FOLDER/none/x"), "there is no folder"),
        *(
            (("selfplay", NAMES[0], *words), "only for players of the arena, not for")
            for words in (
                ("--jobs", "2"),
                ("random", "--ray", "local"),
                ("checkpoint:folder=FOLDER", "--opening", "4"),
            )
        ),
        (
            ("selfplay", NAMES[0], "level1", "--threads", "2"),
            "--threads: only for random games and a checkpoint, not for level1",
        ),
        (("perft", NAMES[0], "0", "--divide"), "divide needs a depth of at least 1"),
        *(
            ((command, *words, "--seed", str(10**30)), "seed must be an integer from 0 to")
            for command, *words in (
                ("play", NAMES[0]),
                ("perft", NAMES[0], "1"),
                ("train", NAMES[0]),
                ("puzzles", NAMES[0], "--out", "FOLDER/x"),
            )
        ),
    ],
)
def test_options_that_cannot_be_followed(
    run: Run, record: Path, arguments: tuple[str, ...], reason: str
) -> None:
    given = [
        word.replace("RECORD", str(record)).replace("FOLDER", str(record.parent))
        for word in arguments
    ]
    done = run(*given)
    assert done.returncode == 2
    assert reason in done.stderr


def test_training_data_is_kept_when_the_disk_is_full(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    folder = tmp_path / "games"
    command = ("selfplay", "orochi", "-o", "side=2", "--shard", "2", "--out", str(folder))
    assert run(*command, "--games", "2").returncode == 0

    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("teahouse.rl.data.store.write_atomic", full)
    done = run(*command, "--games", "4")
    assert done.returncode == 1
    assert "rows/000001.npy: No space left on device. The files before it are compl" in done.stderr
    assert [file.name for file in (folder / "rows").iterdir()] == ["000000.npy"]


def test_games_of_a_match_are_kept_when_the_disk_is_full(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    folder = tmp_path / "match"
    match = ("arena", "orochi", "-o", "side=2", "random", "greedy", "-j", "1")
    command = (*match, "--folder", str(folder), "--games")
    assert run(*command, "2").returncode == 0
    lines = (folder / "games.jsonl").read_text()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        done = run(*command, "4")
    assert done.returncode == 1
    assert done.stderr.endswith(
        f"Cannot write {folder}/records/000003.txt: No space left on device. The games before it in"
        f" {folder} are kept; the same command goes on.\n"
    )
    assert (folder / "games.jsonl").read_text() == lines
    assert run(*command, "4").returncode == 0
    assert len((folder / "games.jsonl").read_text().splitlines()) == 4


def test_a_player_that_fails_is_a_failure_and_a_wrong_folder_invalid_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    agent = tmp_path / "agent.py"
    agent.write_text("def choose(position):\n    return 'nonsense'\n")
    options = ("orochi", "-o", "side=2", "--games", "2")
    match = ("arena", *options, "--folder", str(tmp_path / "match"), "random")
    done = run(*match, f"python:{agent}:choose")
    assert done.returncode == 1
    assert "nonsense" in done.stderr
    alone = ("selfplay", *options, "--out", str(tmp_path / "alone"), f"python:{agent}:choose")
    assert run(*alone).returncode == 1
    for command in (("arena", *match[1:], f"python:{agent}:choose"), alone):
        other = run(*command, "--seed", "1")
        assert other.returncode == 2
        assert "belongs to another match: seed 0, not 1; choose another folder" in other.stderr


def test_a_disk_that_fills_up_is_a_failure(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "FILE")

    monkeypatch.setattr("teahouse.terminal.commands.draw.write_atomic", full)
    done = run("draw", NAMES[0], str(tmp_path / "x.svg"))
    assert (done.returncode, done.stderr) == (1, "teahouse: FILE: No space left on device\n")
    monkeypatch.setattr("teahouse.terminal.commands.solve.build_tablebase", full)
    monkeypatch.setattr("teahouse.terminal.commands.solve.position_count", lambda _: 1 << 40)
    monkeypatch.setattr("teahouse.terminal.commands.solve.find_tablebase", lambda _: None)
    done = run("solve", NAMES[0])
    assert done.returncode == 1
    assert "The tablebase cannot be stored" in done.stderr
    assert "Solve without it: --no-tablebase" in done.stderr


def test_errors_of_files_are_in_words(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("selfplay", "orochi", "--out", str(tmp_path / "file"))
    assert done.returncode == 1
    assert done.stderr == f"teahouse: {tmp_path / 'file' / 'rows'}: Not a directory\n"


@pytest.mark.parametrize("name", NAMES)
def test_perft_by_moves_and_threads(run: Run, name: str) -> None:
    position = th.load(name).start(2)
    divided = th.perft(position, 3, divide=True, threads=2)
    assert tuple(divided) == position.legal
    assert sum(divided.values()) == th.perft(position, 3) == th.perft(position, 3, threads=2)
    assert run("perft", name, "0").stdout == "0 1\n"
    printed = run("perft", name, "2", "--divide", "--seed", "2").stdout.split()
    assert printed[-2:] == ["total", str(th.perft(position, 2))]


def test_help_has_real_values_and_no_type_for_flags(run: Run) -> None:
    text = run("play", "--help").stdout
    assert "<bool>" not in text
    for word in ("NAME=VALUE ", "SEAT ", "GAME --"):
        assert word not in text.partition("Examples:")[2]


def test_matches_are_stored_in_the_data_folder(run: Run, tmp_path: Path) -> None:
    match = ("arena", NAMES[0], "random", "level1", "--games", "2")
    assert run(*match).returncode == 0
    again = run(*match)
    assert again.stderr == "Continuing after 2 games.\n"
    assert "2 games" in again.stdout and "Continuing" not in again.stdout
    assert list((tmp_path / "data" / "arena").iterdir())


def test_a_picture_has_a_size() -> None:
    with pytest.raises(th.OptionError, match="size must be an integer of at least 1, got 0"):
        th.load(NAMES[0]).start().svg(size=0)
