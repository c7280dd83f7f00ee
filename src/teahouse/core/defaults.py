"""Kernels that a game's rules may leave out."""

from typing import Any

from teahouse.core.jit import rules
from teahouse.core.random import below


def random_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """A random legal move, from the written list of all."""
    return int(moves[below(random, rules.legal(board, state, moves))])


def winners(board: Any, state: Any, scratch: Any) -> int:
    """The winners, from a field of the state that `play` has set."""
    return int(state.winners)


def playout_move(board: Any, state: Any, moves: Any, random: int) -> int:
    """A random legal move: this game leans to none."""
    return int(rules.random_move(board, state, moves, random))


def evaluate(board: Any, state: Any, player: int) -> float:
    """An even chance: this game says nothing of positions that are not over."""
    return 0.5
