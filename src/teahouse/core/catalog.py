"""The games of the house, found by looking into `teahouse.games`."""

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from teahouse.core.errors import OptionError, listing, quoted
from teahouse.core.game import Game, game_info
from teahouse.core.options import TextOption


def games() -> list[str]:
    """The names of all games."""
    folders = import_module("teahouse.games").__path__
    return sorted(module.name for module in iter_modules(folders) if module.ispkg)


def load(name: str, /, **options: Any) -> Game:
    """The game of this name with these options, defaults filled in."""
    if name not in games():
        raise OptionError(f"there is no game {quoted(name)}; the games are {listing(games())}")
    return _unique(Game(name, options))


def load_foreign(name: str, options: Mapping[str, str]) -> Game:
    """The same for text from outside, where no option may make us read a file."""
    declared = game_info(name).options if name in games() else {}
    for option, kind in declared.items():
        text = options.get(option, "\n")
        if (
            isinstance(kind, TextOption)
            and kind.files
            and text not in kind.examples
            and "\n" not in text
        ):
            raise OptionError(f"{name}: {option} must be written out here, not named by a file")
    return load(name, **options)


@lru_cache(maxsize=256)
def _unique(game: Game) -> Game:
    """The first of all equal games, so that what it has worked out is not worked out again."""
    return game
