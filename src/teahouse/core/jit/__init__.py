"""Specialise kernels for a game: interpreted, compiled for the CPU, or compiled for a GPU.

Kernels are plain functions and do not know how they run. Numba is imported when the first kernel
is compiled, by this package alone.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core.jit.backend import (
    COMPILED,
    INTERPRETED,
    Backend,
    default_backend,
    interpret,
)
from teahouse.core.jit.bind import Kernel, rules
from teahouse.core.jit.mode import interpreted

if TYPE_CHECKING:
    from teahouse.core.game import Game

__all__ = [
    "COMPILED",
    "INTERPRETED",
    "Backend",
    "Kernel",
    "as_bytes",
    "as_records",
    "clear",
    "default_backend",
    "int_buffer",
    "interpret",
    "interpreted",
    "move_buffers",
    "ready",
    "rules",
    "specialize",
    "to_array",
    "zero_records",
]


def specialize(kernel: Kernel, game: Game, rules: ModuleType | None = None) -> Kernel:
    """Return the kernel for a game and its options, compiled unless `interpreted()`.

    The name `rules` in the kernel refers to the game's rules, or to the given module.
    """
    return default_backend().specialize(kernel, game, rules)


def ready(kernel: Kernel, game: Game, rules: ModuleType | None = None) -> bool:
    """Return whether the kernel can run compiled at once: it is in memory or in the kernel cache.

    Does not import Numba.
    """
    from teahouse.core.jit.cache import identify, is_ready

    layout = game.layout
    return is_ready(identify(kernel, rules or game.rules, layout.board.dtype, layout.state))


def clear() -> None:
    """Drop all specialised kernels, for tests and benchmarks that replace rules."""
    from teahouse.core.jit.compiler import clear_compiled

    interpret.cache_clear()
    clear_compiled()


def as_records(array: np.ndarray) -> Any:
    """Return an array of records as specialised kernels take it."""
    return default_backend().as_records(array)


def int_buffer(count: int) -> Any:
    """Return a buffer of zeros (int64), as specialised kernels take it."""
    return default_backend().int_buffer(count)


def move_buffers(count: int, max_moves: int) -> Any:
    """Return `count` buffers that the `legal` kernel can write moves to."""
    return default_backend().move_buffers(count, max_moves)


def zero_records(count: int, dtype: np.dtype) -> Any:
    """Return `count` zeroed records as specialised kernels take them."""
    return default_backend().zero_records(count, dtype)


def to_array(records: Any, begin: int, end: int) -> np.ndarray:
    """Return a range of records that specialised kernels take as an array."""
    return default_backend().to_array(records, begin, end)


def as_bytes(records: Any) -> Any:
    """Return a view of each record's bytes, as specialised kernels take it."""
    return default_backend().as_bytes(records)
