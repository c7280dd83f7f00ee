"""GPU playouts of Fillit do not wait for the longest game: lengths differ much."""

from typing import Any


def move_kind(board: Any, state: Any) -> int:
    """Return 0: all moves cost about the same."""
    return 0
