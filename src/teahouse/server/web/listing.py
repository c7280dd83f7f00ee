"""The games with their options and bot levels, as clients get them."""

from __future__ import annotations

from typing import Any

from teahouse.core.catalog import games, load
from teahouse.core.game import Game, game_info
from teahouse.core.options import (
    BoolOption,
    ChoiceOption,
    IntOption,
    Option,
    option_label,
    option_text,
)
from teahouse.search.levels import LEVEL_NAMES, LEVELS, level_ratings, level_text
from teahouse.server.ratings.pools import pool_of

OPTION_KINDS = {IntOption: "int", BoolOption: "bool", ChoiceOption: "choice"}
RATING_FIELDS = ("elo", "low", "high", "seconds")


def list_games() -> list[dict[str, Any]]:
    """Return every game with its options and bot levels."""
    return [_game(name) for name in games()]


def list_levels(game: Game) -> list[dict[str, Any]]:
    """Return every bot level, with its rating where one was measured.

    Rated games against it are possible if it is `rateable`.
    """
    pool = pool_of(game)
    rated = {rating.level: rating for rating in level_ratings(game)}
    return [
        {
            "level": level,
            "name": LEVEL_NAMES[level - 1],
            "label": level_text(level, game),
            "rateable": pool is not None and pool.level(level) is not None,
            **({name: getattr(rated[level], name) for name in RATING_FIELDS if level in rated}),
        }
        for level in LEVELS
    ]


def _game(name: str) -> dict[str, Any]:
    game = load(name)
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "players": game.players,
        "teams": game.teams,
        "options": [_option(option, kind) for option, kind in game_info(name).options.items()],
        "levels": list_levels(game),
    }


def _option(name: str, option: Option) -> dict[str, Any]:
    kind = next((kind for type_, kind in OPTION_KINDS.items() if isinstance(option, type_)), "text")
    return {
        "name": name,
        "kind": kind,
        "default": option.default,
        "min": getattr(option, "low", None),
        "max": getattr(option, "high", None),
        "choices": [option_text(name) for name in getattr(option, "names", ())] or None,
        "choice_labels": getattr(option, "choice_labels", None) or None,
        "multiline": getattr(option, "files", False),
        "examples": list(option.examples) if kind == "text" else None,
        "label": option_label(name, option),
        "help": option.help,
        "allowed": option.allowed,
        "house_rule": option.house_rule,
    }
