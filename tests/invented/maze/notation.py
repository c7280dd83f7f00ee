"""Doors by their numbers."""

from typing import Any


def move_text(board: Any, state: Any, move: int) -> str:
    return str(move)
