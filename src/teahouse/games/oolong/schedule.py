"""Which of Oolong's moves GPU playouts collect: rare ones, of which token moves cost the most."""

from typing import Any

from teahouse.games.oolong.equipment import MOVE_GREEN

SERVING, MOVING_TOKEN, OTHER_ACTION = range(3)


def move_kind(board: Any, state: Any) -> int:
    """Return whether the next move serves, or which action it answers."""
    if state.pending == 0:
        return SERVING
    return MOVING_TOKEN if state.markers[state.pending - 1] <= MOVE_GREEN else OTHER_ACTION
