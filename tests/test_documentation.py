"""The code of all documents runs, links lead somewhere, and public names are documented."""

import doctest
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import diagrams
import pytest
import yaml
from docs_commands import command_sections
from docs_reference import PAGES as REFERENCE
from docs_reference import documented, undocumented
from support.documents import ROOT, Block, blocks, check_command, command_lines
from support.external import MAIN, Distribution, install, run_python

from teahouse.terminal.commands import COMMANDS

DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
PAGES = [*DOCUMENTS, *(ROOT / "src").rglob("*.md")]


def _read_messages(text: str) -> None:
    """Read JSON: one value, or several ones after each other."""
    decoder = json.JSONDecoder()
    while text := text.strip():
        text = text[decoder.raw_decode(text)[1] :]


TUTORIAL = ROOT / "docs" / "adding-a-game.md"
DATA = {"json": _read_messages, "toml": tomllib.loads, "yaml": yaml.safe_load}


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _marks(page: Path) -> str:
    return " ".join(block.mark for block in blocks(page) if block.runs)


def _has(language: str) -> list[Path]:
    """Return the documents with a block to run in a language."""
    return [
        page
        for page in DOCUMENTS
        if page != TUTORIAL  # it builds a game
        and any(one.language == language and not one.skipped for one in blocks(page))
    ]


@pytest.mark.parametrize("page", _has("python"), ids=_name)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All Python of a page runs in its order, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path / "data"))
    names: dict[str, object] = {"__name__": "document"}
    for block in blocks(page):
        if block.language == "python" and not block.skipped:
            _run_python(block, names)


def _run_python(block: Block, names: dict[str, object]) -> None:
    if block.code.startswith(">>> "):
        parsed = doctest.DocTestParser().get_doctest(block.code, names, str(block), None, 0)
        results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(parsed, clear_globs=False)
        names.update(parsed.globs)
        assert results.failed == 0, block
    else:
        exec(compile(block.code, str(block), "exec"), names)


