"""Expand random masks and planes in Numba's simulator of a GPU, and compare: exit status 1 if not.

The simulator is chosen when Numba is imported, so this is a program of its own.
"""

from importlib import import_module
from typing import Any

import numpy as np

from teahouse.core.packed import WORD_BITS, word_count
from teahouse.rl.cuda_expand import mask_expander, plane_expander

cuda: Any = import_module("numba.cuda")
rng = np.random.default_rng(1)


def words_of(bits: np.ndarray) -> np.ndarray:
    words = np.zeros(word_count(len(bits)), np.int64)
    for index in np.flatnonzero(bits):
        words[index // WORD_BITS] |= 1 << int(index) % WORD_BITS
    return words


def expanded(expand: Any, packed: np.ndarray, games: int, threads: int, row: int) -> np.ndarray:
    """Return the rows of bytes that blocks write; games are the last axis of planes."""

    @cuda.jit  # type: ignore[untyped-decorator]
    def run(packed: Any, target: Any) -> None:
        first = cuda.blockIdx.x * threads
        block = packed[first:] if packed.ndim == 2 else packed[:, :, first:]
        expand(block, min(threads, games - first), target, first // 8 * row)

    target = np.zeros(-(-games * row // 8), np.uint64)
    run[-(-games // threads), 2 * threads](packed, target)
    return target.view(np.uint8)[: games * row].reshape(games, row)


def check_masks(actions: int, games: int, threads: int) -> None:
    masks = rng.integers(0, 2, (games, actions)).astype(np.uint8)
    packed = np.stack([words_of(mask) for mask in masks])
    found = expanded(mask_expander(cuda, actions), packed, games, threads, actions)
    assert np.array_equal(found, masks), (actions, games)


def check_planes(planes: int, area: int, games: int, threads: int) -> None:
    bits = rng.integers(0, 2, (games, planes, area))
    values = rng.integers(1, 256, (games, planes))
    packed = np.zeros((planes, word_count(area) + 1, games), np.int64)
    for game in range(games):
        for plane in range(planes):
            packed[plane, :-1, game] = words_of(bits[game, plane])
            packed[plane, -1, game] = values[game, plane]
    row = planes * area
    found = expanded(plane_expander(cuda, planes, area), packed, games, threads, row)
    expected = (bits * values[:, :, None]).reshape(games, row)
    assert np.array_equal(found, expected), (planes, area, games)


if __name__ == "__main__":
    for case in ((111, 19, 16), (3, 5, 8), (63, 16, 16), (296, 13, 8)):
        check_masks(*case)
    for sizes in ((4, 49, 19, 16), (3, 81, 9, 8), (5, 9, 13, 16), (2, 441, 8, 8), (3, 3, 11, 8)):
        check_planes(*sizes)
