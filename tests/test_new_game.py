"""`teahouse new` and external games: made, installed, played, and refused when they are broken."""

import json
import re
import shutil
from pathlib import Path

import pytest
from support.external import MAIN, Distribution, attempt, install, run_python

import teahouse as th
from teahouse.core.contract import error_text
from teahouse.core.packages import name_error
from teahouse.terminal.commands.new import game_files, new, package_files

PACKAGE = Path(th.__file__).parent
LINES, FILES = 200, 4


def broken(**changed: str | None) -> dict[str, str]:
    """Return the template's files with some replaced, or left out for None."""
    files = {**game_files("broken"), **{f"{name}.py": text for name, text in changed.items()}}
    return {name: text for name, text in files.items() if text is not None}


BROKEN = {
    "no_import": (broken(rules="import no_such_module\n"), "No module named 'no_such_module'"),
    "no_syntax": (broken(board="def scene(:\n"), "SyntaxError"),
    "no_info": (broken(__init__=""), "does not define INFO"),
    "no_board": (broken(board=None), "No module named"),
    "no_legal": (
        broken(rules=game_files("x")["rules.py"].replace("def legal", "def moves")),
        "legal",
    ),
    "no_argument": (
        broken(rules=game_files("x")["rules.py"].replace("state: Any, seed: int", "state: Any")),
        "rules.start() must take the arguments (board, state, seed)",
    ),
    "no_names": (
        broken(__init__=game_files("x")["__init__.py"].replace('("Black", "White")', "(1, 2)")),
        "the players' names must be text",
    ),
    "no_colour": (
        broken(board=game_files("x")["board.py"].replace('("black", "white")', '("black",)')),
        "one for each player",
    ),
    "no_exit": (broken(notation="raise SystemExit(3)\n"), "SystemExit: 3"),
    "no_reading": (
        broken(
            notation=game_files("x")["notation.py"].replace(
                "    rows = text", "    state.player = 1\n    return\n    rows = text"
            )
        ),
        "does not restore the start",
    ),
}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an external game that works, and several that do not."""
    copy = {f"copy_game/{file}": text for file, text in game_files("copy").items()}
    distributions = [
        Distribution("teahouse_halma", package_files("halma"), "halma", "teahouse_halma"),
        Distribution("dist_copy", copy, "orochi", "copy_game"),
        Distribution("dist_name", {}, "Bad-Name", "copy_game"),
        Distribution("dist_gone", {}, "gone", "no_such_package"),
    ]
    for name, (files, _) in BROKEN.items():
        inside = {f"{name}_game/{file}": text for file, text in files.items()}
        distributions.append(Distribution(f"dist_{name}", inside, name, f"{name}_game"))
    return install(tmp_path_factory.mktemp("external"), distributions)


def test_the_template_is_small() -> None:
    files = game_files("halma")
    assert len(files) == FILES
    assert sum(text.count("\n") for text in files.values()) <= LINES
    assert 'title="Halma"' in files["__init__.py"]


def test_an_external_game_is_a_game_as_any_other(packages: Path) -> None:
    code = """if True:
        import teahouse as th
        from teahouse.rl import Batch
        assert th.games() == sorted([*%r, "halma"])
        game = th.load("halma", side=4)
        position = game.start().play("A1")
        assert position.legal[0] == "a4" and position.describe("a4") == "White played a4"
        assert game.position(str(position)) == position
        assert position.click_paths("b2") == (("b2",),) and "<svg" in position.svg()
        assert th.Record.parse(th.Record.new(game).text()).game == game
        assert game.playouts(100, seed=1).games == 100
        assert th.analyse(position, simulations=100).best in position.legal
        assert th.bot(game, level=2).choose(position) in position.legal
        assert "Halma" in game.rules_page
        batch = Batch("halma", 8)
        for _ in range(30):
            batch.step(batch.sample())
        assert batch.legal.shape == (8, 25)
    """
    run_python(code % (th.games(),), path=packages)


def test_an_external_game_passes_the_check(packages: Path) -> None:
    report = json.loads(run_python(MAIN, "check", "halma", "--json", path=packages))
    assert (report["tier"], report["next_tier"]) == ("playable", "studied")
    assert {"planes", "perft", "signature", "test positions"} <= set(report["to_do"])
    assert {check["status"] for check in report["checks"]} == {"ok", "missing", "default"}


def test_an_external_game_is_compiled(packages: Path) -> None:
    code = """if True:
        import teahouse as th
        game = th.load("halma", side=4)
        print(game.playouts(100, seed=1))
    """
    assert run_python(code, path=packages) == run_python(code, path=packages, compiled=True)


@pytest.mark.long
def test_an_external_game_passes_the_check_compiled(packages: Path) -> None:
    run_python(MAIN, "check", "halma", "--json", path=packages, compiled=True)


def test_generated_files_are_written(packages: Path, tmp_path: Path) -> None:
    copy = tmp_path / "packages"
    shutil.copytree(packages, copy)
    (copy / "teahouse_halma" / "suite.txt").write_text("# takes minutes to generate\n")
    report = json.loads(attempt(MAIN, "check", "halma", "--write", "--json", path=copy).stdout)
    found = {check["name"]: check["status"] for check in report["checks"]}
    assert found["perft"] == found["signature"] == "ok"
    perft = copy / "teahouse_halma" / "perft.txt"
    assert "side=4 ; start ; 16 240 3360" in perft.read_text()
    perft.write_text(perft.read_text().replace("16 240 3360", "16 240 3361"))
    failed = attempt(MAIN, "check", "halma", path=copy)
    assert failed.returncode == 1
    assert "The perft counts are [16, 240, 3360" in failed.stdout


def test_an_external_game_is_played_in_the_terminal(packages: Path) -> None:
    seats = ("--black", "human", "--white", "human")
    moves = "a1\nb1\na2\nb2\na3\nb3\na4\n"
    played = attempt(MAIN, "play", "halma", *seats, path=packages, typed=moves)
    assert played.returncode == 0, played.stderr
    assert "Black wins: four stones in a line." in played.stdout


SERVER = """if True:
    import sys
    from fastapi.testclient import TestClient
    from teahouse.server.app import create_app
    from teahouse.server.settings import ServerSettings
    settings = ServerSettings(database=sys.argv[1], prepare=False, hosts=("testserver",))
    with TestClient(create_app(settings)) as client:
