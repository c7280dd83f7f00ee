"""Which of Toot's moves GPU playouts collect: tiles cost many times as much as steps and jumps."""

from typing import Any

from teahouse.games.toot.random_moves import takes_tile
from teahouse.games.toot.rules import play, play_without_tile, random_move

WALKING, PLACING, RELOCATING = range(3)


def move_kind(board: Any, state: Any) -> int:
    """Return what the next move is at most: a step or jump, a tile from the hand, or any tile."""
    if not takes_tile(state):
        return WALKING
    return PLACING if state.tiles_in_hand[state.player] else RELOCATING


def play_kind(board: Any, state: Any, moves: Any, random: int, kind: int) -> None:
    """Play a random move of the kind that `move_kind` has returned."""
    if kind == WALKING:
        play_without_tile(board, state, random)
    else:
        play(board, state, random_move(board, state, moves, random))
