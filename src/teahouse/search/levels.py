"""The levels of a game's bots: what each does, and how strong it was measured to be.

Both are data in the game's folder, `bots.json`:

    search   settings of the search that differ from the usual ones
    levels   for each level its budget and how freely it chooses
    ladder   what matches between the levels have shown, written by `studies/ladder.py`

A game without the file gets the usual settings and levels.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from teahouse.core.errors import OptionError, quoted
from teahouse.search.settings import Settings

LEVELS = range(1, 9)


@dataclass(frozen=True)
class Level:
    """What a bot of a level does for a move."""

    simulations: int | None = None
    """Its budget; at least one for each legal move."""
    seconds: float | None = None
    """Its budget if it is not in simulations."""
    freedom: float = 0.0
    """How much expected score it gives away for variety: 0 plays what looks best."""


@dataclass(frozen=True)
class Rung:
    """How strong a level is."""

    level: int
    elo: float
    low: float
    """The lower end of the rating's 95 % interval,"""
    high: float
    """and its upper end."""
    seconds: float
    """What a move cost on average."""
    score: float | None
    """Against the level below."""
    games: int
    """In which that was found."""


USUAL = (
    Level(simulations=8, freedom=0.15),
    Level(simulations=32, freedom=0.08),
    Level(simulations=128, freedom=0.04),
    Level(simulations=500),
    Level(simulations=2_000),
    Level(simulations=8_000),
    Level(simulations=32_000),
    Level(seconds=1.0),
)


@dataclass(frozen=True)
class Profile:
    """How a game's bots think."""

    settings: Settings
    levels: tuple[Level, ...]
    ladder: dict[str, tuple[Rung, ...]]


@cache
def profile(game: str) -> Profile:
    """What a game's folder says about its bots."""
    file = resources.files(f"teahouse.games.{game}") / "bots.json"
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    levels = tuple(Level(**level) for level in data["levels"]) if "levels" in data else USUAL
    assert len(levels) == len(LEVELS)
    return Profile(
        Settings(**data.get("search", {})),
        levels,
        {
            options: tuple(Rung(**rung) for rung in rungs)
            for options, rungs in data.get("ladder", {}).items()
        },
    )


def ladder(game: str, options: str = "") -> tuple[Rung, ...]:
    """How strong each level of a game's bots is; empty if that was not measured.

    Options other than the game's usual ones are written as in `mode=3`.
    """
    return profile(game).ladder.get(options, ())


def checked_level(level: Any) -> int:
    """The level, if there is one."""
    if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
        raise OptionError(
            f"a level is a whole number from {LEVELS[0]} to {LEVELS[-1]}, not {quoted(level)}"
        )
    return level
