"""What Orochi's positions look like to a bot: kernels over the state, as in rules.py."""

from typing import Any

from teahouse.core.compiling import rules
from teahouse.games.orochi.rules import KIND_SHIFT, REPLACE


def lean(board: Any, state: Any, moves: Any, random: int) -> int:
    """A random move, but three placements of four are of the own colour."""
    move = int(rules.pick(board, state, moves, random))
    kind = move >> KIND_SHIFT
    if kind != REPLACE and kind != state.player and random & 1:
        move ^= 1 << KIND_SHIFT
    return move
