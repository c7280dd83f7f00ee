"""What a bot thinks of a position, in words."""

from __future__ import annotations

from typing import Any

from teahouse.core.position import Position
from teahouse.server.bots import Bots
from teahouse.server.errors import Refused
from teahouse.server.snapshots import told

NO_ADVICE = Refused("busy", "the bot has no advice just now; try again")


async def advice(bots: Bots, position: Position) -> dict[str, Any]:
    """The best move with its sentence and steps, the likely line, and a value for every move."""
    if position.over:
        raise Refused("over", "the game is over: there is nothing to advise")
    found = await bots.hint(position)
    line = []
    following = position
    for move in found["line"]:
        line.append({"move": move, "says": told(following, move).describe})
        following = following.play(move)
    best = found["best"]
    return {
        "best": best,
        "steps": position.click_path(best),
        "says": position.describe(best),
        "value": found["value"],
        "line": line,
        "moves": found["moves"],
    }
