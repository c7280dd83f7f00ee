"""Install the wheel in a clean environment and use it as a first-time user would.

    python tools/try_wheel.py dist/teahouse-0.2.0-py3-none-any.whl

Without extras every command works or names the line to type; with [house] the server answers.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

INSTALL = "pip install 'teahouse[{}]'"
WORKS: tuple[tuple[tuple[str, ...], str], ...] = (  # arguments, what they print; GAME is a game
    (("--version",), "teahouse "),
    (("games",), "GAME"),
    (("rules", "GAME"), "## "),
    (("perft", "GAME", "1"), ""),
    (("playouts", "GAME", "1000"), "moves per game"),
    (("analyse", "GAME", "--simulations", "200"), "continuation"),
    (("puzzle", "GAME", "--json"), '"task"'),
    (("draw", "GAME", "board.svg"), ""),
)
NEEDS: tuple[tuple[tuple[str, ...], str], ...] = (  # arguments, the extra that they name
    (("serve",), "server"),
    (("doctor",), "server"),
    (("connect", "http://localhost"), "client"),
    (("draw", "GAME", "board.png"), "pictures"),
    (("train", "GAME"), "learn"),
    (("arena", "GAME", "network", "level1"), "learned"),
    (("arena", "GAME", "level1", "random", "--ray", "auto"), "ray"),
)
NAMES = """
import teahouse
from teahouse.search.networks import shipped_name

print(next(name for name in teahouse.games() if shipped_name(teahouse.load(name))))
"""


class Environment:
    """A virtual environment with the wheel, and a home folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=True)
        self.bin = folder / "venv" / "bin"
        self.variables: Mapping[str, str] = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def install(self, requirement: str) -> None:
        """Install a requirement, and say how large the environment is."""
        pip = [str(self.bin / "python"), "-m", "pip", "install", "--quiet", requirement]
        subprocess.run(pip, check=True, stderr=subprocess.DEVNULL)
        packages = [*(self.folder / "venv").glob("lib/*/site-packages/*.dist-info")]
        files = (path for path in (self.folder / "venv").rglob("*") if path.is_file())
        size = sum(path.stat().st_size for path in files)
        print(f"{Path(requirement).name}: {len(packages)} packages, {size / 1e6:.0f} MB")

    def run(self, arguments: Sequence[str], text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of the environment in its home folder."""
        command = [str(self.bin / arguments[0]), *arguments[1:]]
        return subprocess.run(
            command, cwd=self.folder, env=self.variables, input=text, capture_output=True, text=True
        )

    def expect(self, arguments: Sequence[str], output: str, code: int = 0, text: str = "") -> None:
        """Run a command; raise unless it ends with a code and its output has a text."""
        done = self.run(arguments, text)
        said = done.stdout + done.stderr
        if done.returncode != code or output not in said or "Traceback" in said:
            raise SystemExit(f"{' '.join(arguments)}: code {done.returncode}, expected {code} and "
                             f"{output!r}:\n{said}")  # fmt: skip
        print(f"ok  {' '.join(arguments)}")


def try_base(one: Environment) -> None:
    """Use the package without extras."""
    game = one.run(("python", "-c", NAMES)).stdout.strip()

    def words(arguments: Sequence[str]) -> list[str]:
        return [game if word == "GAME" else word for word in arguments]

    one.expect(("teahouse", "play", game), "Goodbye", text="?\nquit\n")
    for arguments, output in WORKS:
        one.expect(("teahouse", *words(arguments)), output.replace("GAME", game))
    for arguments, extra in NEEDS:
        one.expect(("python", "-m", "teahouse", *words(arguments)), INSTALL.format(extra), 2)


def try_house(one: Environment) -> None:
    """Start the server, ask for a page, stop it."""
    command = ["serve", "--no-browser", "--port", "0", "--database", "t.db"]
    server = subprocess.Popen(
        [str(one.bin / "teahouse"), *command],
        cwd=one.folder,
        env=one.variables,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        address = server.stdout.readline().split()[-1]
        for path in ("readyz", "", "api/games", "puzzles"):
            with urllib.request.urlopen(address + path, timeout=60) as answer:
                assert answer.status == 200
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    finally:
        server.kill()
    print(f"ok  teahouse serve at {address}")


if __name__ == "__main__":
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        environment = Environment(Path(name))
        environment.install(str(wheel))
        try_base(environment)
        environment.install(f"{wheel}[house]")
        try_house(environment)
