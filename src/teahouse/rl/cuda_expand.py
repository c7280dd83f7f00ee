"""Expansion of packed masks and planes (`core.packed`) to bytes, by all threads of a block.

The rows of eight games fill a whole number of words of eight bytes. A thread expands the words at
its place in one group of eight games after the other, so that the threads of a warp store
consecutive words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.packed import WORD_BITS, word_count

cuda: Any = None  # numba.cuda, set by `_expander`

BYTES = 8  # size of a word that a thread stores
BYTE = 255
NIBBLE, NIBBLES = 15, 0x204081  # times a nibble: copies of it that begin 7 bits apart
LOW_BITS = 0x01010101
HALF = 32  # bits: arithmetic on halves takes half as many instructions as on words


def _spread(nibble: int) -> int:
    """Return four bits as the lowest bits of four bytes."""
    return int(np.uint32(np.uint32(nibble & NIBBLE) * NIBBLES & LOW_BITS))


def _weigh(found: int, first: int, value: int, next_value: int) -> int:
    """Multiply four bytes, those in the mask `first` by one value and the others by the next."""
    part = found & first
    return int(np.uint32(np.uint32(part) * value + np.uint32(found ^ part) * next_value))


def _divide(number: int, divisor: int) -> int:
    """Return a quotient of positive integers below 2**32, by fewer instructions."""
    return int(np.int64(np.uint32(number) // np.uint32(divisor)))


def _mask_word(masks: Any, game: int, plane: int, word: int) -> int:
    return int(masks[game, word])


def _plane_word(planes: Any, game: int, plane: int, word: int) -> int:
    return int(planes[plane, word, game])


def mask_expander(cuda_module: Any, action_count: int) -> Any:
    """Return the device function that expands a block's masks, arrays of (game, word)."""
    return _expander(cuda_module, 1, action_count, False, _mask_word)


def plane_expander(cuda_module: Any, planes: int, area: int) -> Any:
    """Return the device function that expands a block's planes, arrays of (plane, word, game)."""
    return _expander(cuda_module, planes, area, True, _plane_word)


def _expander(cuda_module: Any, planes: int, area: int, valued: bool, load_word: Any) -> Any:
    global cuda
    cuda = cuda_module
    device = cuda.jit(device=True)
    spread, weigh, divide = device(_spread), device(_weigh), device(_divide)
    load = device(load_word)
    row_size = planes * area
    group_size = BYTES * row_size
    value_word = word_count(area) if valued else 0

    @device  # type: ignore[untyped-decorator]
    def gather(words: Any, games: int, game: int, plane: int, cell: int) -> int:
        """Return the eight bytes from a cell on, which may reach into many planes."""
        found = 0
        filled = 0
        while filled < BYTES and game < games:
            word = divide(cell, WORD_BITS)
            bit = cell - word * WORD_BITS
            count = min(WORD_BITS - bit, area - cell, BYTES - filled)
            bits = load(words, game, plane, word) >> bit & (1 << count) - 1
            value = spread(bits) | spread(bits >> 4) << HALF
            if valued:
                value *= load(words, game, plane, value_word)
            found |= value << BYTES * filled
            filled += count
            cell += count
            if cell == area:
                cell = 0
                plane += 1
                if plane == planes:
                    plane = 0
                    game += 1
        return found

    @device  # type: ignore[untyped-decorator]
    def expand(words: Any, games: int, target: Any, first: int) -> None:
        """Write the bytes of the block's games to the words target[first:]."""
        for place in range(cuda.threadIdx.x, row_size, cuda.blockDim.x):
            byte = place * BYTES
            game = divide(byte, row_size)
            cell = byte - game * row_size
            plane = divide(cell, area)
            cell -= plane * area
            # The bytes come from one word of cells, or from two: `count` from the first.
            word = divide(cell, WORD_BITS)
            bit = cell - word * WORD_BITS
            count = min(WORD_BITS - bit, area - cell, BYTES)
            ahead, next_plane, next_word = 0, plane, word
            if count < BYTES:
                next_word += 1
                if cell + count == area:
                    next_word = 0
                    next_plane += 1
                    if next_plane == planes:
                        next_plane = 0
                        ahead = 1
            at = np.uint64(first + place)
            groups = divide(max(games * row_size - byte, 0) + group_size - 1, group_size)
            rest = area if next_word == 0 else area - next_word * WORD_BITS
            if rest < BYTES - count:
                for _ in range(groups):
                    target[at] = gather(words, games, game, plane, cell)
                    game += BYTES
                    at += np.uint64(row_size)
                continue
            low_bits, low_bytes = (1 << count) - 1, (1 << BYTES * count - 1) * 2 - 1
            own, last = np.uint32(game), np.uint32(games - 1)
            for _ in range(groups):
                after = min(np.uint32(own + ahead), last)
                bits = np.uint32(load(words, own, plane, word) >> bit & low_bits)
                bits |= np.uint32((load(words, after, next_plane, next_word) & BYTE) << count)
                lower, upper = spread(bits), spread(bits >> 4)
                if valued:
                    value = load(words, own, plane, value_word)
                    next_value = load(words, after, next_plane, value_word)
                    lower = weigh(lower, low_bytes, value, next_value)
                    upper = weigh(upper, low_bytes >> HALF, value, next_value)
                target[at] = lower | upper << HALF
                own = np.uint32(own + BYTES)
                at += np.uint64(row_size)

    return expand
