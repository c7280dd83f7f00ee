"""The result of a game in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from teahouse.core.game import Game

UNFINISHED = "*"
DRAW = "draw"


def winners_text(game: Game, winners: Sequence[int]) -> str:
    """Return the result of a decided game in a record's notation: "White", "Red+Blue", "draw"."""
    return "+".join(game.players[player] for player in winners) or DRAW


def win_clause(names: Sequence[str]) -> str:
    """Return who won: "White wins" or "Red and Blue win"."""
    return f"{' and '.join(names)} {'win' if len(names) > 1 else 'wins'}"


def reason_sentence(reason: str) -> str | None:
    """Return the reason of a result as a sentence of its own, or None if there is none."""
    return f"{reason[0].upper()}{reason[1:]}." if reason else None


def result_sentence(game: Game, winners: Sequence[int], reason: str = "") -> str:
    """Return who won and why as a sentence: "White wins: Black has no token left."."""
    result = win_clause([game.players[player] for player in winners]) if winners else "Draw"
    return f"{result}: {reason}." if reason else f"{result}."
