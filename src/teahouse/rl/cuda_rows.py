"""CUDA kernels that copy rows of a batch and derive others from them: one thread per game."""

from __future__ import annotations

from functools import cache
from typing import Any

from teahouse.core.jit.cuda import MAX_THREADS, cuda_module

cuda: Any = None  # numba.cuda, set by `row_kernels`


@cache
def row_kernels() -> dict[str, tuple[Any, ...]]:
    """Return the CUDA kernels by name, each with the games of a block, a thread for each."""
    global cuda
    cuda = cuda_module()
    return {
        kernel.__name__: (cuda.jit(kernel), MAX_THREADS)
        for kernel in (gather, number, scale, final_players, update_over)
    }


def gather(source: Any, index: Any, target: Any) -> None:
    """Copy the rows at `index`, all of the same number of bytes.

    Threads take bytes in turns, so that neighbours read and write neighbouring bytes.
    """
    width = len(target) // len(index)
    for at in range(cuda.grid(1), len(target), cuda.gridsize(1)):
        target[at] = source[int(index[at // width]) * width + at % width]


def number(slots: Any) -> None:
    """Number the games of the slots afresh."""
    at = cuda.grid(1)
    if at < len(slots):
        slots[at].game = at


def scale(planes: Any, max_values: Any, scaled: Any) -> None:
    """Divide each plane by its largest value."""
    at = cuda.grid(1)
    if at < len(planes):
        for plane in range(planes.shape[1]):
            for offset in range(planes.shape[2]):
                scaled[at, plane, offset] = planes[at, plane, offset] / max_values[plane]


def final_players(finals: Any, players: Any) -> None:
    """Write the player to move in the last state of each game."""
    at = cuda.grid(1)
    if at < len(players):
        players[at] = finals[at].player


def update_over(legal_counts: Any, over: Any) -> None:
    """Write whether each game is over: it has no legal action."""
    at = cuda.grid(1)
    if at < len(over):
        over[at] = legal_counts[at] == 0
