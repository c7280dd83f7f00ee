"""Parts that need an extra say the exact line to type without it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import teahouse as th
from teahouse.core.extras import PARTS_OF_HOUSE, install_command

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
sys.argv = ["teahouse", *{command!r}]
{code}
"""
GAME = th.games()[0]
ROOT = Path(__file__).parents[1]
RUN = "from teahouse.terminal.commands import main\nmain()"


@pytest.mark.parametrize(
    ("missing", "command", "code", "install"),
    [
        (["gymnasium"], (), "import teahouse.rl.gymnasium", "teahouse[rl]"),
        (["pettingzoo"], (), "import teahouse.rl.pettingzoo", "teahouse[rl]"),
        (["pyspiel"], (), "import teahouse.rl.openspiel", "teahouse[openspiel]"),
        (["httpx2"], (), "import teahouse.client", "teahouse[client]"),
        (["torch"], (), "import teahouse.learn.trainer", "teahouse[learn]"),
        (["fastapi"], ("serve",), RUN, "teahouse[server]"),
        (["sqlalchemy"], ("doctor",), RUN, "teahouse[server]"),
        (["torch"], ("train", GAME), RUN, "teahouse[learn]"),
        (["resvg_py"], ("draw", GAME, "board.png"), RUN, "teahouse[pictures]"),
        (["httpx2"], ("connect", "http://localhost"), RUN, "teahouse[client]"),
    ],
)
def test_a_missing_extra(
    missing: list[str], command: tuple[str, ...], code: str, install: str
) -> None:
    script = WITHOUT.format(missing=missing, command=command, code=code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == (2 if command else 1)
    assert f"pip install '{install}'" in done.stderr
    if command:
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("folder", "file", "text", "command"),
    [
        ("venv", "pyvenv.cfg", "home = /usr/bin\n", "pip install 'teahouse[server]'"),
        ("venv", "pyvenv.cfg", "uv = 0.9\n", "uv pip install 'teahouse[server]'"),
        ("tool", "uv-receipt.toml", "", "uv tool install 'teahouse[house]'"),
        ("archive-v0", "pyvenv.cfg", "uv = 0.9\n", "uvx --from 'teahouse[house]' teahouse serve"),
        ("pipx", "pipx_metadata.json", "{}", "pipx install --force 'teahouse[house]'"),
    ],
)
def test_the_command_fits_the_environment(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    folder: str,
    file: str,
    text: str,
    command: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["teahouse", "serve"])
    environment = tmp_path / folder
    environment.mkdir()
    (environment / file).write_text(text)
    assert install_command("server", prefix=str(environment)) == command


def test_the_parts_of_the_extra_for_all() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    parts, new = set[str](), {"house"}
    while new:
        parts |= new
        names = {it for name in new for it in extras[name] if it.startswith("teahouse[")}
        new = {part for it in names for part in it[len("teahouse[") : -1].split(",")}
    assert parts - {"house"} == PARTS_OF_HOUSE
