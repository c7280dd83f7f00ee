"""Bounded attacks on a server, for `benchmarks/abuse.py`.

An attack is a coroutine function of one `Target`, registered by `@attack`. It runs once for each
attacking address until it returns or is cancelled. Each module here is one kind of attack.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from attacks.target import Target


@dataclass(frozen=True)
class Attack:
    """An attack and how to run it."""

    name: str
    description: str
    run: Callable[[Target], Awaitable[None]]
    descriptors: int | None
    """The limit of open files that the server is started with."""


ATTACKS: dict[str, Attack] = {}


def attack(
    *, descriptors: int | None = None
) -> Callable[[Callable[[Target], Awaitable[None]]], Callable[[Target], Awaitable[None]]]:
    """Register a coroutine function as an attack, named after it."""

    def register(run: Callable[[Target], Awaitable[None]]) -> Callable[[Target], Awaitable[None]]:
        name = run.__name__.replace("_", "-")
        description = (run.__doc__ or "").strip().split("\n")[0]
        ATTACKS[name] = Attack(name, description, run, descriptors)
        return run

    return register


def load_attacks() -> dict[str, Attack]:
    """Import every module of this package and return all attacks by name."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return ATTACKS