"""


def test_an_external_game_is_played_on_the_server(packages: Path, tmp_path: Path) -> None:
    database = str(tmp_path / "games.db")
    with_game = """
        games = client.get("/api/games").json()
        assert "halma" in [game["name"] for game in games], games
        for page in ("/", "/rules/halma", "/new?game=halma", "/rules/orochi"):
            assert client.get(page).status_code == 200, page
        seats = [{"kind": "local"}, {"kind": "local"}]
        created = client.post("/api/tables", json={"game": "halma", "seats": seats}).json()
        assert client.get(f"/tables/{created['id']}").status_code == 200
        print(created["id"])
    """
    table = run_python(SERVER + with_game, database, path=packages).strip()
    without_game = """
        answer = client.get(f"/api/tables/{sys.argv[2]}")
        assert answer.status_code == 404
        assert "Unknown game 'halma'" in answer.json()["message"]
        for page in ("/", "/rules/orochi"):
            assert client.get(page).status_code == 200, page
    """
    run_python(SERVER + without_game, database, table, path=tmp_path)


def test_broken_games_are_named_with_their_reasons(packages: Path) -> None:
    code = """if True:
        import json, sys
        import teahouse as th
        from teahouse.conformance.runner import run_checks
        reasons = {}
        for name in sys.argv[1:]:
            assert "orochi" in th.games() and name not in th.games()
            (failure,) = run_checks(name).results
            try:
                th.load(name)
            except th.OptionError as error:
                reasons[name] = [str(error), failure.status, failure.message]
        print(json.dumps(reasons))
    """
    found = json.loads(run_python(code, *BROKEN, path=packages))
    for name, (_, reason) in BROKEN.items():
        error, status, message = found[name]
        assert reason in error and reason in message
        assert status == "failed"
    report = json.loads(attempt(MAIN, "check", "no_legal", "--json", path=packages).stdout)
    assert (report["tier"], report["to_do"]) == (None, ["contract"])


def test_a_game_that_fails_later_leaves_the_others_alone(tmp_path: Path) -> None:
    files = package_files("rough")
    rules = files["teahouse_rough/rules.py"]
    files["teahouse_rough/rules.py"] = rules.replace("state.empty -= 1", "1 // (state.empty - 9)")
    files["teahouse_rough/bots.json"] = '{"levels": {"": ["strong"]}}'
    path = install(tmp_path, [Distribution("dist_rough", files, "rough", "teahouse_rough")])
    listed = attempt(MAIN, "games", "--json", path=path)
    assert [game["name"] for game in json.loads(listed.stdout)] == sorted([*th.games(), "rough"])
    assert "bots.json of rough is invalid" in listed.stderr
    pages = """
        for page in ("/", "/new?game=orochi", "/rules/orochi", "/api/games"):
            assert client.get(page).status_code == 200, page
    """
    run_python(SERVER + pages, str(tmp_path / "games.db"), path=path)


def test_an_invalid_bots_file_fails_the_check(tmp_path: Path) -> None:
    files = package_files("weak")
    files["teahouse_weak/bots.json"] = '{"levels": {"": []}}'
    path = install(tmp_path, [Distribution("dist_weak", files, "weak", "teahouse_weak")])
    report = json.loads(attempt(MAIN, "check", "weak", "--json", path=path).stdout)
    (failed,) = (check for check in report["checks"] if check["status"] == "failed")
    assert (failed["name"], "8 levels" in failed["message"]) == ("bots", True)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("state.empty == 0", "state.empty == 77"), "There is no legal move"),
        (("state.empty -= 1", "raise ValueError('no [/style]')"), "no [/style]"),
    ],
)
def test_the_check_ends_if_games_do_not(
    change: tuple[str, str], reason: str, tmp_path: Path
) -> None:
    files = package_files("endless")
    files["teahouse_endless/rules.py"] = files["teahouse_endless/rules.py"].replace(*change)
    game = Distribution("dist_endless", files, "endless", "teahouse_endless")
    path = install(tmp_path, [game])
    failed = attempt(MAIN, "check", "endless", "--write", path=path)
    assert failed.returncode == 1
    assert reason in " ".join(failed.stdout.split())
    assert not (path / "teahouse_endless" / "perft.txt").exists()


def test_broken_games_are_listed_and_the_others_work(packages: Path) -> None:
    result = attempt(MAIN, "games", "--json", path=packages)
    assert result.returncode == 0
    assert [game["name"] for game in json.loads(result.stdout)] == sorted([*th.games(), "halma"])
    for name in (*BROKEN, "orochi", "Bad-Name", "gone"):
        assert f"The game {name} (" in result.stderr
    assert "a built-in game has the same name" in result.stderr
    assert "playouts" in run_python(MAIN, "--help", path=packages)
    assert attempt(MAIN, "check", "no_such_game", path=packages).returncode == 2


def test_a_game_in_a_checkout_is_a_folder(tmp_path: Path) -> None:
    source = tmp_path / "src"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, source / "teahouse", ignore=ignore)
    answer = json.loads(run_python(MAIN, "new", "halma", "--json", path=source, cwd=tmp_path))
    folder = source / "teahouse" / "games" / "halma"
    assert answer["folder"] == str(folder)
    assert {path.name for path in folder.iterdir()} == set(game_files("halma"))
    code = "import teahouse as th; print(th.load('halma').start().play('c3').text())"
    assert "White to move" in run_python(code, path=source)
    again = attempt(MAIN, "new", "halma", path=source, cwd=tmp_path)
    assert again.returncode == 2
    assert "there is a game 'halma' already" in again.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of the package with a fifth game, the first of the list."""
    source = tmp_path / "src"
    shutil.copytree(PACKAGE, source / "teahouse", ignore=shutil.ignore_patterns("__pycache__"))
    folder = source / "teahouse" / "games" / "abalone"
    folder.mkdir()
    for name, text in game_files("abalone").items():
        (folder / name).write_text(text)
    return source


