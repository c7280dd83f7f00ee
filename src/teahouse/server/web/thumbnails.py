"""Small boards: a position from the middle of a random game for each game, and any other."""

from __future__ import annotations

import base64
import logging
import random
from functools import cache
from typing import Any

from teahouse.core.catalog import load, load_untrusted
from teahouse.core.position import Position

SEED = 7
MIDDLE = 0.55  # of the game's length
MAX_PLIES = 2000  # an external game may not end

log = logging.getLogger("teahouse.server.web.thumbnails")


@cache
def thumbnail(name: str) -> str:
    """Return a position of a game as SVG, without hands and choices; "" if the game fails."""
    try:
        return _draw(name)
    except Exception:  # of an external game; the page shows the other games
        log.exception("The thumbnail of %s cannot be drawn", name)
        return ""


def _draw(name: str) -> str:
    return _svg(middle_position(name), f"{name}-")


def _svg(position: Position, prefix: str) -> str:
    return position.svg(page=True, tray=False, coordinates=False, prefix=prefix)


def small_board(request: dict[str, Any]) -> str:
    """Return the position of a request (`ipc.position_fields`) as SVG."""
    game = load_untrusted(request["game"], request["options"])
    position = Position(game, base64.b64decode(request["state"]), request["ply"])
    return _svg(position, request["prefix"])


def middle_position(name: str) -> Position:
    """Return the position in the middle of a random game."""
    rng = random.Random(SEED)  # noqa: S311
    positions = [load(name).start(SEED)]
    while not positions[-1].over and len(positions) <= MAX_PLIES:
        positions.append(positions[-1].play(rng.choice(positions[-1].legal)))
    return positions[int(MIDDLE * len(positions))]
