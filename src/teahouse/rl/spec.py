"""A game as learners know it: its view, and its rules and planes in one module of kernels."""

from functools import cache
from types import ModuleType

from teahouse.core.catalog import load
from teahouse.core.defaults.planes import default_kernels, default_view
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.packages import optional_module, package_name
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
    """Return the view of a game's `planes.py`, or the default one."""
    planes = optional_module(game.name, "planes")
    view: View = planes.view(game.options) if planes else default_view(game)
    return view


def kernels_of(game: Game) -> ModuleType:
    """Return the kernels of a game's rules and of its planes in one module."""
    planes = optional_module(game.name, "planes") or default_kernels(game.layout.state)
    return _combined(game.name, game.rules, planes)


@cache
def _combined(name: str, rules: ModuleType, planes: ModuleType) -> ModuleType:
    module = ModuleType(f"{package_name(name)}.planes")
    vars(module).update(
        {
            **{kernel: vars(rules)[kernel] for kernel in ("start", "legal", "play", "winners")},
            "mark": kernels.mark,
            **{kernel: vars(planes)[kernel] for kernel in KERNELS if kernel in vars(planes)},
        }
    )
    return module