@pytest.mark.parametrize(
    ("file", "change", "reason"),
    [
        ("__init__.py", ("INFO =", "import no_such_module\nINFO ="), "No module named 'no_such"),
        ("rules.py", ("def play(", "import no_such_module\ndef play("), "No module named 'no_such"),
        ("rules.py", ("def play(", "def def play("), "SyntaxError: invalid syntax (rules.py"),
        ("rules.py", ("def play(", "def played("), "rules.py does not define play()"),
    ],
)
def test_a_broken_game_in_a_checkout_leaves_the_others_alone(
    checkout: Path, file: str, change: tuple[str, str], reason: str
) -> None:
    path = checkout / "teahouse" / "games" / "abalone" / file
    assert change[0] in path.read_text()
    path.write_text(path.read_text().replace(*change))
    listed = attempt(MAIN, "games", "--json", path=checkout)
    assert [game["name"] for game in json.loads(listed.stdout)] == th.games()
    assert "The game abalone (teahouse.games.abalone) cannot be used: " in listed.stderr
    assert reason in listed.stderr
    checked = attempt(MAIN, "check", "abalone", path=checkout)
    assert checked.returncode == 1
    assert reason in " ".join(checked.stdout.split())
    played = attempt(MAIN, "play", "abalone", path=checkout)
    assert played.returncode == 2
    assert reason in " ".join(played.stderr.split())
    assert "abalone" not in run_python(MAIN, "analyse", "--help", path=checkout)


