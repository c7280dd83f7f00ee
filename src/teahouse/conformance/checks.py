"""A check of a game: its name, its tier, and how it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from teahouse.core.game import PLAYABLE, STUDIED, Game

__all__ = [
    "CHECKS",
    "PLAYABLE",
    "STUDIED",
    "Check",
    "CheckError",
    "Missing",
    "UsesDefault",
    "check",
    "require",
]


class CheckError(Exception):
    """A game fails a check; the message is a sentence with the place where it fails."""


class Missing(Exception):  # noqa: N818 - not an error of the game
    """A game lacks a file of a check's tier; the message is a sentence that says how to add it."""


class UsesDefault(Exception):  # noqa: N818 - not an error of the game
    """A game lacks a file that no tier needs; the message is a sentence on the default."""


@dataclass(frozen=True)
class Check:
    """A requirement on a game."""

    name: str
    tier: str
    requirement: str
    """A sentence."""
    run: Callable[[Game], None]
    """Raise `CheckError`, `Missing` or `UsesDefault`."""
    every_variant: bool
    """Whether the check runs for each set of options, or once with the defaults."""


CHECKS: dict[str, Check] = {}
"""All checks by name; the modules of this package fill it."""


def check(
    tier: str = PLAYABLE, *, every_variant: bool = True
) -> Callable[[Callable[[Game], None]], Callable[[Game], None]]:
    """Register a function as a check; its docstring is the requirement."""

    def register(function: Callable[[Game], None]) -> Callable[[Game], None]:
        name = function.__name__.replace("_", " ")
        requirement = (function.__doc__ or "").split("\n\n")[0].replace("\n    ", " ")
        CHECKS[name] = Check(name, tier, requirement, function, every_variant)
        return function

    return register


def require(condition: object, message: str) -> None:
    """Raise `CheckError` if a condition does not hold."""
    if not condition:
        raise CheckError(message)
