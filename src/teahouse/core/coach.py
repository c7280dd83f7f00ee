"""The coach of a first game: what a player may do, and why the last moves mattered.

A game's `coach.py` may define the functions of `Coach`; without it the coach repeats moves in
words and what the board asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from teahouse.core.packages import optional_module
from teahouse.core.position import Position


class Coach(Protocol):
    """A game's `coach.py`. Texts are sentences for a beginner; `viewer` is the player they are."""

    def advise(self, position: Position) -> str:
        """Return what the player to move, who is the viewer, may do and should look at."""

    def remark(self, position: Position, move: str, viewer: int) -> str:
        """Return why a move mattered, or an empty text if it changed little."""


@dataclass(frozen=True)
class Coaching:
    """Texts of the coach before a player's turn, or after the game."""

    remarks: tuple[str, ...]
    """On the moves since the player's last turn, that turn included."""
    advice: str
    """Empty if it is not the player's turn."""


def coach(position: Position, moves: Sequence[str], viewer: int) -> Coaching:
    """Return remarks on the moves from a position, and advice for the turn after them.

    Raise `IllegalMove` if a move is illegal.
    """
    own = optional_module(position.game.name, "coach")
    remarks = []
    for move in map(str, moves):
        exact = position.exact(move)
        if own is None:
            remarks.append(f"{position.describe(exact)}.")
        else:
            remarks.append(own.remark(position, exact, viewer))
        position = position.play(exact)
    advice = ""
    if not position.over and position.player == viewer:
        advice = position.scene.prompt if own is None else own.advise(position)
    return Coaching(tuple(filter(None, remarks)), advice)
