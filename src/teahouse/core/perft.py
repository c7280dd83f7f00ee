"""Perft: count move sequences to verify a move generator."""

from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.jit import rules
from teahouse.core.position import Position
from teahouse.core.validate import check_int

MAX_DEPTH = 1000


def count_sequences(boards: Any, states: Any, moves: Any, counts: Any, indices: Any) -> int:
    """Return the number of sequences of len(states) moves from states[0].

    Depth-first with explicit stacks: depth d has the position states[d] and the counts[d] moves
    moves[d], of which indices[d] is the next one to play.
    """
    board = boards[0]
    depth = len(states)
    total = 0
    level = 0
    counts[0] = rules.legal(board, states[0], moves[0])
    indices[0] = 0
    if depth == 1:
        return int(counts[0])
    while level >= 0:
        if indices[level] == counts[level]:
            level -= 1
            continue
        move = moves[level][indices[level]]
        indices[level] += 1
        states[level + 1] = states[level]
        rules.play(board, states[level + 1], move)
        level += 1
        counts[level] = rules.legal(board, states[level], moves[level])
        indices[level] = 0
        if level == depth - 1:
            total += counts[level]
            level -= 1
    return total


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of exactly `depth` moves; shorter games do not count."""
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
