"""The games that can be played, and `load`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from teahouse.core.contract import contract_error, module_error
from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import MAX_GAMES, Game, game_info
from teahouse.core.options import TextOption
from teahouse.core.packages import (
    BrokenGame,
    builtin_games,
    external_packages,
    package_name,
)


def games() -> list[str]:
    """Return the names of all games that fulfil the contract; `broken_games` has the others."""
    working, _ = _listed()
    return sorted(working)


def broken_games() -> tuple[BrokenGame, ...]:
    """Return the games that cannot be used, each with the reason."""
    _, broken = _listed()
    return broken


def exact_name(name: str) -> str:
    """Return the name of a game, given in any case; raise `OptionError` if it cannot be loaded."""
    exact = name.lower() if isinstance(name, str) else ""
    if not _loadable(exact):
        raise OptionError(_unknown(exact or name))
    return exact


def load(name: str, /, **options: Any) -> Game:
    """Return a game with these options, defaults filled in.

    The name may be in any case. Raise `OptionError` if there is no such game, or if an option is
    unknown or not allowed.
    """
    return _unique(Game(exact_name(name), options))


def as_game(game: str | Game) -> Game:
    """Return a game that is given itself or by its name, then with default options."""
    return game if isinstance(game, Game) else load(game)


def load_untrusted(name: str, options: Mapping[str, str]) -> Game:
    """Load a game with options from outside, of which none may name a file to read."""
    name = exact_name(name)
    for option, kind in game_info(name).options.items():
        if option in options and isinstance(kind, TextOption) and kind.is_path(options[option]):
            raise OptionError(f"{name}: {option} must be {kind.allowed}; no files are read here.")
    return load(name, **options)


def _unknown(name: str) -> str:
    for broken in broken_games():
        if broken.name == name:
            return broken.message
    return f"Unknown game {quoted(name)}; games: {listing(games())}."


@cache
def _listed() -> tuple[frozenset[str], tuple[BrokenGame, ...]]:
    """Return the games that can be used, and all others."""
    external, broken = external_packages()
    errors = {name: contract_error(name) for name in (*builtin_games(), *external)}
    unusable = (
        BrokenGame(name, package_name(name), error) for name, error in errors.items() if error
    )
    working = frozenset(name for name, error in errors.items() if not error)
    return working, (*broken, *unusable)


def _loadable(name: str) -> bool:
    """Return whether a game can be loaded.

    Built-in games pass the conformance suite, so of these only the modules are imported: other
    games are not waited for, and one that is being written raises its own exceptions.
    """
    return _importable(name) if name in builtin_games() else name in _listed()[0]


@cache
def _importable(builtin: str) -> bool:
    """Return whether the modules of a built-in game can be imported."""
    return module_error(builtin) is None


@lru_cache(maxsize=MAX_GAMES)
def _unique(game: Game) -> Game:
    """Return the first of all equal games, so that its tables are computed once."""
    return game
