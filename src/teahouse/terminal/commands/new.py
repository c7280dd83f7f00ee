"""`teahouse new`."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

import teahouse as th
from teahouse.core.catalog import broken_games
from teahouse.core.packages import GROUP, name_error
from teahouse.terminal.commands.common import Json, print_json

EXAMPLES = "\n\n".join(
    ("Examples:", "teahouse new halma", "teahouse new halma --path ~/projects", "")
)
TEMPLATE = "teahouse.template"
TEMPLATE_TITLE = "Line Up"
RESERVED = ("game", "games", "teahouse", "template", "test", "tests")
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "teahouse-{dashed}"
version = "0.1.0"
description = "{title}, a game for Teahouse"
requires-python = ">=3.11"
dependencies = ["teahouse"]

[project.entry-points."{group}"]
{name} = "{package}"

[tool.hatch.build.targets.wheel]
packages = ["{package}"]
"""


def new(
    name: Annotated[str, typer.Argument(help="the new game's name, such as halma")],
    path: Annotated[
        Path | None,
        typer.Option(help="write a package of its own into this folder", file_okay=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a small working game to start from.

    In a source checkout of Teahouse the game becomes a folder of src/teahouse/games. Elsewhere, or
    with --path, it becomes a package of its own that can be installed.
    """
    _check_name(name)
    checkout = _checkout() if path is None else None
    if checkout:
        folder = checkout / "src" / "teahouse" / "games" / name
        files = game_files(name)
        next_steps = []
    else:
        folder = (path or Path.cwd()) / f"teahouse-{_dashed(name)}"
        files = package_files(name)
        next_steps = [f"pip install --editable {folder}"]
    _write(folder, files)
    next_steps += [f"teahouse play {name}", f"teahouse check {name}"]
    if as_json:
        written = {"game": name, "folder": str(folder), "files": sorted(files)}
        print_json({**written, "next": next_steps})
        return
    print(f"Wrote {folder}:")
    for file in sorted(files):
        print(f"  {file}")
    print("Next:")
    for step in next_steps:
        print(f"  {step}")


def game_files(name: str) -> dict[str, str]:
    """Return the files of the template's package with the new game's title."""
    title = name.replace("_", " ").title()
    return {
        file.name: file.read_text(encoding="utf-8").replace(TEMPLATE_TITLE, title)
        for file in resources.files(TEMPLATE).iterdir()
        if file.name.endswith(".py")
    }


def package_files(name: str) -> dict[str, str]:
    """Return the files of a distribution with the new game."""
    package = f"teahouse_{name}"
    title = name.replace("_", " ").title()
    pyproject = PYPROJECT.format(
        name=name, dashed=_dashed(name), title=title, package=package, group=GROUP
    )
    files = {f"{package}/{file}": text for file, text in game_files(name).items()}
    return {"pyproject.toml": pyproject, **files}


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _check_name(name: str) -> None:
    """Raise `OptionError` if a new game cannot have this name."""
    reason = name_error(name)
    if name in RESERVED or name.startswith("test_"):
        reason = f"{name!r} is reserved"
    elif name in th.games() or name in {broken.name for broken in broken_games()}:
        reason = f"there is a game {name!r} already"
    if reason:
        raise th.OptionError(f"Cannot create a game with the name {name[:60]!r}: {reason}.")


def _checkout() -> Path | None:
    """Return the source checkout that the current folder is in and this package runs from."""
    root = Path(th.__file__).resolve().parents[2]
    inside = Path.cwd().resolve().is_relative_to(root)
    return root if inside and (root / "src" / "teahouse" / "games").is_dir() else None


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write all files, or none."""
    if folder.exists():
        raise th.OptionError(f"{folder} exists already; nothing was written.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        for file, text in files.items():
            (temporary / file).parent.mkdir(parents=True, exist_ok=True)
            (temporary / file).write_text(text, encoding="utf-8")
        temporary.chmod(0o755)
        os.rename(temporary, folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
