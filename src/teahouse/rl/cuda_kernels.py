"""CUDA kernels that step, observe and sample a batch: one thread per game.

A block stages its states, and its rows of legal actions or planes, in shared memory if they fit
(`block_layout`). Its threads load and store them together, in consecutive words, which is several
times as fast as each thread copying its own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

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
from teahouse.rl.spec import kernels_of, view_of

cuda: Any = None  # numba.cuda, set by `cuda_kernels`

LEAVE = kernels.LEAVE
WORD = 8  # bytes; the states and rows of a full block are a multiple of it


@cache
def cuda_kernels(game: Game) -> dict[str, tuple[Any, int]]:
    """Return the CUDA kernels of a game by name, each with its number of threads per block."""
    global cuda
    cuda = cuda_module()
    view = view_of(game)
    rules = kernels_of(game)
    state = game.layout.state
    row_size = view.action_count
    planes, area = len(view.planes), view.shape[0] * view.shape[1]
    for_samples = block_layout(0, row_size)
    for_steps = block_layout(state.itemsize, row_size)
    for_planes = block_layout(state.itemsize, planes * area)
    copy_words = cuda.jit(device=True)(_copy_words)
    check = _check_kernel(bind_device(kernels.is_illegal, rules))
    sample = _sample_kernel(
        bind_device(kernels.draw, rules),
        bind_device(kernels.nth_legal, rules),
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
    see = _see_kernel(
        bind_device(kernels.see_game, rules), copy_words, for_planes, state, planes, area
    )
    return {
        "check": (check, MAX_THREADS),
        "sample": (sample, for_samples.threads),
        "step": (step, for_steps.threads),
        "see": (see, for_planes.threads),
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
    state_words, row_words = words(threads, state_size), words(threads, row_size)
    state_room, row_room = max(1, state_words), max(1, row_words)

    def step(
        boards: Any,
        states: Any,
        state_store: Any,
        slots: Any,
        actions: Any,
        legal: Any,
        legal_store: Any,
        counts: Any,
        players: Any,
        rewards: Any,
        done: Any,
        illegal: Any,
        seed: int,
        restart: int,
    ) -> None:
        shared_states = cuda.shared.array(state_room, np.uint64)
        shared_rows = cuda.shared.array(row_room, np.uint64)
        own = cuda.local.array(1, state_type)
        moves = cuda.local.array(max_moves, np.int32)
        thread = cuda.threadIdx.x
        games = len(actions)
        if illegal[0] < games:
            return
        first = cuda.blockIdx.x * threads
        here = min(threads, games - first)
        index = first + thread
        if shared_state:
            copy_words(
                state_store, cuda.blockIdx.x * state_words, shared_states, 0, here * state_size
            )
            cuda.syncthreads()
            own = shared_states.view(state)[thread : thread + 1]
        elif index < games:
            own[0] = states[index]
        row = shared_rows.view(np.uint8)[thread * row_size : (thread + 1) * row_size]
        if index < games and actions[index] == LEAVE:
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
                index,
                int(actions[index]),
                moves,
                row if row_size else legal[index],
                rewards[index],
                seed,
                games,
                restart,
            )
            done[index] = count < 0
            counts[index] = max(count, -1 - count)
            players[index] = own[0].player
            if not shared_state:
                states[index] = own[0]
        cuda.syncthreads()
        if shared_state:
            copy_words(
                shared_states, 0, state_store, cuda.blockIdx.x * state_words, here * state_size
            )
        if row_size:
            copy_words(shared_rows, 0, legal_store, cuda.blockIdx.x * row_words, here * row_size)

    return cuda.jit(step)


def _see_kernel(
    see_game: Any, copy_words: Any, block: BlockLayout, state: np.dtype, planes: int, area: int
) -> Any:
    threads = block.threads
    shared_state = block.shared_state
    state_size = state.itemsize if shared_state else 0
    row_size = planes * area if block.shared_row else 0
    state_words, row_words = words(threads, state_size), words(threads, row_size)
    state_room, row_room = max(1, state_words), max(1, row_words)
    shape = (threads, planes, area if row_size else 0)

    def see(
        boards: Any,
        states: Any,
        state_store: Any,
        slots: Any,
        places: Any,
        shown: Any,
        shown_store: Any,
    ) -> None:
        shared_states = cuda.shared.array(state_room, np.uint64)
        shared_rows = cuda.shared.array(row_room, np.uint64)
        thread = cuda.threadIdx.x
        games = len(shown)
        first = cuda.blockIdx.x * threads
        here = min(threads, games - first)
        index = first + thread
        if shared_state:
            copy_words(
                state_store, cuda.blockIdx.x * state_words, shared_states, 0, here * state_size
            )
            cuda.syncthreads()
        rows = shared_rows.view(np.uint8).reshape(shape) if row_size else shown
        if index < games:
            own = shared_states.view(state)[thread] if shared_state else states[index]
            see_game(
                boards[0],
                own,
                slots[index],
                int(own.player),
                places,
                rows[thread] if row_size else shown[index],
            )
        if row_size:
            cuda.syncthreads()
            copy_words(shared_rows, 0, shown_store, cuda.blockIdx.x * row_words, here * row_size)

    return cuda.jit(see)


def _check_kernel(is_illegal: Any) -> Any:
    def check(legal: Any, counts: Any, actions: Any, illegal: Any) -> None:
        index = cuda.grid(1)
        if index < len(actions) and is_illegal(
            legal[index], int(counts[index]), int(actions[index])
        ):
            cuda.atomic.min(illegal, 0, index)

    return cuda.jit(check)


def _sample_kernel(
    draw: Any,
    nth_legal: Any,
    nth_staged: Any,
    copy_words: Any,
    block: BlockLayout,
    action_count: int,
) -> Any:
    threads = block.threads
    row_size = action_count if block.shared_row else 0
    row_words = words(threads, row_size)
    row_room = max(1, row_words)

    def sample(slots: Any, legal: Any, legal_store: Any, counts: Any, actions: Any) -> None:
        rows = cuda.shared.array(row_room, np.uint64)
        games = len(actions)
        first = cuda.blockIdx.x * threads
        index = first + cuda.threadIdx.x
        if row_size:
            here = min(threads, games - first)
            copy_words(legal_store, cuda.blockIdx.x * row_words, rows, 0, here * row_size)
            cuda.syncthreads()
        if index < games:
            which = draw(slots[index], int(counts[index]))
            if which < 0:
                actions[index] = -1
            elif row_size:
                actions[index] = nth_staged(rows, cuda.threadIdx.x * row_size, which)
            else:
                actions[index] = nth_legal(legal[index], which)

    return cuda.jit(sample)


def _nth_staged(rows: Any, first: int, which: int) -> int:
    """Return the legal action number `which` of the mask that begins at byte `first` of `rows`."""
    mask = rows.view(np.uint8)
    at = first
    while at % WORD:
        which -= int(mask[at])
        if which < 0:
            return at - first
        at += 1
    word = at // WORD
    found = cuda.popc(rows[word])  # a legal action is a byte with one bit set
    while which >= found:
        which -= found
        word += 1
        found = cuda.popc(rows[word])
    at = word * WORD
    which -= int(mask[at])
    while which >= 0:
        at += 1
        which -= int(mask[at])
    return at - first
