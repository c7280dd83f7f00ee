"""Kernels made ready to run: interpreted, compiled for this machine, or compiled for a GPU.

This is the only file that imports Numba. Kernels are plain functions; nothing in them says how they
run. `bind` copies a kernel with all it calls, so that the name `rules` in it means one game's rules
and every call goes to the compiled copy.
"""

from __future__ import annotations

import contextlib
import dis
import hashlib
import os
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from teahouse.core.errors import DeviceError
from teahouse.core.pyrecord import PyRecordBytes, PyRecords

if TYPE_CHECKING:
    from teahouse.core.game import Game, Layout, Rules

Kernel = Callable[..., Any]

rules = cast("Rules", None)
"""What kernels for any game call by this name: one game's rules, once they are bound."""


def interpreted() -> bool:
    """Whether Numba is to be left alone: TEAHOUSE_INTERPRETED=1."""
    return os.environ.get("TEAHOUSE_INTERPRETED", "") not in ("", "0")


def specialize(kernel: Kernel, game: Game, rules: ModuleType | None = None) -> Kernel:
    """The kernel for a game with its options, compiled unless that is switched off.

    What it calls by the name `rules` are the game's rules, or the module that is given.
    """
    if interpreted():
        return interpret(kernel, rules or game.rules)
    return _compiled(kernel, rules or game.rules, game.layout.board.dtype, game.layout.state)


def clear() -> None:
    """Make every kernel ready anew: for when rules were changed on purpose."""
    interpret.cache_clear()
    _compiled.cache_clear()


def as_records(array: np.ndarray) -> Any:
    """An array of records as `ready` kernels take it."""
    return PyRecords(array) if interpreted() else array


def zero_records(count: int, dtype: np.dtype) -> Any:
    """Return `count` zeroed records as specialised kernels take them."""
    return PyRecords.zeros(count, dtype) if interpreted() else np.zeros(count, dtype)


def as_bytes(records: Any) -> Any:
    """The bytes of records that `ready` kernels take, row by row; they change as these do."""
    if interpreted():
        return PyRecordBytes(records)
    return records.view(np.uint8).reshape(len(records), -1)


def int_buffer(count: int) -> Any:
    """A list of zeros as `ready` kernels take it."""
    return [0] * count if interpreted() else np.zeros(count, np.int64)


def move_buffers(lists: int, max_moves: int) -> Any:
    """Lists for `legal` to write into, as `ready` kernels take them."""
    if interpreted():
        return [[0] * max_moves for _ in range(lists)]
    return np.zeros((lists, max_moves), np.int32)


def bind(
    kernel: Kernel,
    rules: ModuleType,
    wrap: Callable[[FunctionType], Any] = lambda function: function,
    label: str = "",
) -> Any:
    """A copy of the kernel, and of every function it reaches, each passed through `wrap`.

    The label becomes part of all copies' names.
    """
    copies: dict[FunctionType, Any] = {}
    bound_rules = ModuleType("rules")

    def copy(function: FunctionType) -> Any:
        if function not in copies:
            names: dict[str, Any] = {"__name__": function.__module__}
            for name, value in reached(function).items():
                names[name] = copy(value) if isinstance(value, FunctionType) else value
            if "rules" in names:
                for name in sorted({*function.__code__.co_names} & vars(rules).keys()):
                    value = vars(rules)[name]
                    if isinstance(value, FunctionType):
                        setattr(bound_rules, name, copy(value))
                names["rules"] = bound_rules
            clone = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
            clone.__module__ = function.__module__
            clone.__qualname__ = function.__qualname__ + label
            copies[function] = wrap(clone)
        return copies[function]

    assert isinstance(kernel, FunctionType)
    return copy(kernel)


def reached(function: FunctionType) -> dict[str, Any]:
    """The globals that a function's code names, in the order of their names."""
    names = {
        instruction.argval
        for instruction in dis.get_instructions(function)
        if instruction.opname == "LOAD_GLOBAL"
    }
    known = function.__globals__
    return {name: known[name] for name in sorted(names) if name in known}


def fingerprint(kernel: Kernel, rules: ModuleType, *records: np.dtype) -> str:
    """A hash of all that the compiled kernel is made from: code, constants, records, compiler."""
    import numba

    compiler = (sys.version, numba.__version__, np.__version__)
    digest = hashlib.sha256(repr((compiler, rules.__name__, records)).encode())

    def note(function: FunctionType) -> FunctionType:
        digest.update(repr(_code(function.__code__)).encode())
        digest.update(repr(function.__defaults__).encode())
        for name, value in function.__globals__.items():
            if isinstance(value, np.ndarray):
                digest.update(value.tobytes())
            elif not callable(value) and not isinstance(value, ModuleType):
                digest.update(repr((name, value)).encode())
        return function

    bind(kernel, rules, note)
    return digest.hexdigest()[:32]


def _code(code: CodeType) -> tuple[Any, ...]:
    return (code.co_name, code.co_code, code.co_names, code.co_varnames, repr(code.co_consts))


def cache_folder() -> Path:
    """Where compiled kernels are kept: TEAHOUSE_CACHE_DIR, or a folder of the user's."""
    given = os.environ.get("TEAHOUSE_CACHE_DIR")
    if given:
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("teahouse")


