"""Winning chances: the expected scores of a search, calibrated by the results of games.

A search averages over many lines, bad ones too, and over evaluations that are cautious. Its scores
stay closer to a draw than the results of games do. With the exponent `calibration` of `bots.json`,
which `studies/winning_chances.py` measures, chances are what bots of level 6 achieve.
"""

from __future__ import annotations

from collections.abc import Sequence

from teahouse.core.game import Game
from teahouse.search.levels import profile


def winning_chances(game: Game, scores: Sequence[float]) -> tuple[float, ...]:
    """Return the winning chance of each side from the expected scores; draws count in part."""
    return calibrated(scores, profile(game).calibration)


def calibrated(scores: Sequence[float], exponent: float) -> tuple[float, ...]:
    """Return scores raised to a power and scaled to add up to 1."""
    powers = [score**exponent for score in scores]
    total = sum(powers)
    return tuple(power / total for power in powers) if total else tuple(scores)
