"""Perft: count move sequences to verify a move generator."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, Literal, overload

import numpy as np

from teahouse.core import jit
from teahouse.core.errors import OptionError
from teahouse.core.jit import rules
from teahouse.core.position import Position, check_position
from teahouse.core.validate import check_int

MAX_DEPTH = 1000
MAX_THREADS = 64
SLICE = 1 << 20  # moves between checks for Ctrl-C: some hundredths of a second
INTERPRETED_SLICE = 1 << 12


def count_sequences(
    boards: Any, states: Any, moves: Any, counts: Any, indices: Any, levels: Any, budget: int
) -> int:
    """Return the number of sequences of len(states) moves from states[0] found in a slice.

    Depth-first with explicit stacks: depth d has the position states[d] and the counts[d] moves
    moves[d], of which indices[d] is the next one to play. levels[0] is the depth to continue with,
    from 0 on; it is -1 at the end. A slice plays `budget` moves.
    """
    board = boards[0]
    depth = len(states)
    total = 0
    level = levels[0]
    if level == 0 and indices[0] == 0:
        counts[0] = rules.legal(board, states[0], moves[0])
        if depth == 1:
            levels[0] = -1
            return int(counts[0])
    while level >= 0 and budget > 0:
        if indices[level] == counts[level]:
            level -= 1
            continue
        budget -= 1
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
    levels[0] = level
    return total


@overload
def perft(
    position: Position, depth: int, *, divide: Literal[False] = False, threads: int = 1
) -> int: ...


@overload
def perft(
    position: Position, depth: int, *, divide: Literal[True], threads: int = 1
) -> dict[str, int]: ...


def perft(
    position: Position, depth: int, *, divide: bool = False, threads: int = 1
) -> int | dict[str, int]:
    """Return the number of sequences of exactly `depth` moves; shorter games do not count.

    With `divide`, return the number of sequences that begin with each legal move.
    """
    check_position(position)
    depth = check_int("depth", depth, 0, MAX_DEPTH)
    threads = check_int("threads", threads, 1, MAX_THREADS)
    if not divide and (threads == 1 or depth < 2):
        return _count(position, depth)
    if depth == 0:
        raise OptionError("divide needs a depth of at least 1, got 0.")
    after = [position.play(move) for move in position.legal]
    if threads == 1:
        counts = [_count(one, depth - 1) for one in after]
    else:
        with ThreadPoolExecutor(threads) as pool:
            stopped = Event()
            try:
                counts = list(pool.map(lambda one: _count(one, depth - 1, stopped), after))
            except BaseException:  # Ctrl-C
                stopped.set()
                raise
    return dict(zip(position.legal, counts, strict=True)) if divide else sum(counts)


def _count(position: Position, depth: int, stopped: Event | None = None) -> int:
    if depth == 0:
        return 1
    layout = position.game.layout
    states = np.zeros(depth, layout.state)
    states[0] = np.frombuffer(position.state, layout.state)[0]
    kernel = jit.specialize(count_sequences, position.game)
    levels = jit.int_buffer(1)
    arguments = (
        jit.as_records(layout.board),
        jit.as_records(states),
        jit.move_buffers(depth, layout.max_moves),
        jit.int_buffer(depth),
        jit.int_buffer(depth),
        levels,
        INTERPRETED_SLICE if jit.interpreted() else SLICE,
    )
    total = 0
    while levels[0] >= 0 and not (stopped and stopped.is_set()):
        total += int(kernel(*arguments))
    return total
