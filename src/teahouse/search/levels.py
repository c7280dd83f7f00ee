"""Levels of a game's bots: the budget of each and its measured rating.

Both are data in the game's folder, `bots.json`:

    search   search parameters that differ from the defaults
    network  parameters of the search with a network that differ from the defaults
    levels   for each level its budget and temperature
    ratings  for each level its rating, written by `studies/levels.py`
    calibration  exponent of winning chances, written by `studies/winning_chances.py`

Keys of the last three are option values such as `mode=3`; the empty key is for all other options. A
game without the file gets the default parameters and levels, and no ratings.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game, house_rules
from teahouse.core.options import most_specific
from teahouse.core.packages import game_text
from teahouse.core.validate import check_int
from teahouse.search.mcts.params import SearchParams
from teahouse.search.networks import has_network
from teahouse.search.puct.params import PuctParams

log = logging.getLogger("teahouse.search.levels")

LEVELS = range(1, 9)
LEVEL_NAMES = (
    *("Beginner", "Casual", "Regular", "Club"),
    *("Skilled", "Advanced", "Expert", "Master"),
)
_BOT_NAME = re.compile(r"(?:bot, )?level ?([1-8])", re.ASCII | re.IGNORECASE)
ENGINES = ("search", "network")


def check_engine(engine: Any) -> str:
    """Return the engine's name; raise `OptionError` if there is none of that name."""
    if engine not in ENGINES:
        raise OptionError(f"Unknown engine {quoted(engine)}; engines: {', '.join(ENGINES)}.")
    return str(engine)


@dataclass(frozen=True)
class Level:
    """Budget and temperature of a level's bot."""

    simulations: int | None = None
    """Simulations per move; raised to the number of legal moves if that is larger."""
    seconds: float | None = None
    """Seconds per move, if the budget is not in simulations."""
    temperature: float = 0.0
    """Softmax temperature of the choice between moves by value; 0 plays the best move."""
    engine: str = "search"
    """What chooses the moves, one of `ENGINES`; without a network, `network` means `search`."""

    def __post_init__(self) -> None:
        check_engine(self.engine)


@dataclass(frozen=True)
class LevelRating:
    """Measured strength of a level."""

    level: int
    elo: float
    low: float
    """Lower bound of the rating's 95 % interval."""
    high: float
    """Upper bound of the rating's 95 % interval."""
    seconds: float
    """Mean time per move."""
    score: float | None
    """Score against the level below; None for the lowest level."""
    games: int
    """Games against the level below."""


DEFAULT_LEVELS = (
    Level(simulations=8, temperature=0.15),
    Level(simulations=32, temperature=0.08),
    Level(simulations=128, temperature=0.04),
    Level(simulations=500),
    Level(simulations=2_000),
    Level(simulations=8_000),
    Level(simulations=32_000),
    Level(seconds=1.0),
)

Entry = TypeVar("Entry", tuple[Level, ...], tuple[LevelRating, ...], float)
_Tables = tuple[
    SearchParams,
    PuctParams,
    dict[str, tuple[Level, ...]],
    dict[str, tuple[LevelRating, ...]],
    dict[str, float],
]


@dataclass(frozen=True)
class Profile:
    """Search parameters, levels and ratings of a game's bots."""

    params: SearchParams
    puct: PuctParams
    levels: tuple[Level, ...]
    ratings: tuple[LevelRating, ...]
    """Empty if not measured."""
    calibration: float = 1.0
    """Exponent that turns expected scores of searches into winning chances; 1 if not measured."""


def profile(game: Game) -> Profile:
    """Return the bots' profile for a game with its options."""
    params, puct, levels, ratings, calibration = _read(game.name)
    return Profile(
        params,
        puct,
        _entry(game, levels, DEFAULT_LEVELS),
        _entry(game, ratings, (), house_rules(game)),
        _entry(game, calibration, 1.0),
    )


def level_ratings(game: Game) -> tuple[LevelRating, ...]:
    """Return the rating of each level; empty if not measured."""
    return profile(game).ratings


def measured_options(game: str) -> tuple[str, ...]:
    """Return the options for which a game's levels were measured; "" for the default ones."""
    return tuple(_read(game)[3])


def _entry(
    game: Game,
    table: dict[str, Entry],
    default: Entry,
    required: Mapping[str, Any] | None = None,
) -> Entry:
    """Return the table's most specific entry that matches the game's options.

    Its key has to name the `required` ones.
    """
    key = most_specific(game.options, table, required)
    return default if key is None else table[key]


@cache
def _read(game: str) -> _Tables:
    """Read a game's `bots.json`; empty tables if there is none, or if it is invalid."""
    try:
        return parse_bots(game_text(game, "bots.json") or "{}")
    except (AttributeError, TypeError, ValueError) as error:
        log.warning("bots.json of %s is invalid, default levels are used: %s", game, error)
        return parse_bots("{}")


def parse_bots(text: str) -> _Tables:
    """Parse a `bots.json`: parameters of both searches; levels, ratings, calibration by options."""
    data: dict[str, Any] = json.loads(text)
    levels = {
        options: tuple(Level(**level) for level in entries)
        for options, entries in data.get("levels", {}).items()
    }
    if any(len(entries) != len(LEVELS) for entries in levels.values()):
        raise ValueError(f"each entry of levels needs {len(LEVELS)} levels")
    ratings = {
        options: tuple(LevelRating(**rating) for rating in entries)
        for options, entries in data.get("ratings", {}).items()
    }
    params, puct = SearchParams(**data.get("search", {})), PuctParams(**data.get("network", {}))
    calibration = {options: float(value) for options, value in data.get("calibration", {}).items()}
    return params, puct, levels, ratings, calibration


def level_text(level: int, game: Game | None = None) -> str:
    """Return the display name of a level, with its rating in a game and its engine."""
    text = f"Level {level} · {LEVEL_NAMES[level - 1]}"
    if game is None:
        return text
    details = [f"rating {one.elo:.0f}" for one in level_ratings(game) if one.level == level]
    if uses_network(game, level):
        details.append("neural network")
    return f"{text} ({', '.join(details)})" if details else text


def level_near(game: Game, rating: float) -> str:
    """Return the display name of the level with the nearest rating; empty if none is rated."""
    rated = level_ratings(game)
    if not rated:
        return ""
    return level_text(min(rated, key=lambda one: abs(one.elo - rating)).level)


def uses_network(game: Game, level: int) -> bool:
    """Return whether the bot of a level plays with a network, if one is available."""
    return profile(game).levels[level - 1].engine == "network" and has_network(game)


def player_text(name: str) -> str:
    """Return the display name of a player of a record or match: a bot by its level's name."""
    level = level_of_bot(name)
    return name if level is None else level_text(level)


def level_of_bot(name: str) -> int | None:
    """Return the level of the bot that a record names, or None if it is no bot's name."""
    match = _BOT_NAME.fullmatch(name)
    return int(match[1]) if match else None


def check_level(level: Any) -> int:
    """Return the level; raise `OptionError` if there is none of that number."""
    return check_int("level", level, LEVELS[0], LEVELS[-1])
