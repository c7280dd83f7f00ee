"""Counting move sequences: the classic check of a move generator."""

from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.jit import rules
from teahouse.core.position import Position
from teahouse.core.validate import check_int

MAX_DEPTH = 1000


def count_sequences(boards: Any, states: Any, moves: Any, counts: Any, places: Any) -> int:
    """How many sequences of len(states) decisions there are from states[0].

    Level d has its position in states[d], its moves in moves[d] and counts[d] of them, and goes on
    with the one numbered places[d].
    """
    board = boards[0]
    depth = len(states)
    total = 0
    level = 0
    counts[0] = rules.legal(board, states[0], moves[0])
    places[0] = 0
    if depth == 1:
        return int(counts[0])
    while level >= 0:
        if places[level] == counts[level]:
            level -= 1
            continue
        move = moves[level][places[level]]
        places[level] += 1
        states[level + 1] = states[level]
        rules.play(board, states[level + 1], move)
        level += 1
        counts[level] = rules.legal(board, states[level], moves[level])
        places[level] = 0
        if level == depth - 1:
            total += counts[level]
            level -= 1
    return total


def perft(position: Position, depth: int) -> int:
    """How many sequences of exactly so many decisions there are; games that end sooner add none."""
    depth = check_int("depth", depth, 0, MAX_DEPTH)
    if depth == 0:
        return 1
    layout = position.game.layout
    states = np.zeros(depth, layout.state)
    states[0] = np.frombuffer(position.state, layout.state)[0]
    kernel = jit.specialize(count_sequences, position.game)
    return int(
        kernel(
            jit.as_records(layout.board),
            jit.as_records(states),
            jit.move_buffers(depth, layout.max_moves),
            jit.int_buffer(depth),
            jit.int_buffer(depth),
        )
    )
