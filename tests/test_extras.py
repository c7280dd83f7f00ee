"""Parts that need an extra say the exact line to type without it."""

import subprocess
import sys
from pathlib import Path

import pytest

import teahouse as th
from teahouse.core.extras import install_command

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
        ("tool", "uv-receipt.toml", "", "uv tool install 'teahouse[server]'"),
        ("archive-v0", "pyvenv.cfg", "uv = 0.9\n", "uvx --from 'teahouse[server]' teahouse"),
        ("pipx", "pipx_metadata.json", "{}", "pipx install --force 'teahouse[server]'"),
    ],
)
def test_the_command_fits_the_environment(
    tmp_path: Path, folder: str, file: str, text: str, command: str
) -> None:
    environment = tmp_path / folder
    environment.mkdir()
    (environment / file).write_text(text)
    assert install_command("server", prefix=str(environment)) == command