def test_a_built_in_game_without_a_start_leaves_the_others_alone(checkout: Path) -> None:
    rules = checkout / "teahouse" / "games" / "abalone" / "rules.py"
    rules.write_text(rules.read_text().replace("state.over = 0", "state.over = 1"))
    reason = (
        "The game abalone (teahouse.games.abalone) cannot be used: the start has no legal move."
    )
    lines = """
        names = [game["name"] for game in client.get("/api/games").json()]
        assert names == %r, names
        for page in ("/", "/new", "/learn", "/puzzles", "/rules/orochi"):
            assert client.get(page).status_code == 200, page
        from teahouse.server.operations.doctor import diagnose
        found = {one.name: one for one in diagnose(settings, port=0)}
        assert found["pictures"].status == found["games"].status == "ok", found
        assert found["abalone"].status == "warning"
        print(found["abalone"].detail)
    """
    database = str(checkout / "games.db")
    shown = attempt(SERVER + lines % (th.games(),), database, path=checkout)
    assert shown.returncode == 0, shown.stderr
    assert reason in shown.stdout
    assert reason in shown.stderr


def test_a_game_elsewhere_is_a_package(tmp_path: Path) -> None:
    run_python(MAIN, "new", "halma_two", path=tmp_path, cwd=tmp_path)
    run_python(MAIN, "new", "halma_two", "--path", "below/it", path=tmp_path, cwd=tmp_path)
    for folder in (tmp_path, tmp_path / "below" / "it"):
        project = folder / "teahouse-halma-two"
        assert (project / "teahouse_halma_two" / "rules.py").is_file()
        text = (project / "pyproject.toml").read_text()
        assert 'halma_two = "teahouse_halma_two"' in text
        assert "Halma Two" in text
    again = attempt(MAIN, "new", "halma_two", path=tmp_path, cwd=tmp_path)
    assert again.returncode == 2
    assert "exists already; nothing was written" in again.stderr


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("orochi", "there is a game"),
        ("class", "keyword"),
        ("match", "keyword"),
        ("Halma", "lower-case"),
        ("2halma", "lower-case"),
        ("hal-ma", "lower-case"),
        ("../halma", "lower-case"),
        ("hälma", "lower-case"),
        ("", "lower-case"),
        ("h" * 33, "at most 32"),
        ("tests", "reserved"),
        ("test_it", "reserved"),
    ],
)
def test_impossible_names_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(th.OptionError, match=reason):
        new(name)
    assert not [*tmp_path.iterdir()]


def test_names_of_games() -> None:
    assert all(name_error(name) is None for name in th.games())
    assert name_error("line_4") is None


def test_an_exception_of_a_game_names_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        _ = 1 // len(())
    assert re.search(r"\(test_new_game\.py:\d+\)$", error_text(raised.value))
