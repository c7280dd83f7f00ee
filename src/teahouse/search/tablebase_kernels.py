"""Kernels that build, read and verify a tablebase; `rules` is the game's `tablebase.py`."""

from __future__ import annotations

from typing import Any

from teahouse.core.jit import rules as game_rules

rules: Any = game_rules
"""Bound to a game's tablebase module, which has its rules too."""


def build(boards: Any, works: Any, table: Any, budget: int) -> int:
    """Fill in about `budget` positions; return their number, 0 at the end."""
    done: int = rules.build(boards[0], works[0], table, budget)
    return done


def probe(boards: Any, table: Any, states: Any) -> int:
    """Return the player who wins the position `states[0]`, which is not over."""
    winner: int = rules.probe(boards[0], table, states[0])
    return winner


def verify(
    boards: Any, table: Any, states: Any, moves: Any, scratch: Any, first: int, count: int
) -> int:
    """Return at how many positions of a range the table contradicts the rules.

    A position is won by the player to move if and only if one of the legal moves leads to a
    position, by the rules, that this player wins: at the end of the game by the rules, else by the
    table. If that holds everywhere, the table is right, by induction over the length of the game.
    """
    board = boards[0]
    state = states[0]
    after = states[1]
    wrong = 0
    for index in range(first, first + count):
        rules.set_position(board, state, index)
        if state.over:
            continue
        player = state.player
        number = rules.legal(board, state, moves)
        won = False
        for move in range(number):
            states[1] = states[0]
            rules.play(board, after, moves[move])
            if after.over:
                won = rules.winners(board, after, scratch) >> player & 1 == 1
            else:
                won = rules.probe(board, table, after) == player
            if won:
                break
        wrong += won != (rules.probe(board, table, state) == player)
    return wrong
