"""What shells complete: games, their options, seats, players and themes.

While an option waits for its value the parser has read no other parameter, so the game is looked
up in the words that the shell passes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import teahouse as th
from teahouse.core.game import game_info
from teahouse.core.options import option_text
from teahouse.search.levels import LEVEL_NAMES, LEVELS

VARIABLE = "_TEAHOUSE_COMPLETE"
LEVEL_TEXTS = tuple(f"level{level}" for level in LEVELS)
PLAYERS = (*LEVEL_TEXTS, "greedy", "network", "random", "search:seconds=", "uct:simulations=")
STARTED = ("python:", "ugi:")  # a file or a program follows


def words() -> list[str]:
    """Return the words of the line that is being completed, after the command's name."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    return line.split()[1:]


def completing() -> bool:
    """Return whether a shell asks for completions."""
    return VARIABLE in os.environ


def _game() -> str | None:
    return next((word.lower() for word in words() if word.lower() in th.games()), None)


def _matching(texts: Iterable[str], incomplete: str) -> list[str]:
    return [text for text in texts if text.lower().startswith(incomplete.lower())]


def one_of(*texts: str) -> Callable[[str], list[str]]:
    """Return a completion of fixed texts."""

    def complete(incomplete: str) -> list[str]:
        return _matching(texts, incomplete)

    return complete


def game_names(incomplete: str) -> list[str]:
    """Complete the name of a game."""
    return _matching(th.games(), incomplete)


def option_texts(incomplete: str) -> list[str]:
    """Complete NAME=VALUE of the game's options."""
    game = _game()
    declared = game_info(game).options if game else {}
    texts = [
        f"{option}={option_text(value)}"
        for option, kind in declared.items()
        for value in kind.examples
    ]
    return _matching((text for text in texts if "\n" not in text), incomplete)


def seat_texts(incomplete: str) -> list[str]:
    """Complete SEAT=WHO: first the seat, then who plays it."""
    game = _game()
    seats = [seat.lower() for seat in th.load(game).players] if game else []
    seat, sign, _ = incomplete.partition("=")
    if not sign:
        return _matching((f"{one}=" for one in seats), incomplete)
    players = ("human", "bot", *LEVEL_TEXTS, *map(str.lower, LEVEL_NAMES), "ugi:")
    return _matching((f"{seat}={player}" for player in players), incomplete)


def player_texts(incomplete: str) -> list[str]:
    """Complete a player of the arena."""
    return _matching((*PLAYERS, *STARTED), incomplete)


def puzzle_themes(incomplete: str) -> list[str]:
    """Complete a theme of the game's puzzles, or of all puzzles."""
    game = _game()
    games = [game] if game else th.games()
    themes = {theme for name in games for puzzle in th.puzzles(name) for theme in puzzle.themes}
    return _matching(sorted(themes), incomplete)
