"""Positions on their way to another process."""

from __future__ import annotations

import base64
from typing import Any

from teahouse.core.position import Position


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Options as text, as those from outside are; None stands for the default."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in options.items()
        if value is not None
    }


def packed(position: Position) -> dict[str, Any]:
    """A position as a part of a question."""
    return {
        "game": position.game.name,
        "options": option_texts(position.game.options),
        "state": base64.b64encode(position.state).decode(),
        "ply": position.ply,
    }
