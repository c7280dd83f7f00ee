"""The levels of a game's bots: what each does, and how strong it was measured to be.

Both are data in the game's folder, `bots.json`:

    search   settings of the search that differ from the usual ones
    levels   for each level its budget and how freely it chooses
    ladder   what matches between the levels have shown, written by `studies/strength.py`

Levels and ladders are kept by the options they are for, such as `mode=3`; those of a game with
other options are under the empty name. A game without the file gets the usual settings and levels.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.search.mcts.params import Settings

LEVELS = range(1, 9)
Rows = TypeVar("Rows", "tuple[Level, ...]", "tuple[Rung, ...]")


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
    ladder: tuple[Rung, ...]
    """Empty if it was not measured."""


def profile(game: Game) -> Profile:
    """What a game's folder says about its bots."""
    settings, levels, ladders = _read(game.name)
    return Profile(settings, _of(game, levels, USUAL), _of(game, ladders, ()))


def ladder(game: Game) -> tuple[Rung, ...]:
    """How strong each level of a game's bots is; empty if that was not measured."""
    return profile(game).ladder


def _of(game: Game, table: dict[str, Rows], otherwise: Rows) -> Rows:
    """What a table has for the game's options, the most particular entry first."""
    own = {f"{name}={value}" for name, value in game.options.items()}
    fitting = [key for key in table if key == "" or own.issuperset(key.split(","))]
    return table[max(fitting, key=len)] if fitting else otherwise


@cache
def _read(game: str) -> tuple[Settings, dict[str, tuple[Level, ...]], dict[str, tuple[Rung, ...]]]:
    file = resources.files(f"teahouse.games.{game}") / "bots.json"
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    levels = {
        options: tuple(Level(**level) for level in rows)
        for options, rows in data.get("levels", {}).items()
    }
    assert all(len(rows) == len(LEVELS) for rows in levels.values())
    ladders = {
        options: tuple(Rung(**rung) for rung in rows)
        for options, rows in data.get("ladder", {}).items()
    }
    return Settings(**data.get("search", {})), levels, ladders


def checked_level(level: Any) -> int:
    """The level, if there is one."""
    if isinstance(level, bool) or not isinstance(level, int) or level not in LEVELS:
        raise OptionError(
            f"a level is a whole number from {LEVELS[0]} to {LEVELS[-1]}, not {quoted(level)}"
        )
    return level
