"""Backends: kernels interpreted or compiled for the CPU, and their arguments in either case."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core.jit.bind import Kernel, bind
from teahouse.core.jit.mode import interpreted
from teahouse.core.pyrecord import PyRecordBytes, PyRecords

if TYPE_CHECKING:
    from teahouse.core.game import Game


CACHE_LINES = 128  # bytes: processors fetch lines of 64 bytes in pairs


class Backend(ABC):
    """Specialises kernels and allocates their arguments."""

    interpreted: bool

    @abstractmethod
    def specialize(self, kernel: Kernel, game: Game, rules: ModuleType | None = None) -> Kernel:
        """Return the kernel for a game and its options.

        The name `rules` in the kernel refers to the game's rules, or to the given module.
        """

    @abstractmethod
    def as_records(self, records: np.ndarray) -> Any:
        """Return an array of records as kernels take it."""

    @abstractmethod
    def zero_records(self, count: int, dtype: np.dtype) -> Any:
        """Return `count` zeroed records."""

    @abstractmethod
    def to_array(self, records: Any, begin: int, end: int) -> np.ndarray:
        """Return a range of records as an array."""

    @abstractmethod
    def as_bytes(self, records: Any) -> Any:
        """Return a view of each record's bytes."""

    @abstractmethod
    def first(self, records: Any) -> Any:
        """Return the first record, with its fields as attributes that can be set."""

    @abstractmethod
    def zeros(self, count: int, dtype: Any) -> Any:
        """Return a buffer of zeros with the range and precision of the type."""

    @abstractmethod
    def int_buffer(self, count: int) -> Any:
        """Return a buffer of zeros (int64)."""

    @abstractmethod
    def move_buffers(self, count: int, max_moves: int) -> Any:
        """Return `count` buffers that the `legal` kernel can write moves to."""


class InterpretedBackend(Backend):
    """Runs kernels as Python, over Python objects."""

    interpreted = True

    def specialize(self, kernel: Kernel, game: Game, rules: ModuleType | None = None) -> Kernel:
        return interpret(kernel, rules or game.rules)

    def as_records(self, records: np.ndarray) -> Any:
        return PyRecords(records)

    def zero_records(self, count: int, dtype: np.dtype) -> Any:
        return PyRecords.zeros(count, dtype)

    def to_array(self, records: Any, begin: int, end: int) -> np.ndarray:
        found: np.ndarray = records.to_array(begin, end)
        return found

    def as_bytes(self, records: Any) -> Any:
        return PyRecordBytes(records)

    def first(self, records: Any) -> Any:
        return records[0]

    def zeros(self, count: int, dtype: Any) -> Any:
        dtype = np.dtype(dtype)
        return array(dtype.char, bytes(count * dtype.itemsize))

    def int_buffer(self, count: int) -> Any:
        return [0] * count

    def move_buffers(self, count: int, max_moves: int) -> Any:
        return [[0] * max_moves for _ in range(count)]


class CompiledBackend(Backend):
    """Compiles kernels with Numba, or loads them from the kernel cache."""

    interpreted = False

    def specialize(self, kernel: Kernel, game: Game, rules: ModuleType | None = None) -> Kernel:
        from teahouse.core.jit.compiler import compiled

        return compiled(kernel, rules or game.rules, game.layout.board.dtype, game.layout.state)

    def as_records(self, records: np.ndarray) -> Any:
        return records

    def zero_records(self, count: int, dtype: np.dtype) -> Any:
        return _aligned_zeros((count,), dtype)

    def to_array(self, records: Any, begin: int, end: int) -> np.ndarray:
        found: np.ndarray = records[begin:end]
        return found

    def as_bytes(self, records: Any) -> Any:
        return records.view(np.uint8).reshape(len(records), -1)

    def first(self, records: Any) -> Any:
        return records.view(np.recarray)[0]

    def zeros(self, count: int, dtype: Any) -> Any:
        return np.zeros(count, dtype)

    def int_buffer(self, count: int) -> Any:
        return _aligned_zeros((count,), np.dtype(np.int64))

    def move_buffers(self, count: int, max_moves: int) -> Any:
        return _aligned_zeros((count, max_moves), np.dtype(np.int32))


def _aligned_zeros(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return zeros aligned so that they share no cache line with other arrays (false sharing)."""
    size = math.prod(shape) * dtype.itemsize
    buffer = np.zeros(size + 2 * CACHE_LINES, np.uint8)
    first = -buffer.ctypes.data % CACHE_LINES
    return buffer[first : first + size].view(dtype).reshape(shape)


INTERPRETED = InterpretedBackend()
COMPILED = CompiledBackend()


def default_backend() -> Backend:
    """Return the compiled backend, or the interpreted one if TEAHOUSE_INTERPRETED=1."""
    return INTERPRETED if interpreted() else COMPILED


@cache
def interpret(kernel: Kernel, rules: ModuleType) -> Kernel:
    """Return the kernel bound to these rules, interpreted."""
    return bind(kernel, rules)
