"""The on-disk cache of compiled kernels.

One immutable file holds one kernel for one type of arguments. Its name is a hash of everything the
machine code depends on: bytecode, constants and record types (`identify`), argument types,
processor, and the versions of Python, NumPy and Numba. So a stale file is never loaded, and
processes that write at the same time cannot corrupt each other's files. Numba's own cache checks
the date of one source file only, and its shared index is not safe against concurrent writers.

Numba is imported only to load and to save.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from teahouse.core.files import try_lock, write_atomic
from teahouse.core.jit.bind import Kernel, bind
from teahouse.core.jit.folder import (
    cache_folder,
    configured_folder,
    create_cache_folder,
    trusted_owner,
    warn_once,
)
from teahouse.core.jit.sweep import mark_used, sweep

LOCK_SECONDS = 120.0  # timeout of the lock, longer than any compilation
CHECKSUM_BYTES = 32
FORMAT = 4  # increment when `compiler` generates different code

loaded: set[Identity] = set()
"""The kernels that this process has compiled or loaded."""


class Identity(NamedTuple):
    """Name and content hash of a kernel specialised for a game."""

    name: str
    key: str


@cache
def identify(kernel: Kernel, rules: ModuleType, *records: np.dtype) -> Identity:
    """Hash everything the compiled kernel depends on: code, constants, records, compiler.

    A kernel that does not reach the rules is the same for all games.
    """
    reaches_rules = False

    def name_by_content(function: FunctionType) -> FunctionType:
        nonlocal reaches_rules
        reaches_rules = reaches_rules or "rules" in function.__globals__
        function.__qualname__ = content_name(function)
        return function

    content = bind(kernel, rules, name_by_content).__qualname__
    made_from: list[Any] = [FORMAT, content, sys.version, version("numba"), np.__version__]
    game = "any"
    if reaches_rules:
        game = rules.__name__.split(".")[-2]
        made_from += [rules.__name__, *records]
    digest = hashlib.sha256(repr(made_from).encode()).hexdigest()
    assert isinstance(kernel, FunctionType)
    return Identity(f"{game}.{kernel.__name__}", digest[:32])


def content_name(function: FunctionType) -> str:
    """Return the function's name with a hash of its code and constants.

    The functions it calls are bound copies that have been renamed so, hence the hash covers them.
    """
    code = function.__code__
    digest = hashlib.sha256(repr((_code_key(code), function.__defaults__)).encode())
    for name, value in function.__globals__.items():
        if name == "rules":
            called = sorted({*code.co_names} & vars(value).keys())
            digest.update(repr([_qualified_name(vars(value)[one]) for one in called]).encode())
        elif isinstance(value, np.ndarray):
            digest.update(repr((name, value.dtype, value.shape)).encode() + value.tobytes())
        elif not isinstance(value, ModuleType):
            digest.update(repr((name, _qualified_name(value))).encode())
    return f"{function.__name__}_{digest.hexdigest()[:16]}"


def _qualified_name(value: Any) -> Any:
    """Return the name of a function or of a dispatcher's function, or else the value."""
    return getattr(getattr(value, "py_func", value), "__qualname__", value)


def _code_key(code: CodeType) -> tuple[Any, ...]:
    return (code.co_name, code.co_code, code.co_names, code.co_varnames, repr(code.co_consts))


def is_ready(identity: Identity) -> bool:
    """Return whether a kernel is in this process or in the cache."""
    if identity in loaded:
        return True
    try:
        return any(cache_folder().glob(f"{identity.name}.{identity.key}.*.bin"))
    except OSError:
        return False


class KernelCache:
    """The `_cache` of a Numba dispatcher, with one file for each signature."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def _file_name(self, signature: Any, codegen: Any) -> str:
        target = repr((str(signature), codegen.magic_tuple()))
        digest = hashlib.sha256(target.encode()).hexdigest()[:16]
        return f"{self._identity.name}.{self._identity.key}.{digest}.bin"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature, or None if there is no valid file."""
        from numba.core.compiler import CompileResult

        target_context.refresh()
        try:
            path = cache_folder() / self._file_name(signature, target_context.codegen())
            body = read_kernel(path)
        except OSError:
            return None
        if body is None:
            return None
        result = CompileResult._rebuild(target_context, *pickle.loads(body))  # type: ignore[no-untyped-call]
        loaded.add(self._identity)
        return result

    def save(self, signature: Any, result: Any) -> None:
        """Write the compiled code for a signature; log once if that fails."""
        from numba.core.serialize import dumps

        loaded.add(self._identity)
        body = dumps(result._reduce())  # type: ignore[no-untyped-call]
        folder = configured_folder()
        try:
            folder = create_cache_folder()
            path = folder / self._file_name(signature, result.codegen)
            write_atomic(path, hashlib.sha256(body).digest() + body, durable=False)
            sweep(folder)
        except OSError as error:
            warn_once(folder, error.strerror or str(error))

    def save_overload(self, signature: Any, result: Any) -> None:
        """Do nothing: `compiler` saves while it holds the lock."""

    @contextmanager
    def lock(self, signature: Any, codegen: Any) -> Iterator[None]:
        """Wait until no other process compiles the kernel for this signature.

        The system releases the lock of a process that is killed.
        """
        try:
            path = create_cache_folder() / f"{self._file_name(signature, codegen)}.lock"
            held = try_lock(path, LOCK_SECONDS)
        except OSError:  # not writable, or a file system without locks
            held = None
        try:
            yield
        finally:
            if held is not None:
                held.release()

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def read_kernel(path: Path) -> bytes | None:
    """Return the content of a cache file; None if it is damaged or another user's."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if not trusted_owner(status):
            return None
        payload = file.read()
    mark_used(path, status.st_mtime)
    body = payload[CHECKSUM_BYTES:]
    return body if hashlib.sha256(body).digest() == payload[:CHECKSUM_BYTES] else None
