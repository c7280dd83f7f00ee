"""Find the package of a game: a folder of `teahouse.games`, or an entry point of another package.

A distribution adds a game by an entry point of the group `teahouse.games`, whose name is the
game's and whose value is the package that holds the game's modules.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from teahouse.core.errors import OptionError, listing, quoted

GROUP = "teahouse.games"
MAX_NAME_LENGTH = 32
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class BrokenGame:
    """A game that cannot be used."""

    name: str
    package: str
    reason: str

    @property
    def message(self) -> str:
        """Which game it is, and why it cannot be used, as a sentence."""
        return f"The game {self.name} ({self.package}) cannot be used: {self.reason}."


def name_error(name: str) -> str | None:
    """Return why a game cannot have this name, or None if it can."""
    if not _NAME.fullmatch(name):
        return "a game's name is lower-case letters, digits and _, and starts with a letter"
    if len(name) > MAX_NAME_LENGTH:
        return f"a game's name has at most {MAX_NAME_LENGTH} characters"
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        return f"{name!r} is a Python keyword"
    return None


def builtin_games() -> tuple[str, ...]:
    """Return the names of the games in this package, sorted.

    A folder that cannot be read raises `OSError`; with pkgutil it would have no games.
    """
    return _games_in(tuple(import_module(GROUP).__path__))


@cache
def _games_in(folders: tuple[str, ...]) -> tuple[str, ...]:
    entries = [entry for folder in folders for entry in Path(folder).iterdir()]
    return tuple(sorted(entry.name for entry in entries if (entry / "__init__.py").is_file()))


@cache
def external_packages() -> tuple[dict[str, str], tuple[BrokenGame, ...]]:
    """Return the packages of external games by name, and entry points that cannot be used.

    Nothing is imported: `catalog` checks the packages.
    """
    from importlib.metadata import entry_points  # takes a while to import

    taken = set(builtin_games())
    found: dict[str, str] = {}
    broken = []
    points = {(point.name, point.value) for point in entry_points(group=GROUP)}
    for name, package in sorted(points):
        reason = name_error(name)
        if name in taken:
            reason = "a built-in game has the same name"
        elif name in found:
            reason = f"the package {found[name]} has a game of the same name"
        elif not re.fullmatch(r"[\w.]+", package):
            reason = f"the entry point must name a package, not {quoted(package)}"
        if reason:
            broken.append(BrokenGame(name, package, reason))
        else:
            found[name] = package
    return found, tuple(broken)


@cache
def package_name(game: str) -> str:
    """Return the package that holds a game's modules; raise `OptionError` if there is none."""
    if game.isidentifier() and find_spec(f"{GROUP}.{game}"):
        return f"{GROUP}.{game}"
    external, _ = external_packages()
    if game not in external:
        known = listing(sorted((*builtin_games(), *external)))
        raise OptionError(f"Unknown game {quoted(game)}; games: {known}.")
    return external[game]


def game_module(game: str, part: str = "") -> ModuleType:
    """Import a game's package, or a module of it such as `rules`."""
    package = package_name(game)
    return import_module(f"{package}.{part}" if part else package)


def optional_module(game: str, part: str) -> ModuleType | None:
    """Import a module of a game's package, or return None if the game does not have it."""
    return game_module(game, part) if find_spec(f"{package_name(game)}.{part}") else None


def game_file(game: str, name: str) -> Traversable:
    """Return a file of a game's package, such as `rules.md`, which need not exist."""
    return resources.files(package_name(game)) / name


def game_text(game: str, name: str) -> str | None:
    """Return the text of a file of a game's package, or None if the game does not have it."""
    file = game_file(game, name)
    return file.read_text(encoding="utf-8") if file.is_file() else None
