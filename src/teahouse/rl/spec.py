"""A game as learners know it: its view, and its rules and planes in one module of kernels."""

from functools import cache
from importlib import import_module
from types import ModuleType

from teahouse.core.catalog import load
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.planes import View
from teahouse.rl import kernels

KERNELS = ("action", "move", "see", "mark")


def loaded(game: str | Game, options: dict[str, object]) -> Game:
    """The game that was given, or the one of this name with these options."""
    if not isinstance(game, Game):
        return load(game, **options)
    if options:
        raise OptionError(f"{game!r} has its options already; {quoted(options)} came with it")
    return game


@cache
def view_of(game: Game) -> View:
    """What learners are told of the game."""
    view: View = import_module(f"teahouse.games.{game.name}.planes").view(game.options)
    return view


@cache
def kernels_of(name: str, rules: ModuleType) -> ModuleType:
    """The kernels of a game's rules, and those of its planes."""
    planes = import_module(f"teahouse.games.{name}.planes")
    both = ModuleType(f"teahouse.games.{name}.planes")
    vars(both).update(
        {
            **{name: vars(rules)[name] for name in ("start", "legal", "play", "winners")},
            "mark": kernels.mark,
            **{name: vars(planes)[name] for name in KERNELS if name in vars(planes)},
        }
    )
    return both
