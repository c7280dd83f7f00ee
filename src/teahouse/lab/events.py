"""Events of a game: which of its rules and pieces a move uses.

A game adds its own with `lab.py` in its folder:

    EVENTS = {"swap": "Tables swapped"}   # names and labels

    def events(position: Position, move: str) -> Iterable[str]: …

    def impossible(options: Mapping[str, Any]) -> Iterable[str]: …   # optional

Without it, events are the kinds of moves of its puzzles' themes, or the pieces that move.
"""

from __future__ import annotations

from collections.abc import Iterable

from teahouse.core.game import Game
from teahouse.core.packages import optional_module
from teahouse.core.position import Position
from teahouse.search.puzzles.themes import move_kinds, theme_label


def events(position: Position, move: str) -> Iterable[str]:
    """Return the names of the events of a move."""
    own = optional_module(position.game.name, "lab")
    found: Iterable[str] = own.events(position, move) if own else move_kinds(position, move)
    return found


def event_names(game: Game) -> tuple[str, ...]:
    """Return the names of all events of a game: those it declares, or its kinds of pieces.

    Events that the options rule out are left out.
    """
    own = optional_module(game.name, "lab")
    if own:
        impossible = getattr(own, "impossible", lambda options: ())
        ruled_out = set(impossible(game.all_options))
        return tuple(event for event in own.EVENTS if event not in ruled_out)
    themes = optional_module(game.name, "themes")
    if themes:
        return tuple(themes.THEMES)
    scene = game.start().scene
    pieces = [piece for spot in scene.spots for piece in spot.pieces]
    pieces += [hand.piece for hand in scene.hands]
    pieces += [piece for choice in scene.choices for piece in choice.pieces]
    return tuple(dict.fromkeys(piece.kind for piece in pieces))


def event_label(game: str, event: str) -> str:
    """Return the label of an event."""
    own = optional_module(game, "lab")
    return str(own.EVENTS[event]) if own and event in own.EVENTS else theme_label(game, event)
