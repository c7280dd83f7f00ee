"""The games of the house, found by looking into `teahouse.games`."""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import Game


def games() -> list[str]:
    """The names of all games."""
    folders = import_module("teahouse.games").__path__
    return sorted(module.name for module in iter_modules(folders) if module.ispkg)


def load(name: str, **options: Any) -> Game:
    """The game of this name with these options, defaults filled in."""
    if name not in games():
        raise OptionError(f"there is no game {quoted(name)}; the games are {listing(games())}")
    return _unique(Game(name, options))


@lru_cache(maxsize=256)
def _unique(game: Game) -> Game:
    """The first of all equal games, so that what it has worked out is not worked out again."""
    return game
