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
ALL_LANES = (1 << WARP) - 1  # the mask of all threads of a warp
BANK = 4  # bytes of each of the banks of shared memory, which serve one thread at a time


@dataclass(frozen=True)
class BlockLayout:
    """How many threads a block has, and what each keeps in shared memory."""

    threads: int
    shared_state: bool
    """Whether states lie in shared memory; if not, in local or global memory."""
    shared_row: bool
    """Whether output rows are staged in shared memory; if not, they are written directly."""


def block_layout(state_size: int, row_size: int = 0, max_threads: int = MAX_THREADS) -> BlockLayout:
    """Choose the block layout for threads with a state and an output row of these sizes in bytes.

    States take precedence over rows, and both over the number of threads, which is between `WARP`
    and `max_threads` whatever the sizes are.
    """
    for shared_state, shared_row in ((True, True), (True, False), (False, True)):
        size = shared_state * state_size + shared_row * row_size
        threads = max_threads
        while threads > WARP and threads * size > SHARED_MEMORY:
            threads //= 2
        if threads * size <= SHARED_MEMORY:
            return BlockLayout(threads, shared_state, shared_row and row_size > 0)
    return BlockLayout(max_threads, False, False)


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


def resident_threads(kernel: Any, block: int, arguments: tuple[Any, ...]) -> int:
    """Return how many threads of a CUDA kernel the GPU runs at a time, in blocks of `block`."""
    compiled = kernel.compile(tuple(map(kernel.typeof_pyval, arguments)))
    return block * int(compiled.max_cooperative_grid_blocks(block))


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

    def nth_bit(bits: int, number: int) -> int:
        """Search half of the bits: operations on 64 of them take two instructions."""
        half = np.uint32(bits & (1 << 32) - 1)
        left = np.int32(number)
        index = 0
        below = np.int32(cuda.popc(half))
        if left >= below:
            half = np.uint32(bits >> 32)
            left = np.int32(left - below)
            index = 32
        for width in (16, 8, 4, 2, 1):
            below = np.int32(cuda.popc(np.uint32(half & (1 << width) - 1)))
            if left >= below:
                half = np.uint32(half >> width)
                left = np.int32(left - below)
                index += width
        return index

    def deposit(bits: int, mask: int) -> int:
        """Stop when no bits are left, which are few."""
        found = 0
        while bits and mask:
            found |= (mask & -mask) * (bits & 1)
            bits >>= 1
            mask &= mask - 1
        return found

    def extract(bits: int, mask: int) -> int:
        """Take the first three bits, often all, without branches that threads take apart."""
        found = 0
        for place in range(3):
            found |= (bits & mask & -mask != 0) << place
            mask &= mask - 1
        place = 3
        while mask:
            found |= (bits & mask & -mask != 0) << place
            place += 1
            mask &= mask - 1
        return found

    device = cuda.jit(device=True)
    found: dict[Any, Any] = {
        bits.popcount: device(popcount),
        bits.lowest_bit: device(lowest_bit),
        bits.bit_length: device(bit_length),
        bits.nth_bit: device(nth_bit),
        bits.deposit: device(deposit),
        bits.extract: device(extract),
    }
    return found


def padded(dtype: np.dtype) -> np.dtype:
    """Return a record type with space after it, so that threads use different banks at a time.

    Neighbours that access the same field of their own records do so an odd number of banks apart,
    or of pairs of banks if there are fields of eight bytes.
    """
    names = dtype.names or ()
    fields = [dtype.fields[name] for name in names] if dtype.fields else []
    unit = max(BANK, *(field[0].alignment for field in fields))
    size = -(-dtype.itemsize // unit) | 1
    layout: Any = {
        "names": [*names],
        "formats": [field[0] for field in fields],
        "offsets": [field[1] for field in fields],
        "itemsize": size * unit,
    }
    return np.dtype((dtype.type, np.dtype(layout, align=True)))


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