@cache
def interpret(kernel: Kernel, rules: ModuleType) -> Kernel:
    """The kernel interpreted."""
    return bind(kernel, rules)


@cache
def _compiled(kernel: Kernel, rules: ModuleType, board: np.dtype, state: np.dtype) -> Kernel:
    import numba

    # Numba tells records of different types apart by numbers of this process alone. So functions
    # from two cached files could have one name, and one would be called for the other, if the
    # name did not hold all that the function is made from.
    key = fingerprint(kernel, rules, board, state)
    dispatcher = bind(kernel, rules, numba.njit(nogil=True), label=f"_{key}")
    dispatcher._cache = _KernelCache(f"{rules.__name__.split('.')[-2]}.{kernel.__name__}", key)
    return dispatcher


class _KernelCache:
    """One file for each kernel and kind of arguments, named by a hash of all it depends on.

    Numba's own cache looks at one source file's date only and keeps an index that two processes can
    tear. A file here is never changed: other code has another name.
    """

    def __init__(self, name: str, key: str) -> None:
        self._name = name
        self._key = key

    def _path(self, signature: Any, codegen: Any) -> Path:
        kind = repr((self._key, str(signature), codegen.magic_tuple()))
        return cache_folder() / f"{self._name}.{hashlib.sha256(kind.encode()).hexdigest()[:32]}.bin"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        from numba.core.compiler import CompileResult

        target_context.refresh()
        try:
            payload = self._path(signature, target_context.codegen()).read_bytes()
            checksum, body = payload[:32], payload[32:]
            if hashlib.sha256(body).digest() != checksum:
                return None
            return CompileResult._rebuild(target_context, *pickle.loads(body))  # type: ignore[no-untyped-call]
        except OSError:
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        from numba.core.serialize import dumps

        body = dumps(result._reduce())  # type: ignore[no-untyped-call]
        path = self._path(signature, result.codegen)
        with contextlib.suppress(OSError):  # a cache that cannot be written is done without
            path.parent.mkdir(parents=True, exist_ok=True)
            self._drop_unused(path.parent)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(hashlib.sha256(body).digest() + body)
            os.replace(file.name, path)

    def _drop_unused(self, folder: Path) -> None:
        """Remove this kernel's files that nobody has read for a month: older sources' and such."""
        for path in folder.glob(f"{self._name}.*.bin"):
            times = path.stat()
            if max(times.st_atime, times.st_mtime) < time.time() - 30 * 24 * 3600:
                path.unlink(missing_ok=True)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


SHARED_MEMORY = 48 * 1024  # bytes that any block of a GPU's threads may have


@cache
def cuda_games(
    kernel: Kernel, rules: ModuleType, layout: Layout, players: int, rows: int
) -> Kernel:
    """`play_games` on the GPU: a function of `rows` states, seed, first and end."""
    cuda = cuda_module()
    threads = 128
    while threads * rows * layout.state.itemsize > SHARED_MEMORY:
        threads //= 2
    entry = _cuda_entry(
        cuda, bind(kernel, rules, cuda.jit(device=True)), layout, players, rows, threads
    )
    board = cuda.to_device(layout.board)
    device = cuda.get_current_device()
    most = device.MULTIPROCESSOR_COUNT * device.MAX_THREADS_PER_MULTIPROCESSOR

    def play(states: np.ndarray, seed: int, first: int, end: int) -> list[int]:
        totals = cuda.to_device(np.zeros(2 + players, np.int64))
        blocks = -(-min(most, end - first) // threads)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that few games do not fill the GPU is no news
            entry[blocks, threads](board, cuda.to_device(states), totals, seed, first, end)
        return [int(total) for total in totals.copy_to_host()]

    return play


def _cuda_entry(
    cuda: Any, play_games: Any, layout: Layout, players: int, rows: int, threads: int
) -> Any:
    """The GPU's entry, in which each thread plays games of its own.

    States lie in shared memory: threads read them at places that have nothing in common, which
    takes the memory of single threads several times as long.
    """
    import numba

    state_type = numba.from_dtype(layout.state)
    max_moves = layout.max_moves
    kinds = 2 + players

    def entry(boards: Any, states: Any, totals: Any, seed: int, first: int, end: int) -> None:
        own = cuda.shared.array((threads, rows), state_type)[cuda.threadIdx.x]
        moves = cuda.local.array(max_moves, numba.int32)
        counts = cuda.local.array(kinds, numba.int64)
        for kind in range(kinds):
            counts[kind] = 0
        if rows > 1:
            own[1] = states[1]
        play_games(boards, own, moves, counts, seed, first + cuda.grid(1), end, cuda.gridsize(1))
        for kind in range(kinds):
            cuda.atomic.add(totals, kind, counts[kind])

    return cuda.jit(entry)


def cuda_module() -> Any:
    """Numba's CUDA module, if there is a GPU it can use."""
    if interpreted():
        raise DeviceError("device cuda needs compiling, which TEAHOUSE_INTERPRETED switches off")
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 still asks for it beside NumPy 2.5
    try:
        cuda = import_module("numba.cuda")
        available = cuda.is_available()
    except ImportError as error:
        raise DeviceError(f"device cuda needs pip install 'teahouse[gpu]' ({error})") from None
    if not available:
        raise DeviceError("device cuda needs an NVIDIA GPU and its driver; none was found here")
    return cuda
