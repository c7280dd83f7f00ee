"""The on-disk cache of compiled kernels: the only user of Numba's private interfaces.

One immutable file holds one kernel for one type of arguments. Its name is a hash of everything the
machine code depends on: bytecode, constants and record types (`fingerprint`), argument types,
processor, and the versions of Python, NumPy and Numba. So a stale file is never loaded, and
processes that write at the same time cannot corrupt each other's files. Numba's own cache checks
the date of one source file only, and its shared index is not safe against concurrent writers.

Private interfaces: `Dispatcher._cache` with the methods of `KernelCache`, `CompileResult._reduce`
and `_rebuild`, `numba.core.serialize.dumps` and `codegen.magic_tuple`. `pyproject.toml` limits
Numba to the versions that `tests/test_jit.py` was run with.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import time
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from teahouse.core.files import write_atomic
from teahouse.core.jit.bind import Kernel, bind

MAX_UNUSED_SECONDS = 30 * 24 * 3600


def cache_folder() -> Path:
    """Return TEAHOUSE_CACHE_DIR, or else the user's cache folder."""
    configured = os.environ.get("TEAHOUSE_CACHE_DIR")
    if configured:
        return Path(configured)
    from platformdirs import user_cache_path

    return user_cache_path("teahouse")


def fingerprint(kernel: Kernel, rules: ModuleType, *records: np.dtype) -> str:
    """Hash everything the compiled kernel is made from: code, constants, records, compiler."""
    import numba

    compiler = (sys.version, numba.__version__, np.__version__)
    digest = hashlib.sha256(repr((compiler, rules.__name__, records)).encode())

    def update(function: FunctionType) -> FunctionType:
        digest.update(repr(_code_key(function.__code__)).encode())
        digest.update(repr(function.__defaults__).encode())
        for name, value in function.__globals__.items():
            if isinstance(value, np.ndarray):
                digest.update(value.tobytes())
            elif not callable(value) and not isinstance(value, ModuleType):
                digest.update(repr((name, value)).encode())
        return function

    bind(kernel, rules, update)
    return digest.hexdigest()[:32]


def _code_key(code: CodeType) -> tuple[Any, ...]:
    return (code.co_name, code.co_code, code.co_names, code.co_varnames, repr(code.co_consts))


def attach(dispatcher: Any, name: str, key: str) -> None:
    """Let a Numba dispatcher load and save its compiled code here; `key` is its fingerprint."""
    dispatcher._cache = KernelCache(name, key)


class KernelCache:
    """What a Numba dispatcher expects of its `_cache`, with one file for each signature."""

    def __init__(self, name: str, key: str) -> None:
        self._name = name
        self._key = key

    def _path(self, signature: Any, codegen: Any) -> Path:
        identity = repr((self._key, str(signature), codegen.magic_tuple()))
        digest = hashlib.sha256(identity.encode()).hexdigest()[:32]
        return cache_folder() / f"{self._name}.{digest}.bin"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature, or None if there is no valid file."""
        from numba.core.compiler import CompileResult

        target_context.refresh()
        try:
            payload = self._path(signature, target_context.codegen()).read_bytes()
        except OSError:
            return None
        checksum, body = payload[:32], payload[32:]
        if hashlib.sha256(body).digest() != checksum:
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(body))  # type: ignore[no-untyped-call]

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write the compiled code for a signature, unless the folder is not writable."""
        from numba.core.serialize import dumps

        body = dumps(result._reduce())  # type: ignore[no-untyped-call]
        path = self._path(signature, result.codegen)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._remove_unused(path.parent)
            write_atomic(path, hashlib.sha256(body).digest() + body, durable=False)

    def _remove_unused(self, folder: Path) -> None:
        """Remove this kernel's files that have not been read for a month."""
        for path in folder.glob(f"{self._name}.*.bin"):
            times = path.stat()
            if max(times.st_atime, times.st_mtime) < time.time() - MAX_UNUSED_SECONDS:
                path.unlink(missing_ok=True)

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...
