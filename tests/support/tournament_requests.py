"""Requests for tournaments."""

from __future__ import annotations

import time
from typing import Any

import teahouse as th
from support.small_games import small

GAME = next(name for name in th.games() if len(th.load(name).players) == 2)


def new_tournament(**more: Any) -> dict[str, Any]:
    """Return the body of a request for a tournament that starts at once."""
    return {
        "name": "Cup",
        "game": GAME,
        "options": small(GAME),
        "time_control": {"kind": "realtime", "seconds": 600},
        "format": {"kind": "round_robin"},
        "starts_at": time.time(),
        **more,
    }
