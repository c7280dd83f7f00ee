"""The code of the README and of the tutorial runs, and all links lead somewhere."""

import json
import re
from pathlib import Path

import pytest
from support.external import MAIN, Distribution, install, run_python

from teahouse.terminal.commands import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")]
FILE_BLOCK = re.compile(r"^(`{3,4})\w+ (\w+\.\w+)\n(.*?)^\1$", re.M | re.S)
SESSION_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = SESSION_BLOCK.findall((ROOT / "README.md").read_text())
    lines = [line for line in code.splitlines() if "cuda" not in line]
    small = "\n".join(lines)
    for shown, used in (
        ("1_000_000", "1_000"),
        ("seconds=1.0", "simulations=50"),
        ("seconds=60", "seconds=0.1"),
    ):
        assert shown in small
        small = small.replace(shown, used)
    exec(small, {})
    assert "1. wd4 *" in capsys.readouterr().out


@pytest.fixture(scope="module")
def tutorial() -> str:
    return (ROOT / "docs" / "adding-a-game.md").read_text()


@pytest.fixture(scope="module")
def packages(tutorial: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the game that the tutorial builds, installed."""
    files: dict[str, str] = {}
    for _, name, text in FILE_BLOCK.findall(tutorial):
        path = f"teahouse_domineering/{name}"
        files[path] = f"{files[path]}\n\n{text}" if path in files else text
    game = Distribution("teahouse_domineering", files, "domineering", "teahouse_domineering")
    return install(tmp_path_factory.mktemp("tutorial"), [game])


def test_the_tutorial_builds_a_game(tutorial: str, packages: Path) -> None:
    (session,) = SESSION_BLOCK.findall(tutorial)
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
