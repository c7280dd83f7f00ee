"""Kernels that a game's `rules.py` may leave out."""

from typing import Any

from teahouse.core.jit import rules
from teahouse.core.random import advance, bounded


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return a uniformly random legal move."""
    return int(moves[bounded(random, rules.legal(board, state, moves))])


def playout(board: Any, state: Any, moves: Any, random: int) -> int:
    """Play random moves until the game is over; return their number."""
    count = 0
    while not state.over:
        random = advance(random)
        rules.play(board, state, rules.random_move(board, state, moves, random))
        count += 1
    return count


def winners(board: Any, state: Any, scratch: Any) -> int:
    """Return the bit set of winners that `play` has stored in the state."""
    return int(state.winners)


def playout_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """Return a uniformly random legal move."""
    return int(rules.random_move(board, state, moves, random))


def evaluate(board: Any, state: Any, player: int) -> float:
    """Return an even chance for every position."""
    return 0.5
