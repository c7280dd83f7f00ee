"""External games for tests: wheels built by hand, installed by pip into a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

MAIN = "from teahouse.terminal.commands import main; main()"


@dataclass(frozen=True)
class Distribution:
    """A distribution with one entry point."""

    name: str
    files: Mapping[str, str]
    game: str
    package: str

    def write_wheel(self, folder: Path) -> Path:
        """Write the distribution as a wheel."""
        info = f"{self.name}-1.0.dist-info"
        contents = {
            **self.files,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {self.name}\nVersion: 1.0\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/entry_points.txt": f"[teahouse.games]\n{self.game} = {self.package}\n",
        }
        record = "".join(f"{name},,\n" for name in [*contents, f"{info}/RECORD"])
        wheel = folder / f"{self.name}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, text in {**contents, f"{info}/RECORD": record}.items():
                archive.writestr(name, text)
        return wheel


def install(folder: Path, distributions: Iterable[Distribution]) -> Path:
    """Install distributions by pip, without a network; return the folder to import from."""
    wheels = [str(distribution.write_wheel(folder)) for distribution in distributions]
    target = folder / "packages"
    options = ("--no-index", "--no-deps", "--no-compile", "--quiet", "--target", str(target))
    command = [sys.executable, "-m", "pip", "install", *options, *wheels]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return target


def run_python(
    code: str, *arguments: str, path: Path, cwd: Path | None = None, compiled: bool = False
) -> str:
    """Run Python code with a folder of packages on its path; return what it prints."""
    result = attempt(code, *arguments, path=path, cwd=cwd, compiled=compiled)
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout


def attempt(
    code: str,
    *arguments: str,
    path: Path,
    cwd: Path | None = None,
    typed: str = "",
    compiled: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run Python code that may fail; kernels are interpreted unless `compiled`."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": str(path),
            "COLUMNS": "200",
            "TEAHOUSE_INTERPRETED": "" if compiled else "1",
        },
        cwd=cwd,
        input=typed,
        capture_output=True,
        text=True,
        timeout=300,
    )
