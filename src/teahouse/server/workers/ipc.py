"""Positions as JSON for worker processes."""

from __future__ import annotations

import base64
from typing import Any

from teahouse.core.options import option_texts
from teahouse.core.position import Position


def position_fields(position: Position) -> dict[str, Any]:
    """Return the fields of a request that describe a position."""
    return {
        "game": position.game.name,
        "options": option_texts(position.game.options),
        "state": base64.b64encode(position.state).decode(),
        "ply": position.ply,
    }
