"""Kernels on an NVIDIA GPU: device detection, block layout and launching.

A thread works on one game at a time. It accesses the state at addresses unrelated to those of its
neighbours, for which shared memory is several times as fast as local or global memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from teahouse.core import bits
from teahouse.core.errors import DeviceError
from teahouse.core.extras import install_command
from teahouse.core.jit.bind import Kernel, bind
from teahouse.core.jit.mode import interpreted

SHARED_MEMORY = 48 * 1024  # bytes that a block may use on every GPU
MAX_THREADS = 128  # per block
WARP = 32  # threads that run in step; a smaller block would leave some of them idle


@dataclass(frozen=True)
class BlockLayout:
    """How many threads a block has, and what each keeps in shared memory."""

    threads: int
    shared_state: bool
    """Whether states lie in shared memory; if not, in local or global memory."""
    shared_row: bool
    """Whether output rows are staged in shared memory; if not, they are written directly."""


def block_layout(state_size: int, row_size: int = 0) -> BlockLayout:
    """Choose the block layout for threads with a state and an output row of these sizes in bytes.

    States take precedence over rows, and both over the number of threads, which is between `WARP`
    and `MAX_THREADS` whatever the sizes are.
    """
    for shared_state, shared_row in ((True, True), (True, False), (False, True)):
        size = shared_state * state_size + shared_row * row_size
        threads = MAX_THREADS
        while threads > WARP and threads * size > SHARED_MEMORY:
            threads //= 2
        if threads * size <= SHARED_MEMORY:
            return BlockLayout(threads, shared_state, shared_row and row_size > 0)
    return BlockLayout(MAX_THREADS, False, False)


def launcher(
    kernel: Any, games: int, block: int, threads: int | None = None
) -> Callable[..., None]:
    """Return the CUDA kernel configured for at least this many games, in blocks of `block`.

    A block has a thread for each of its games, or as many as given.
    """
    from teahouse.core.jit.cuda_launch import Launcher

    return Launcher(cuda_module(), kernel, -(-games // block), threads or block)


def host_copy(array: Any) -> Any:
    """Return the `HostCopy` of a device array of one number."""
    from teahouse.core.jit.cuda_launch import HostCopy

    return HostCopy(cuda_module(), array)


def max_resident_threads() -> int:
    """Return how many threads the GPU can run at the same time."""
    device = cuda_module().get_current_device()
    return int(device.MULTIPROCESSOR_COUNT * device.MAX_THREADS_PER_MULTIPROCESSOR)


def bind_device(kernel: Kernel, rules: ModuleType) -> Any:
    """Return the kernel bound to these rules, as a device function that CUDA kernels call."""
    return bind(kernel, rules, cuda_module().jit(device=True), {**_instructions()})


@cache
def _instructions() -> dict[FunctionType, Any]:
    """Return what replaces the functions of `core.bits`."""
    cuda = cuda_module()

    def popcount(bits: int) -> int:
        return int(cuda.popc(bits))

    def lowest_bit(bits: int) -> int:
        return int(cuda.ffs(bits)) - 1

    def bit_length(bits: int) -> int:
        return 64 - int(cuda.clz(bits))

    device = cuda.jit(device=True)
    found: dict[Any, Any] = {
        bits.popcount: device(popcount),
        bits.lowest_bit: device(lowest_bit),
        bits.bit_length: device(bit_length),
    }
    return found


def record_type(dtype: np.dtype) -> Any:
    """Return the Numba type of a record, for arrays in shared or local memory."""
    import numba

    return numba.from_dtype(dtype)


def cuda_module() -> Any:
    """Return `numba.cuda`; raise `DeviceError` if there is no usable GPU."""
    if interpreted():
        raise DeviceError("device cuda requires compiled kernels; unset TEAHOUSE_INTERPRETED")
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 uses it, NumPy 2.5 has removed it
    try:
        cuda = import_module("numba.cuda")
        available = cuda.is_available()
    except ImportError as error:
        raise DeviceError(f"device cuda requires: {install_command('gpu')} ({error})") from None
    if not available:
        raise DeviceError(
            "device cuda requires an NVIDIA GPU and its driver; none was found here: use device cpu"
        )
    return cuda
