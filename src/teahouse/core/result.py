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


def result_sentence(game: Game, winners: Sequence[int], reason: str = "") -> str:
    """Return who won and why as a sentence: "White wins: Black has no token left."."""
    names = " and ".join(game.players[player] for player in winners)
    result = f"{names} {'win' if len(winners) > 1 else 'wins'}" if winners else "Draw"
    return f"{result}: {reason}." if reason else f"{result}."
