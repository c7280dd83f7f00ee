"""Resolve arguments that name a game or an encoding."""

from typing import Any

import numpy as np

from teahouse.core import encoding
from teahouse.core.catalog import load
from teahouse.core.encoding import encoded_rules
from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.planes import ObservationSpec
from teahouse.core.validate import check_choice

__all__ = [
    "FLOAT32",
    "UINT8",
    "check_dtype",
    "encoded_rules",
    "max_values",
    "observation_spec",
    "resolve_game",
]

UINT8, FLOAT32 = "uint8", "float32"
"""Types of observations: counts as they are, or planes divided by their largest values."""


def observation_spec(game: str | Game, **options: object) -> ObservationSpec:
    """Return what the actions and planes of a game mean."""
    return encoding.observation_spec(resolve_game(game, options))


def resolve_game(game: str | Game, options: dict[str, object]) -> Game:
    """Return the game, loaded with the options if given by name."""
    if not isinstance(game, Game):
        return load(game, **options)
    if options:
        raise OptionError(
            f"Options can only be given with a game's name, got {quoted(options)} for {game!r}."
        )
    return game


def check_dtype(dtype: Any) -> str:
    """Return a type of observations, given by its name or as a NumPy type."""
    named = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", dtype)
    return check_choice("dtype", str(named), (UINT8, FLOAT32))


def max_values(spec: ObservationSpec) -> np.ndarray:
    """Return the largest value of each plane, float32."""
    return np.array([plane.max_value for plane in spec.planes], np.float32)
