"""Events of a game: which of its rules and pieces a move uses.

A game adds its own with `lab.py` in its folder:

    EVENTS = {"swap": "Tables swapped"}   # names and labels

    def events(position: Position, move: str) -> Iterable[str]: …

Without it, events are the kinds of moves of its puzzles' themes, or the pieces that move.
"""

from __future__ import annotations

from collections.abc import Iterable

from teahouse.core.catalog import load
from teahouse.core.packages import optional_module
from teahouse.core.position import Position
from teahouse.search.puzzles.themes import move_kinds, theme_label


def events(position: Position, move: str) -> Iterable[str]:
    """Return the names of the events of a move."""
    own = optional_module(position.game.name, "lab")
    found: Iterable[str] = own.events(position, move) if own else move_kinds(position, move)
    return found


def event_names(game: str) -> tuple[str, ...]:
    """Return the names of all events of a game: those it declares, or its kinds of pieces."""
    own = optional_module(game, "lab")
    if own:
        return tuple(own.EVENTS)
    themes = optional_module(game, "themes")
    if themes:
        return tuple(themes.THEMES)
    scene = load(game).start().scene
    pieces = [piece for spot in scene.spots for piece in spot.pieces]
    pieces += [hand.piece for hand in scene.hands]
    pieces += [piece for choice in scene.choices for piece in choice.pieces]
    return tuple(dict.fromkeys(piece.kind for piece in pieces))


def event_label(game: str, event: str) -> str:
    """Return the label of an event."""
    own = optional_module(game, "lab")
    return str(own.EVENTS[event]) if own and event in own.EVENTS else theme_label(game, event)
