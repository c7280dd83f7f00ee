"""Random games on a GPU: every thread plays complete games."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from teahouse.core.game import Game
from teahouse.core.jit.cuda import (
    BlockLayout,
    bind_device,
    block_layout,
    cuda_module,
    launcher,
    max_resident_threads,
    record_type,
)
from teahouse.core.playouts import WINS, play_games

MAX_REGISTERS = 64  # of a thread, so that a multiprocessor runs more of them
WAVES = 2  # threads launched, as a multiple of those that run at a time: evens out their load


@cache
def cuda_playouts(game: Game, state_count: int) -> Callable[[np.ndarray, int, int, int], list[int]]:
    """Return `play_games` on the GPU, as a function of states, seed, first and end to totals.

    `state_count` is the length of `states`: 2 if they include a position to start from, else 1.
    """
    cuda = cuda_module()
    block = block_layout(state_count * game.layout.state.itemsize)
    total_count = WINS + len(game.players)
    kernel = _playout_kernel(game, state_count, block)
    board = cuda.to_device(game.layout.board)
    max_threads = WAVES * max_resident_threads()

    def run(states: np.ndarray, seed: int, first: int, end: int) -> list[int]:
        totals = cuda.to_device(np.zeros(total_count, np.int64))
        launch = launcher(kernel, min(max_threads, end - first), block.threads)
        launch(board, cuda.to_device(states), totals, seed, first, end)
        return [int(total) for total in totals.copy_to_host()]

    return run


def _playout_kernel(game: Game, state_count: int, block: BlockLayout) -> Any:
    """Return the CUDA kernel, with states in shared or in local memory as the layout says."""
    cuda = cuda_module()
    play_own = bind_device(play_games, game.rules)
    state_type = record_type(game.layout.state)
    max_moves = game.layout.max_moves
    threads = block.threads
    total_count = WINS + len(game.players)

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def play(
        boards: Any, own: Any, states: Any, totals: Any, seed: int, first: int, end: int
    ) -> None:
        moves = cuda.local.array(max_moves, np.int32)
        own_totals = cuda.local.array(total_count, np.int64)
        for index in range(total_count):
            own_totals[index] = 0
        if state_count > 1:
            own[1] = states[1]
        start, stride = first + cuda.grid(1), cuda.gridsize(1)
        play_own(boards, own, moves, own_totals, seed, start, end, stride)
        for index in range(total_count):
            cuda.atomic.add(totals, index, own_totals[index])

    def in_shared_memory(
        boards: Any, states: Any, totals: Any, seed: int, first: int, end: int
    ) -> None:
        own = cuda.shared.array((threads, state_count), state_type)[cuda.threadIdx.x]
        play(boards, own, states, totals, seed, first, end)

    def in_local_memory(
        boards: Any, states: Any, totals: Any, seed: int, first: int, end: int
    ) -> None:
        own = cuda.local.array(state_count, state_type)
        play(boards, own, states, totals, seed, first, end)

    kernel = in_shared_memory if block.shared_state else in_local_memory
    return cuda.jit(kernel, max_registers=MAX_REGISTERS)
