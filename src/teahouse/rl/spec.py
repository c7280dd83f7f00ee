"""The observation spec of a game, and its rules and encoding as one module of kernels."""

from functools import cache
from types import ModuleType

from teahouse.core.catalog import load
from teahouse.core.defaults.planes import default_kernels, default_spec
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.packages import optional_module, package_name
from teahouse.core.planes import ObservationSpec
from teahouse.rl import kernels

RULES_KERNELS = ("start", "legal", "play", "winners")
ENCODING_KERNELS = ("action", "move", "observe", "legal_mask")


def resolve_game(game: str | Game, options: dict[str, object]) -> Game:
    """Return the game, loaded with the options if given by name."""
    if not isinstance(game, Game):
        return load(game, **options)
    if options:
        raise OptionError(
            f"Options can only be given with a game's name, got {quoted(options)} for {game!r}."
        )
    return game


@cache
def observation_spec(game: Game) -> ObservationSpec:
    """Return the spec of a game's `planes.py`, or the default one."""
    planes = optional_module(game.name, "planes")
    spec: ObservationSpec = planes.observation_spec(game.options) if planes else default_spec(game)
    return spec


def encoded_rules(game: Game) -> ModuleType:
    """Return the kernels of a game's rules and of its encoding in one module."""
    planes = optional_module(game.name, "planes") or default_kernels(game.layout.state)
    return _merge(game.name, game.rules, planes)


@cache
def _merge(name: str, rules: ModuleType, planes: ModuleType) -> ModuleType:
    module = ModuleType(f"{package_name(name)}.planes")
    vars(module).update(
        {
            **{kernel: vars(rules)[kernel] for kernel in RULES_KERNELS},
            "legal_mask": kernels.legal_mask,
            **{k: vars(planes)[k] for k in ENCODING_KERNELS if k in vars(planes)},
        }
    )
    return module