@pytest.mark.parametrize("page", [page for page in DOCUMENTS if "run" in _marks(page)], ids=_name)
def test_scripts_run(page: Path, tmp_path: Path) -> None:
    """Shell blocks marked `run` work one after the other, beside the files of the page."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "TEAHOUSE_DATA_DIR": str(tmp_path / "data")}
    for block in blocks(page):
        if block.file and not block.skipped:
            (tmp_path / block.file).write_text(block.code, encoding="utf-8")
        elif block.runs:
            command = ["bash", "-euo", "pipefail", "-c", block.code]
            ran = subprocess.run(
                command, cwd=tmp_path, env=variables, capture_output=True, text=True
            )
            assert ran.returncode == 0, f"{block}: {ran.stderr}"


@pytest.mark.parametrize("page", DOCUMENTS, ids=_name)
def test_blocks_are_valid(page: Path) -> None:
    """Blocks that are not run compile; commands exist with their options; data can be read."""
    found = [*blocks(page)]
    files = {block.file for block in found}
    for block in found:
        for words in command_lines(block):
            try:
                check_command(words, files)
            except Exception as error:
                raise AssertionError(f"{block}: {' '.join(words)}: {error}") from error
        if block.language == "python" and not block.text.startswith(">>> "):
            compile(block.text, str(block), "exec")
        if block.language in DATA:
            DATA[block.language](block.text)


@pytest.mark.parametrize(
    "line",
    [
        "teahouse arna",
        "teahouse perft orochi 3 --dept 2",
        "teahouse report orochi -o sice=3",
        "teahouse play orochi --green level1",
        "teahouse solve chess",
        "make tests",
        "pip install 'teahouse[rll]'",
        "python tools/suite.py --bots x",
        "teahouse games fillit chess",
        "teehouse",
    ],
)
def test_invalid_commands_are_found(line: str) -> None:
    block = Block(ROOT / "README.md", 1, "sh", "", line, "")
    with pytest.raises(Exception, match=r".+"):
        for words in command_lines(block):
            check_command(words, set())


def test_diagrams_are_current() -> None:
    paths = diagrams.read_paths()
    for path in paths:
        drawn = (diagrams.SOURCE.parent / f"{path.name}.svg").read_text(encoding="utf-8")
        assert drawn == diagrams.draw(path), "run: python tools/diagrams.py"
    page = diagrams.PAGE.read_text(encoding="utf-8")
    assert page == diagrams.with_listings(page, paths), "run: python tools/diagrams.py"


def test_the_site_builds(tmp_path: Path) -> None:
    """Warnings of Sphinx are errors, all links lead somewhere, and versions are listed."""
    ran = subprocess.run(
        [sys.executable, ROOT / "tools" / "build_docs.py", tmp_path / "docs", "--jobs", "1"],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "WARNING" not in ran.stderr
    (version,) = json.loads((tmp_path / "docs" / "versions.json").read_text())
    assert {"index", "reference/teahouse", "start/players"} <= {*version["pages"]}
    search = (tmp_path / "docs" / version["name"] / "searchindex.js").read_text()
    assert "takeback" in search  # a word of several pages


def test_public_names_are_documented() -> None:
    assert not [*undocumented()]


def test_documents_import_what_the_reference_has() -> None:
    entries = [entry for entries in REFERENCE.values() for entry in entries]
    listed = {id(thing) for entry in entries for _, thing in documented(entry)}
    code = "\n".join(one.text for page in DOCUMENTS for one in blocks(page))
    for path, names in re.findall(r"^(?:>>> )?from (teahouse\S*) import (.+)$", code, re.M):
        for name in re.findall(r"(\w+)(?: as \w+)?", names):
            if f"{path}.{name}" in entries:
                continue
            thing = getattr(import_module(path), name)
            public = inspect.isclass(thing) or inspect.isfunction(thing)
            assert not public or id(thing) in listed, f"{path}.{name} is not in the reference"


def test_the_reference_lists_all_modules() -> None:
    page = (ROOT / "docs" / "reference" / "index.md").read_text()
    modules = [entry for entries in REFERENCE.values() for entry in entries if ":" not in entry]
    assert not [name for name in modules if f"`{name}`" not in page]


def test_the_reference_lists_all_commands_and_options() -> None:
    text = command_sections()
    for name in COMMANDS:
        assert f"\n## teahouse {name}" in text
    assert "\n## teahouse operator close-table\n" in text
    section = text[text.index("\n## teahouse analyse\n") : text.index("\n## teahouse review\n")]
    assert "| `GAME\\|FILE` | required |" in section
    assert "| `--position TEXT`, `-p TEXT` |  | position text; default:" in section
    assert "| `--best BEST` | `10` | number of moves to show |" in section
    assert "teahouse analyse game.txt --ply 12\n" in section


@pytest.fixture(scope="module")
def tutorial() -> list[Block]:
    return [*blocks(TUTORIAL)]


@pytest.fixture(scope="module")
def packages(tutorial: list[Block], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the game that the tutorial builds, installed."""
    files: dict[str, str] = {}
    for block in tutorial:
        if block.file:
            path = f"teahouse_domineering/{block.file}"
            files[path] = f"{files[path]}\n\n{block.text}" if path in files else block.text
    game = Distribution("teahouse_domineering", files, "domineering", "teahouse_domineering")
    return install(tmp_path_factory.mktemp("tutorial"), [game])


def test_the_tutorial_builds_a_game(tutorial: list[Block], packages: Path) -> None:
    (session,) = (
        block.text
        for block in tutorial
        if block.language == "python" and not block.file and not block.skipped
    )
    assert "3 . ^ . ." in run_python(session, path=packages)


def test_the_tutorials_game_passes_the_check(packages: Path) -> None:
    report = json.loads(run_python(MAIN, "check", "domineering", "--json", path=packages))
    assert report["tier"] == "playable"
    assert report["to_do"] == ["perft", "signature", "test positions"]
    found = {check["name"]: check["status"] for check in report["checks"]}
    assert found["planes"] == found["evaluation"] == found["rules page"] == "ok"


def test_the_tutorials_tests_pass(packages: Path) -> None:
    code = """if True:
        from teahouse_domineering import test_rules
        for name, test in vars(test_rules).items():
            if name.startswith("test_"):
                test()
                print(name)
    """
    assert run_python(code, path=packages).count("test_d") == 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)]+)\)", text):
        target, _, anchor = link.partition("#")
        if target.startswith(("https://", "piece:")):  # drawn by the rules page
            continue
        linked = page.parent / target if target else page
        assert linked.exists(), link
        assert not anchor or anchor in _anchors(linked), link


def test_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "terminal.md").read_text()
    missing = [name for name in COMMANDS if not re.search(rf"`(?:teahouse )?{name}\b", page)]
    assert not missing


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
