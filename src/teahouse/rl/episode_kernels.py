"""Kernels for one game whose moves are given as such, not as actions."""

from typing import Any

rules: Any = None  # replaced when a kernel is bound


def start_state(boards: Any, states: Any, seed: int) -> None:
    """Write the start of the game with this setup seed."""
    rules.start(boards[0], states[0], seed)


def list_moves(boards: Any, states: Any, moves: Any) -> int:
    """List the legal moves; return their number."""
    return int(rules.legal(boards[0], states[0], moves))


def move_action(boards: Any, states: Any, move: int, part: int) -> int:
    """Return the action for a part of a legal move."""
    return int(rules.action(boards[0], states[0], move, part))


def completed_move(boards: Any, states: Any, slots: Any, action: int) -> int:
    """Return the move that a legal action completes, or -1 if parts are still missing."""
    return int(rules.move(boards[0], states[0], slots[0], action))
