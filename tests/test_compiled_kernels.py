"""Compiled kernels: their keys, no place for them on disk, threads, and fences."""

import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import filelock
import numba
import numpy as np
import pytest

import teahouse as th
from teahouse.core import jit
from teahouse.core.fence import release_fence
from teahouse.core.files import try_lock
from teahouse.core.jit import compiler
from teahouse.core.jit.bind import bind
from teahouse.core.jit.cache import Identity, KernelCache, content_name
from teahouse.core.jit.instructions import instructions
from teahouse.core.playouts import play_games

CODEGEN = SimpleNamespace(magic_tuple=tuple)
COMPILED = SimpleNamespace(_reduce=lambda: (1,), codegen=CODEGEN)


def with_tables(**tables: np.ndarray) -> FunctionType:
    """Return a kernel that reads these global tables."""
    namespace: dict[str, Any] = dict(tables)
    exec("def kernel(): return " + ", ".join(f"{name}[0]" for name in tables), namespace)
    kernel: FunctionType = namespace["kernel"]
    return FunctionType(kernel.__code__, dict(tables), "kernel")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.reshape(3, 2),
        lambda table: table.view(np.uint32),
        lambda table: table + 1,
    ],
)
def test_a_changed_table_changes_the_key(change: Callable[[np.ndarray], np.ndarray]) -> None:
    table = np.arange(6, dtype=np.int32)
    assert content_name(with_tables(one=table)) == content_name(with_tables(one=table.copy()))
    assert content_name(with_tables(one=table)) != content_name(with_tables(one=change(table)))


def test_elements_do_not_wander_between_tables() -> None:
    first = with_tables(one=np.zeros(2, np.uint8), other=np.zeros(1, np.uint8))
    second = with_tables(one=np.zeros(1, np.uint8), other=np.zeros(2, np.uint8))
    assert content_name(first) != content_name(second)


def test_kernels_without_a_place_are_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_: object) -> str:
        raise FileNotFoundError("No usable temporary directory found")

    tmp_path.chmod(0o777)  # refused, and there is no other place
    monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", fail)
    kernels = KernelCache(Identity("game.kernel", "key"))
    with kernels.lock((), CODEGEN):
        kernels.save((), COMPILED)
    assert f"Cannot write to the kernel cache {tmp_path}" in caplog.text


def test_a_file_system_without_locks_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock")  # as filelock does

    monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(filelock.FileLock, "acquire", fail)
    with pytest.raises(OSError, match="the file system has no locks"):
        try_lock(tmp_path / "lock")
    kernels = KernelCache(Identity("game.kernel", "key"))
    with kernels.lock((), CODEGEN):
        kernels.save((), COMPILED)
    assert len([*(tmp_path / "cache").glob("*.bin")]) == 1


def test_a_fence_keeps_writes_in_order() -> None:
    fence: Any = instructions()[release_fence]  # type: ignore[index]

    @numba.njit
    def write(values: Any) -> None:
        values[0] = 1
        fence()
        values[1] = 2

    values = np.zeros(2, np.int64)
    write(values)
    assert values.tolist() == [1, 2]
    assert "fence release" in write.inspect_llvm(write.signatures[0])


def test_threads_that_ask_at_once_get_the_same_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*arguments: Any) -> Any:
        time.sleep(0.02)
        return bind(*arguments)

    jit.clear()
    monkeypatch.setattr(compiler, "bind", slow)
    game = th.load("orochi", side=2)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(jit.COMPILED.specialize, play_games, game) for _ in range(4)]
        assert len({id(one.result()) for one in asked}) == 1
