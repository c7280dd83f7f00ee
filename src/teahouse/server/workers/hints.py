"""Hints: an analysis of a position with its moves in words."""

from __future__ import annotations

from typing import Any

from teahouse.core.position import Position
from teahouse.server.tables.fair_play import FairPlay
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.pool import Flow, WorkerError


async def hint(bots: Bots, fair_play: FairPlay, position: Position, flow: Flow) -> dict[str, Any]:
    """Return the best move, the expected line, and the value of the best moves.

    Raise `ApiError` if the position is of a live game between people.
    """
    if position.over:
        raise ApiError("game_over", "The game is over; there is no move to suggest.")
    await fair_play.check([position], flow.address)
    try:
        return await bots.analyse(position, flow)
    except WorkerError:
        raise ApiError("busy", "No hint is available right now. Please try again.") from None
