"""Low-overhead repeated launches of CUDA kernels.

Numba resolves the types of all arguments in each launch and unpacks their arrays: 90 µs for a
kernel with fourteen of them, more than the kernel takes for 65,536 games. A `Launcher` keeps the
unpacked arguments and replaces those that changed: 5 µs.

Private interfaces of numba-cuda: `_Kernel._prepare_args` and `_Kernel._codelibrary`. Where they are
missing, as in its simulator and in early versions, Numba launches.
"""

from __future__ import annotations

import contextlib
import ctypes
import warnings
from importlib import import_module
from operator import is_
from threading import get_ident
from typing import Any

from numba.core import config

driver: Any = None
if not vars(config)["ENABLE_CUDASIM"]:
    with contextlib.suppress(ImportError):
        driver = import_module("cuda.bindings.driver")


class Launcher:
    """A CUDA kernel configured for a number of blocks with a number of threads each."""

    def __init__(self, cuda: Any, kernel: Any, blocks: int, threads: int) -> None:
        self._cuda = cuda
        self._kernel = kernel
        self._blocks = blocks
        self._threads = threads
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a grid too small to fill the GPU is intended
            self._configured = kernel[blocks, threads]
        self._owner = 0  # the host thread whose current context is known
        self._arguments: tuple[Any, ...] = ()
        self._types: tuple[Any, ...] = ()
        self._unpacks = driver is not None

    def __call__(self, *arguments: Any) -> None:
        """Launch the kernel on the default stream."""
        if not self._unpacks:
            self._configured(*arguments)
            return
        if self._owner != get_ident():
            self._cuda.current_context()  # makes the context current in this thread
            self._owner = get_ident()
        if len(arguments) != len(self._arguments) or not all(map(is_, arguments, self._arguments)):
            try:
                self._update(arguments)
            except AttributeError:  # another version of numba-cuda
                self._unpacks = False
                self._configured(*arguments)
                return
        (error,) = driver.cuLaunchKernel(
            self._function, self._blocks, 1, 1, self._threads, 1, 1, 0, 0, self._address, 0
        )
        _check(error)

    def _update(self, arguments: tuple[Any, ...]) -> None:
        """Unpack the arguments that changed since the last launch."""
        if len(arguments) != len(self._arguments):
            self._prepare(arguments)
            return
        for index, (new, old) in enumerate(zip(arguments, self._arguments, strict=True)):
            if new is not old and not self._replace(index, new):
                self._prepare(arguments)
                return
        self._arguments = arguments

    def _prepare(self, arguments: tuple[Any, ...]) -> None:
        """Compile the kernel for these arguments and unpack them."""
        self._types = tuple(map(self._kernel.typeof_pyval, arguments))
        compiled = self._kernel.compile(self._types)
        self._compiled = compiled
        self._function = compiled._codelibrary.get_cufunc().handle
        self._arguments = arguments
        self._first: list[int] = []  # index of each argument's first unpacked value
        values: list[Any] = []
        for kind, argument in zip(self._types, arguments, strict=True):
            self._first.append(len(values))
            compiled._prepare_args(kind, argument, 0, [], values)
        self._values = (ctypes.c_uint64 * len(values))()  # no argument is larger
        base, size = ctypes.addressof(self._values), ctypes.sizeof(ctypes.c_uint64)
        pointers = [base + size * index for index in range(len(values))]
        self._pointers = (ctypes.c_void_p * len(values))(*pointers)
        self._address = ctypes.addressof(self._pointers)
        self._store(0, values)

    def _replace(self, index: int, argument: Any) -> bool:
        """Unpack one argument anew; return False if the kernel was compiled for another type."""
        kind = self._kernel.typeof_pyval(argument)
        if kind != self._types[index]:
            return False
        values: list[Any] = []
        self._compiled._prepare_args(kind, argument, 0, [], values)
        self._store(self._first[index], values)
        return True

    def _store(self, first: int, values: list[Any]) -> None:
        for index, value in enumerate(values, first):
            number = value.value if isinstance(value, ctypes._SimpleCData) else int(value)
            self._values[index] = number & 0xFFFFFFFFFFFFFFFF


class HostCopy:
    """A copy of a device array of one number in host memory, which waits for no later kernel."""

    def __init__(self, cuda: Any, array: Any) -> None:
        self._array = array
        if driver is not None:
            self._host = cuda.pinned_array(1, array.dtype)
            self._target = self._host.ctypes.data
            self._source = array.__cuda_array_interface__["data"][0]
            untimed = driver.CUevent_flags.CU_EVENT_DISABLE_TIMING
            error, self._event = driver.cuEventCreate(untimed.value)
            _check(error)

    def __del__(self) -> None:
        if driver is not None and hasattr(self, "_event"):
            driver.cuEventDestroy(self._event)

    def request(self) -> None:
        """Copy the number once the kernels launched so far have ended."""
        if driver is not None:
            (error,) = driver.cuMemcpyDtoHAsync(self._target, self._source, self._host.itemsize, 0)
            _check(error)
            (error,) = driver.cuEventRecord(self._event, 0)
            _check(error)

    def wait(self) -> int:
        """Return the number after the last request."""
        if driver is None:
            return int(self._array.copy_to_host()[0])
        (error,) = driver.cuEventSynchronize(self._event)
        _check(error)
        return int(self._host[0])


def _check(error: Any) -> None:
    if error:
        raise RuntimeError(f"CUDA reports {driver.CUresult(error).name}")
