"""CUDA kernels that step, observe and sample a batch: one thread for each game.

A block stages its states in shared memory if they fit (`block_layout`), and its masks or planes as
packed words. Its threads load, expand and store them together, in consecutive words, which is
several times as fast as each thread copying its own. Where expanding takes longer than the rest, a
block has more threads than games.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from teahouse.core.bits import nth_bit
from teahouse.core.encoding import observe_game
from teahouse.core.game import Game
from teahouse.core.jit.cuda import (
    MAX_THREADS,
    BlockLayout,
    bind_device,
    block_layout,
    cuda_module,
    record_type,
)
from teahouse.core.packed import WORD_BITS, packed_rules, plane_words, word_count
from teahouse.rl import kernels
from teahouse.rl.cuda_expand import mask_expander, plane_expander
from teahouse.rl.spec import encoded_rules, observation_spec

cuda: Any = None  # numba.cuda, set by `cuda_kernels`

SKIP = kernels.SKIP
WORD = 8  # bytes; the states and rows of a full block are a multiple of it
EXPANDING_THREADS = 256  # threads of a block that has more threads than games
MAX_REGISTERS = 64  # per thread, for higher occupancy


@cache
def cuda_kernels(game: Game) -> dict[str, tuple[Any, ...]]:
    """Return the CUDA kernels of a game by name, each with the games and threads of a block."""
    global cuda
    cuda = cuda_module()
    spec = observation_spec(game)
    rules = packed_rules(game)
    state = game.layout.state
    mask_words = word_count(spec.action_count)
    for_steps = block_layout(state.itemsize, WORD * odd(mask_words))
    copy_words = cuda.jit(device=True)(_copy_words)
    step = _step_kernel(
        bind_device(kernels.step_game, rules),
        copy_words,
        mask_expander(cuda, spec.action_count),
        for_steps,
        state,
        game.layout.max_moves,
        spec.action_count,
    )
    sample = _sample_kernel(
        bind_device(kernels.draw_rank, rules), bind_device(nth_bit, rules), mask_words
    )
    shape = (len(spec.planes), plane_words(spec))
    for_planes = plane_layout(state.itemsize, WORD * shape[0] * shape[1])
    if hasattr(rules, "mark_planes") and for_planes.shared_row:
        area = spec.shape[0] * spec.shape[1]
        observe = _observe_kernel(
            bind_device(rules.mark_planes, rules),
            copy_words,
            plane_expander(cuda, shape[0], area),
            for_planes,
            state,
            shape,
            area,
        )
    else:
        for_planes = BlockLayout(MAX_THREADS, False, False)
        observe = _observe_bytes_kernel(bind_device(observe_game, encoded_rules(game)))
    return {
        "check": (_check_kernel(spec.action_count), MAX_THREADS, MAX_THREADS),
        "sample": (sample, MAX_THREADS, MAX_THREADS),
        "step": (
            step,
            for_steps.threads,
            MAX_THREADS,
        ),
        "observe": (
            observe,
            for_planes.threads,
            EXPANDING_THREADS if for_planes.shared_row else MAX_THREADS,
        ),
        "pack": (_pack_kernel(spec.action_count), MAX_THREADS, MAX_THREADS),
    }


def words(count: int, size: int) -> int:
    """Return how many words hold `count` items of `size` bytes."""
    return -(-count * size // WORD)


def plane_layout(state_size: int, planes_size: int) -> BlockLayout:
    """Choose the block layout for planes, which take precedence over states in shared memory."""
    block = block_layout(state_size, planes_size)
    if block.shared_row:
        return block
    planes = block_layout(0, planes_size)
    return BlockLayout(planes.threads, False, planes.shared_row)


def odd(count: int) -> int:
    """Return the length of a row of words in shared memory that avoids bank conflicts."""
    return count | 1


def _copy_words(source: Any, source_at: int, target: Any, target_at: int, size: int) -> None:
    """Copy the words that hold `size` bytes, the threads of the block in turns."""
    for word in range(cuda.threadIdx.x, (size + WORD - 1) // WORD, cuda.blockDim.x):
        target[target_at + word] = source[source_at + word]


def _state_staging(
    copy_words: Any, block: BlockLayout, state: np.dtype
) -> tuple[Callable[..., None], Callable[..., None], int]:
    """Return device functions that load and store a block's states, and the words of their array.

    `load` lets the block wait until all states are in shared memory. An array is never empty.
    """
    state_size = state.itemsize if block.shared_state else 0
    block_words = words(block.threads, state_size)

    def load(state_words: Any, shared_states: Any, block_size: int) -> None:
        first = cuda.blockIdx.x * block_words
        copy_words(state_words, first, shared_states, 0, block_size * state_size)
        cuda.syncthreads()

    def store(shared_states: Any, state_words: Any, block_size: int) -> None:
        first = cuda.blockIdx.x * block_words
        copy_words(shared_states, 0, state_words, first, block_size * state_size)

    device = cuda.jit(device=True)
    return device(load), device(store), max(1, block_words)


def _step_kernel(
    step_game: Any,
    copy_words: Any,
    expand: Any,
    block: BlockLayout,
    state: np.dtype,
    max_moves: int,
    action_count: int,
) -> Any:
    block_games = block.threads
    mask_words = word_count(action_count)
    shared_state, shared_row = block.shared_state, block.shared_row
    state_type = record_type(state)
    load_states, store_states, shared_state_words = _state_staging(copy_words, block, state)
    shape = (block_games if shared_row else 1, odd(mask_words))

    def step(
        boards: Any,
        states: Any,
        state_words: Any,
        finals: Any,
        slots: Any,
        actions: Any,
        packed: Any,
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
        masks = cuda.shared.array(shape, np.int64)
        own = cuda.local.array(1, state_type)
        moves = cuda.local.array(max_moves, np.int32)
        thread = cuda.threadIdx.x
        games = len(actions)
        if illegal[0] < games:
            return
        first = cuda.blockIdx.x * block_games
        block_size = min(block_games, games - first)
        index = first + thread
        if shared_state:
            load_states(state_words, shared_states, block_size)
            own = shared_states.view(state)[thread : thread + 1]
        elif thread < block_size:
            own[0] = states[index]
        if thread < block_size:
            mask = masks[thread][:mask_words] if shared_row else packed[index]
            if actions[index] == SKIP:
                for word in range(mask_words):
                    mask[word] = packed[index, word]
            else:
                count = step_game(
                    boards[0],
                    own,
                    0,
                    finals,
                    index,
                    slots[index],
                    int(actions[index]),
                    moves,
                    mask,
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
                if shared_row:
                    for word in range(mask_words):
                        packed[index, word] = mask[word]
        cuda.syncthreads()
        if shared_state:
            store_states(shared_states, state_words, block_size)
        legal_at = first // WORD * action_count
        if shared_row:
            expand(masks, block_size, legal_words, legal_at)
        else:
            expand(packed[first:], block_size, legal_words, legal_at)

    return cuda.jit(step, max_registers=MAX_REGISTERS)


def _observe_kernel(
    mark_planes: Any,
    copy_words: Any,
    expand: Any,
    block: BlockLayout,
    state: np.dtype,
    shape: tuple[int, int],
    area: int,
) -> Any:
    block_games = block.threads
    shared_state = block.shared_state
    load_states, _, shared_state_words = _state_staging(copy_words, block, state)
    row_size = shape[0] * area
    shared_shape = (*shape, block_games)

    def observe(
        boards: Any,
        states: Any,
        state_words: Any,
        slots: Any,
        viewers: Any,
        offsets: Any,
        all_planes: Any,
        plane_words: Any,
    ) -> None:
        shared_states = cuda.shared.array(shared_state_words, np.uint64)
        planes = cuda.shared.array(shared_shape, np.int64)
        thread = cuda.threadIdx.x
        games = len(all_planes)
        first = cuda.blockIdx.x * block_games
        block_size = min(block_games, games - first)
        index = first + thread
        if shared_state:
            load_states(state_words, shared_states, block_size)
        if thread < block_size:
            own = shared_states.view(state)[thread] if shared_state else states[index]
            for plane in range(shape[0]):
                for word in range(shape[1]):
                    planes[plane, word, thread] = 0
            mark_planes(
                boards[0], own, slots[index], int(viewers[index]), offsets, planes[:, :, thread]
            )
        cuda.syncthreads()
        expand(planes, block_size, plane_words, first // WORD * row_size)

    return cuda.jit(observe)


def _observe_bytes_kernel(observe_one: Any) -> Any:
    """Return the kernel for games whose planes are not marked: each thread writes its own bytes."""

    def observe(
        boards: Any,
        states: Any,
        state_words: Any,
        slots: Any,
        viewers: Any,
        offsets: Any,
        all_planes: Any,
        plane_words: Any,
    ) -> None:
        index = cuda.grid(1)
        if index < len(all_planes):
            observe_one(
                boards[0],
                states[index],
                slots[index],
                int(viewers[index]),
                offsets,
                all_planes[index],
            )

    return cuda.jit(observe)


def _check_kernel(action_count: int) -> Any:
    def check(packed: Any, legal_counts: Any, actions: Any, illegal: Any) -> None:
        index = cuda.grid(1)
        if index >= len(actions) or legal_counts[index] == 0:
            return  # a game that is over ignores all actions
        action = int(actions[index])
        legal = 0
        if 0 <= action < action_count:
            word = action // WORD_BITS
            legal = packed[index, word] >> action - word * WORD_BITS & 1
        if legal == 0:
            cuda.atomic.min(illegal, 0, index)

    return cuda.jit(check)


def _sample_kernel(draw_rank: Any, nth: Any, mask_words: int) -> Any:
    def sample(slots: Any, packed: Any, legal_counts: Any, actions: Any) -> None:
        index = cuda.grid(1)
        if index >= len(actions):
            return
        rank = draw_rank(slots[index], int(legal_counts[index]))
        if rank < 0:
            actions[index] = -1
            return
        for word in range(mask_words):
            bits = packed[index, word]
            inside = cuda.popc(bits)
            if rank < inside:
                actions[index] = word * WORD_BITS + nth(bits, rank)
                return
            rank -= inside

    return cuda.jit(sample)


def _pack_kernel(action_count: int) -> Any:
    def pack(legal: Any, packed: Any) -> None:
        """Pack masks that were given as bytes."""
        index = cuda.grid(1)
        if index < len(legal):
            for first in range(0, action_count, WORD_BITS):
                bits = 0
                for bit in range(min(WORD_BITS, action_count - first)):
                    bits |= int(legal[index, first + bit]) << bit
                packed[index, first // WORD_BITS] = bits

    return cuda.jit(pack)
