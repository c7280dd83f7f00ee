"""Random games on a GPU: every thread plays complete games.

The threads of a warp run in step: a branch that one of them takes costs time for all. By default
all of them start a game together and wait for the longest one. A game whose moves differ much in
cost, or whose games differ much in length, has a `schedule.py` with the kernel `move_kind`: then a
warp plays, in each round, the kind of move that most of its threads have next, while the others
wait, and a thread starts its next game without waiting for all others. The file may have a kernel
`play_kind` too, which plays the move of `random_move` with fewer instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from teahouse.core.game import Game
from teahouse.core.jit import rules
from teahouse.core.jit.cuda import (
    ALL_LANES,
    WARP,
    BlockLayout,
    bind_device,
    block_layout,
    cuda_module,
    launcher,
    padded,
    record_type,
    resident_threads,
)
from teahouse.core.packages import optional_module
from teahouse.core.playouts import MOVES, WINS, add_result, play_games, start_game
from teahouse.core.random import advance

cuda: Any = None  # numba.cuda, set by `_playout_kernel`

MAX_REGISTERS = 80  # of a thread, so that a multiprocessor runs more of them
MAX_THREADS = 64  # per block: smaller ones leave less of the shared memory unused

KINDS = 3  # of moves, that `move_kind` returns: 0 to 2
OVER, NONE = KINDS, KINDS + 1  # what a thread has instead: a game that is over, or none left
OVER_LANES = 4  # threads of a warp with a game that is over, for which the others wait


@cache
def cuda_playouts(game: Game, state_count: int) -> Callable[[np.ndarray, int, int, int], list[int]]:
    """Return `play_games` on the GPU, as a function of states, seed, first and end to totals.

    `state_count` is the length of `states`: 2 if they include a position to start from, else 1.
    """
    state = padded(game.layout.state)
    block = block_layout(state_count * state.itemsize, max_threads=MAX_THREADS)
    total_count = WINS + len(game.players)
    kernel = _playout_kernel(game, state, state_count, block)
    device = cuda_module()
    board = device.to_device(game.layout.board)
    most_threads = 0

    def run(states: np.ndarray, seed: int, first: int, end: int) -> list[int]:
        nonlocal most_threads
        totals = device.to_device(np.zeros(total_count, np.int64))
        arguments = (board, device.to_device(states.astype(state)), totals, seed, first, end)
        if most_threads == 0:
            most_threads = resident_threads(kernel, block.threads, arguments)
        launcher(kernel, min(most_threads, end - first), block.threads)(*arguments)
        return [int(total) for total in totals.copy_to_host()]

    return run


def _playout_kernel(game: Game, state: np.dtype, state_count: int, block: BlockLayout) -> Any:
    """Return the CUDA kernel, with states in shared or in local memory as the layout says."""
    global cuda
    cuda = cuda_module()
    schedule = optional_module(game.name, "schedule")
    if schedule is None:
        play_own = bind_device(play_games, game.rules)
    else:
        play_own = _scheduled_games(game, schedule)
    state_type = record_type(state)
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


def _play_kind(board: Any, state: Any, moves: Any, random: int, kind: int) -> None:
    """Play a random move, of any kind."""
    rules.play(board, state, rules.random_move(board, state, moves, random))


def _scheduled_games(game: Game, schedule: ModuleType) -> Any:
    """Return `play_games` for a game with a `move_kind`, as a device function."""
    play_kind = getattr(schedule, "play_kind", _play_kind)
    start, play_move, add, move_kind, next_random = (
        bind_device(kernel, game.rules)
        for kernel in (start_game, play_kind, add_result, schedule.move_kind, advance)
    )

    @cuda.jit(device=True)  # type: ignore[untyped-decorator]
    def play_scheduled(
        boards: Any,
        states: Any,
        moves: Any,
        totals: Any,
        seed: int,
        first: int,
        end: int,
        step: int,
    ) -> None:
        board = boards[0]
        state = states[0]
        # The games of all threads of the warp, numbered from 0, in the order in which they start.
        first -= cuda.laneid
        started = 0
        before = (1 << cuda.laneid) - 1  # the threads of the warp before this one
        random = 0
        count = 0
        playing = False
        kind = OVER  # there is no game yet
        while True:
            chosen, most = NONE, 0
            for candidate in range(KINDS):
                lanes = cuda.popc(cuda.ballot_sync(ALL_LANES, kind == candidate))
                if lanes > most:
                    chosen, most = candidate, lanes
            over = cuda.ballot_sync(ALL_LANES, kind == OVER)
            lanes = cuda.popc(over)
            if lanes >= OVER_LANES or (lanes > 0 and most == 0):
                chosen = OVER
            if chosen == NONE:
                break
            if kind == chosen:
                if kind == OVER:
                    if playing:
                        add(board, state, moves, totals)
                    index = started + cuda.popc(over & before)
                    number = first + index // WARP * step + index % WARP
                    playing = number < end
                    kind = NONE
                    if playing:
                        random = start(board, states, seed, number)
                        kind = OVER if state.over else int(move_kind(board, state))
                else:
                    random = next_random(random)
                    play_move(board, state, moves, random, chosen)
                    count += 1
                    kind = OVER if state.over else int(move_kind(board, state))
            if chosen == OVER:
                started += lanes
        totals[MOVES] += count

    return play_scheduled
