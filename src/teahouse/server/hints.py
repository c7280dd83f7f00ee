"""Hints: an analysis of a position with its moves in words."""

from __future__ import annotations

from typing import Any

from teahouse.core.position import Position
from teahouse.server.bots import Bots
from teahouse.server.errors import ApiError
from teahouse.server.worker_pool import Flow, WorkerError


async def hint(bots: Bots, position: Position, flow: Flow) -> dict[str, Any]:
    """Return the best move, the expected line, and the value of every move, best first."""
    if position.over:
        raise ApiError("game_over", "The game is over; there is no move to suggest.")
    try:
        analysis = await bots.analyse(position, flow)
    except WorkerError:
        raise ApiError("busy", "No hint is available right now. Please try again.") from None
    line = []
    following = position
    for move in analysis["line"]:
        description = following.describe(move, "imperative")
        line.append({"move": move, "player": following.player, "description": description})
        following = following.play(move)
    best = analysis["best"]
    return {
        "best": best,
        "click_path": position.click_path(best),
        "description": position.describe(best, "imperative"),
        "value": analysis["value"],
        "line": line,
        "moves": analysis["moves"],
    }
