"""Which of Toot's moves GPU playouts collect: tiles cost many times as much as steps and jumps."""

from typing import Any

from teahouse.games.toot.movegen import FIRST

WALKING, PLACING, RELOCATING = range(3)


def move_kind(board: Any, state: Any) -> int:
    """Return what the next move is at most: a step or jump, a tile from the hand, or any tile."""
    player = int(state.player)
    if state.phase != FIRST:
        return WALKING
    if state.tiles_in_hand[player]:
        return PLACING
    relocates = state.captured[player] > 0 or state.sacrificed[player] == 0
    return RELOCATING if relocates else WALKING
