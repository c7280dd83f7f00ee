"""Bots of local games: their kernels are compiled in the background while people play."""

from __future__ import annotations

import atexit
from functools import cache

from teahouse.search.prepare import Preparation, kernels_ready
from teahouse.session.state import GameSession


def prepare_bots(session: GameSession) -> None:
    """Start to compile what the bots of a game need, unless they are ready."""
    if not _ready(session):
        _preparation().add(session.game, first=True)


def preparation_notice(session: GameSession) -> str:
    """Return how far the bots of a game are prepared; empty if they are ready."""
    if _ready(session) or _preparation().error(session.game):
        return ""
    percent = int(100 * _preparation().fraction(session.game))
    return f"Preparing the computer player, first time only: {percent} %"


def _ready(session: GameSession) -> bool:
    levels = {seat.level for seat in session.seats if seat.level is not None}
    return all(kernels_ready(session.game, level) for level in levels)


@cache
def _preparation() -> Preparation:
    """Return the preparation of this process, which ends with it."""
    preparation = Preparation()
    atexit.register(preparation.close)
    return preparation
