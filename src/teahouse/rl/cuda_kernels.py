"""CUDA kernels that step, observe and sample a batch: one thread per game.

A block stages its states, and its rows of legal actions or planes, in shared memory if they fit
(`block_layout`). Its threads load and store them together, in consecutive words, which is several
times as fast as each thread copying its own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from teahouse.core.encoding import nth_legal, observe_game
from teahouse.core.game import Game
from teahouse.core.jit.cuda import (
    MAX_THREADS,
    BlockLayout,
    bind_device,
    block_layout,
    cuda_module,
    record_type,
)
from teahouse.rl import kernels
from teahouse.rl.spec import encoded_rules, observation_spec

cuda: Any = None  # numba.cuda, set by `cuda_kernels`

SKIP = kernels.SKIP
WORD = 8  # bytes; the states and rows of a full block are a multiple of it


@cache
def cuda_kernels(game: Game) -> dict[str, tuple[Any, int]]:
    """Return the CUDA kernels of a game by name, each with its number of threads per block."""
    global cuda
    cuda = cuda_module()
    spec = observation_spec(game)
    rules = encoded_rules(game)
    state = game.layout.state
    row_size = spec.action_count
    planes, area = len(spec.planes), spec.shape[0] * spec.shape[1]
    for_samples = block_layout(0, row_size)
    for_steps = block_layout(state.itemsize, row_size)
    for_planes = block_layout(state.itemsize, planes * area)
    copy_words = cuda.jit(device=True)(_copy_words)
    check = _check_kernel(bind_device(kernels.is_illegal, rules))
    sample = _sample_kernel(
        bind_device(kernels.draw_rank, rules),
        bind_device(nth_legal, rules),
        cuda.jit(device=True)(_nth_staged),
        copy_words,
        for_samples,
        row_size,
    )
    step = _step_kernel(
        bind_device(kernels.step_game, rules),
        copy_words,
        for_steps,
        state,
        game.layout.max_moves,
        row_size,
    )
    observe = _observe_kernel(
        bind_device(observe_game, rules), copy_words, for_planes, state, planes, area
    )
    return {
        "check": (check, MAX_THREADS),
        "sample": (sample, for_samples.threads),
        "step": (step, for_steps.threads),
        "observe": (observe, for_planes.threads),
    }


def words(count: int, size: int) -> int:
    """Return how many words hold `count` items of `size` bytes."""
    return -(-count * size // WORD)


def _copy_words(source: Any, source_at: int, target: Any, target_at: int, size: int) -> None:
    """Copy the words that hold `size` bytes, the threads of the block in turns."""
    for word in range(cuda.threadIdx.x, (size + WORD - 1) // WORD, cuda.blockDim.x):
        target[target_at + word] = source[source_at + word]


def _step_kernel(
    step_game: Any,
    copy_words: Any,
    block: BlockLayout,
    state: np.dtype,
    max_moves: int,
    action_count: int,
) -> Any:
    threads = block.threads
    shared_state = block.shared_state
    state_type = record_type(state)
    state_size = state.itemsize if shared_state else 0
    row_size = action_count if block.shared_row else 0
    block_state_words = words(threads, state_size)
    block_row_words = words(threads, row_size)
    shared_state_words, shared_row_words = max(1, block_state_words), max(1, block_row_words)

    def step(
        boards: Any,
        states: Any,
        state_words: Any,
        slots: Any,
        actions: Any,
        legal: Any,
        legal_words: Any,
        legal_counts: Any,
        players: Any,
        rewards: Any,
        done: Any,
        illegal: Any,
        seed: int,
        auto_reset: int,
    ) -> None:
        shared_states = cuda.shared.array(shared_state_words, np.uint64)
        shared_rows = cuda.shared.array(shared_row_words, np.uint64)
        own = cuda.local.array(1, state_type)
        moves = cuda.local.array(max_moves, np.int32)
        thread = cuda.threadIdx.x
        games = len(actions)
        if illegal[0] < games:
            return
        first = cuda.blockIdx.x * threads
        block_size = min(threads, games - first)
        index = first + thread
        if shared_state:
            copy_words(
                state_words,
                cuda.blockIdx.x * block_state_words,
                shared_states,
                0,
                block_size * state_size,
            )
            cuda.syncthreads()
            own = shared_states.view(state)[thread : thread + 1]
        elif index < games:
            own[0] = states[index]
        row = shared_rows.view(np.uint8)[thread * row_size : (thread + 1) * row_size]
        if index < games and actions[index] == SKIP:
            for action in range(row_size):
                row[action] = legal[index][action]
        elif index < games:
            count = step_game(
                boards[0],
                own,
                0,
                states,
                index,
                slots[index],
                int(actions[index]),
                moves,
                row if row_size else legal[index],
                rewards[index],
                seed,
                games,
                auto_reset,
            )
            done[index] = count < 0
            legal_counts[index] = max(count, -1 - count)
            players[index] = own[0].player
            if not shared_state:
                states[index] = own[0]
        cuda.syncthreads()
        if shared_state:
            copy_words(
                shared_states,
                0,
                state_words,
                cuda.blockIdx.x * block_state_words,
                block_size * state_size,
            )
        if row_size:
            copy_words(
                shared_rows,
                0,
                legal_words,
                cuda.blockIdx.x * block_row_words,
                block_size * row_size,
            )

    return cuda.jit(step)


def _observe_kernel(
    observe_one: Any, copy_words: Any, block: BlockLayout, state: np.dtype, planes: int, area: int
) -> Any:
    threads = block.threads
    shared_state = block.shared_state
    state_size = state.itemsize if shared_state else 0
    row_size = planes * area if block.shared_row else 0
    block_state_words = words(threads, state_size)
    block_row_words = words(threads, row_size)
    shared_state_words, shared_row_words = max(1, block_state_words), max(1, block_row_words)
    shape = (threads, planes, area if row_size else 0)

    def observe(
        boards: Any,
        states: Any,
        state_words: Any,
        slots: Any,
        offsets: Any,
        all_planes: Any,
        plane_words: Any,
    ) -> None:
        shared_states = cuda.shared.array(shared_state_words, np.uint64)
        shared_rows = cuda.shared.array(shared_row_words, np.uint64)
        thread = cuda.threadIdx.x
        games = len(all_planes)
        first = cuda.blockIdx.x * threads
        block_size = min(threads, games - first)
        index = first + thread
        if shared_state:
            copy_words(
                state_words,
                cuda.blockIdx.x * block_state_words,
                shared_states,
                0,
                block_size * state_size,
            )
            cuda.syncthreads()
        rows = shared_rows.view(np.uint8).reshape(shape) if row_size else all_planes
        if index < games:
            own = shared_states.view(state)[thread] if shared_state else states[index]
            observe_one(
                boards[0],
                own,
                slots[index],
                int(own.player),
                offsets,
                rows[thread] if row_size else all_planes[index],
            )
        if row_size:
            cuda.syncthreads()
            copy_words(
                shared_rows,
                0,
                plane_words,
                cuda.blockIdx.x * block_row_words,
                block_size * row_size,
            )

    return cuda.jit(observe)


def _check_kernel(is_illegal: Any) -> Any:
    def check(legal: Any, legal_counts: Any, actions: Any, illegal: Any) -> None:
        index = cuda.grid(1)
        if index < len(actions) and is_illegal(
            legal[index], int(legal_counts[index]), int(actions[index])
        ):
            cuda.atomic.min(illegal, 0, index)

    return cuda.jit(check)


def _sample_kernel(
    draw_rank: Any,
    nth_legal: Any,
    nth_staged: Any,
    copy_words: Any,
    block: BlockLayout,
    action_count: int,
) -> Any:
    threads = block.threads
    row_size = action_count if block.shared_row else 0
    block_row_words = words(threads, row_size)
    shared_row_words = max(1, block_row_words)

    def sample(slots: Any, legal: Any, legal_words: Any, legal_counts: Any, actions: Any) -> None:
        rows = cuda.shared.array(shared_row_words, np.uint64)
        games = len(actions)
        first = cuda.blockIdx.x * threads
        index = first + cuda.threadIdx.x
        if row_size:
            block_size = min(threads, games - first)
            copy_words(
                legal_words, cuda.blockIdx.x * block_row_words, rows, 0, block_size * row_size
            )
            cuda.syncthreads()
        if index < games:
            rank = draw_rank(slots[index], int(legal_counts[index]))
            if rank < 0:
                actions[index] = -1
            elif row_size:
                actions[index] = nth_staged(rows, cuda.threadIdx.x * row_size, rank)
            else:
                actions[index] = nth_legal(legal[index], rank)

    return cuda.jit(sample)


def _nth_staged(rows: Any, first: int, rank: int) -> int:
    """Return `nth_legal` of the mask that begins at byte `first` of `rows`."""
    mask = rows.view(np.uint8)
    at = first
    while at % WORD:
        rank -= int(mask[at])
        if rank < 0:
            return at - first
        at += 1
    word = at // WORD
    found = cuda.popc(rows[word])  # a legal action is a byte with one bit set
    while rank >= found:
        rank -= found
        word += 1
        found = cuda.popc(rows[word])
    at = word * WORD
    rank -= int(mask[at])
    while rank >= 0:
        at += 1
        rank -= int(mask[at])
    return at - first
