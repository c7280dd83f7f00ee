"""Sides and outcomes of a game in the records of a search."""

from __future__ import annotations

from typing import Any

from teahouse.core.game import Game


def set_sides(run: Any, game: Game) -> None:
    """Set the fields of a run that tell sides and outcomes from players."""
    run.sides = len(game.teams)
    outcomes = [1 << len(game.teams)] + [0] * ((1 << len(game.players)) - 1)
    for side, players in enumerate(game.teams):
        for player in players:
            run.side_of[player] = side
            for winners in range(1, len(outcomes)):
                outcomes[winners] |= (winners >> player & 1) << side
    run.outcome_of[: len(outcomes)] = outcomes
