"""Checks of arguments: return the value, or raise `OptionError` naming what is allowed."""

from typing import Any, TypeVar

import numpy as np

from teahouse.core.errors import OptionError, quoted
from teahouse.core.random import SEED_LIMIT

T = TypeVar("T")


def check_type(name: str, value: Any, allowed: type[T], example: str) -> T:
    """Return an argument of a type; the example says where such values come from."""
    if not isinstance(value, allowed):
        raise OptionError(f"{name} must be a {allowed.__name__} ({example}), got {quoted(value)}.")
    return value


def check_int(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return an integer argument from `low` to `high`, or at least `low` if `high` is None."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or value < low
        or (high is not None and value > high)
    ):
        allowed = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise OptionError(f"{name} must be an integer {allowed}, got {quoted(value)}.")
    return int(value)


def check_bool(name: str, value: Any) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} must be True or False, got {quoted(value)}.")
    return bool(value)


def check_seed(seed: Any) -> int:
    """Return a seed."""
    return check_int("seed", seed, 0, SEED_LIMIT - 1)


def check_positive(name: str, value: Any, high: float | None = None) -> float:
    """Return a number above 0 and not above `high`."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not value > 0
        or (high is not None and value > high)
    ):
        allowed = "above 0" if high is None else f"above 0 and at most {high}"
        raise OptionError(f"{name} must be a number {allowed}, got {quoted(value)}.")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of the named choices."""
    if value not in choices:
        raise OptionError(f"{name} must be one of {', '.join(choices)}, got {quoted(value)}.")
    return str(value)
