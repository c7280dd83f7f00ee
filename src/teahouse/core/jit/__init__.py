"""Specialise kernels for a game: interpreted, compiled for the CPU, or compiled for a GPU.

Kernels are plain functions and do not know how they run. Numba is imported when the first kernel
is compiled, by this package alone.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core.jit.bind import Kernel, bind, rules
from teahouse.core.jit.mode import interpreted
from teahouse.core.pyrecord import PyRecordBytes, PyRecords

if TYPE_CHECKING:
    from teahouse.core.game import Game

__all__ = [
    "Kernel",
    "as_bytes",
    "as_records",
    "clear",
    "int_buffer",
    "interpret",
    "interpreted",
    "move_buffers",
    "rules",
    "specialize",
    "to_array",
    "zero_records",
]


def specialize(kernel: Kernel, game: Game, rules: ModuleType | None = None) -> Kernel:
    """Return the kernel for a game and its options, compiled unless `interpreted()`.

    The name `rules` in the kernel refers to the game's rules, or to the given module.
    """
    if interpreted():
        return interpret(kernel, rules or game.rules)
    return _compile(kernel, rules or game.rules, game.layout.board.dtype, game.layout.state)


@cache
def interpret(kernel: Kernel, rules: ModuleType) -> Kernel:
    """Return the kernel bound to these rules, interpreted."""
    return bind(kernel, rules)


@cache
def _compile(kernel: Kernel, rules: ModuleType, board: np.dtype, state: np.dtype) -> Kernel:
    import numba

    from teahouse.core.jit.cache import attach, fingerprint

    # Numba numbers record types in each process, so functions compiled by two processes can get
    # the same mangled name and one would be called instead of the other. The fingerprint in the
    # name keeps them apart.
    key = fingerprint(kernel, rules, board, state)
    dispatcher = bind(kernel, rules, numba.njit(nogil=True), suffix=f"_{key}")
    attach(dispatcher, f"{rules.__name__.split('.')[-2]}.{kernel.__name__}", key)
    return dispatcher


def clear() -> None:
    """Forget all specialised kernels, for tests and benchmarks that replace rules."""
    interpret.cache_clear()
    _compile.cache_clear()


def as_records(array: np.ndarray) -> Any:
    """Return an array of records as specialised kernels take it."""
    return PyRecords(array) if interpreted() else array


def zero_records(count: int, dtype: np.dtype) -> Any:
    """Return `count` zeroed records as specialised kernels take them."""
    return PyRecords.zeros(count, dtype) if interpreted() else np.zeros(count, dtype)


def to_array(records: Any, begin: int, end: int) -> np.ndarray:
    """Return a range of records that specialised kernels take as an array."""
    array: np.ndarray = records.to_array(begin, end) if interpreted() else records[begin:end]
    return array


def as_bytes(records: Any) -> Any:
    """Return a view of each record's bytes, as specialised kernels take it."""
    if interpreted():
        return PyRecordBytes(records)
    return records.view(np.uint8).reshape(len(records), -1)


def int_buffer(count: int) -> Any:
    """Return a buffer of zeros (int64), as specialised kernels take it."""
    return [0] * count if interpreted() else np.zeros(count, np.int64)


def move_buffers(count: int, max_moves: int) -> Any:
    """Return `count` buffers that the `legal` kernel can write moves to."""
    if interpreted():
        return [[0] * max_moves for _ in range(count)]
    return np.zeros((count, max_moves), np.int32)
