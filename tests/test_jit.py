"""The kernel cache as new processes use it, block layouts for GPUs, and argument checks."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.variants import FOLDER

import teahouse as th
from teahouse.core.files import try_lock
from teahouse.core.jit import sweep
from teahouse.core.jit.cache import read_kernel
from teahouse.core.jit.cuda import MAX_THREADS, SHARED_MEMORY, WARP, BlockLayout, block_layout
from teahouse.core.jit.folder import cache_folder, create_cache_folder, trust_problem

COUNT = "import teahouse as th; print(th.load('orochi', side=2).playouts(300, seed=5))"


def run(code: str, cache: Path, source: Path = FOLDER.parents[1], **environment: str) -> str:
    """Return what a new Python process prints."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONPATH": str(source),
            "PYTHONDONTWRITEBYTECODE": "1",
            "TEAHOUSE_CACHE_DIR": str(cache),
            **environment,
        },
        check=True,
        capture_output=True,
        timeout=300,
        text=True,
    ).stdout


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def copy_package(folder: Path) -> Path:
    shutil.copytree(
        FOLDER.parent, folder / "teahouse", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


@dataclass(frozen=True)
class Filled:
    """A cache with the kernel of COUNT, and what COUNT prints."""

    folder: Path
    printed: str

    def copy(self, folder: Path) -> Path:
        """Return a cache of one's own with the same files, dates and access."""
        return shutil.copytree(self.folder, folder)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    folder = tmp_path_factory.mktemp("filled") / "cache"
    return Filled(folder, run(COUNT, folder))


def test_a_new_process_loads_kernels_from_the_cache(filled: Filled, tmp_path: Path) -> None:
    cache = filled.copy(tmp_path / "cache")
    left = files(cache)
    assert left
    for _ in range(2):
        assert run(COUNT, cache) == filled.printed
    assert files(cache) == left


def test_changed_source_is_never_served_stale(tmp_path: Path) -> None:
    """A change in any reached function counts, even if the file's date and size stay the same."""
    source = copy_package(tmp_path / "source")
    cache = tmp_path / "cache"
    changes = {
        "games/orochi/rules.py": ("1 << 1 - state.player", "1 << 0 + state.player"),
        "core/random.py": ("0x21F0AAAD", "0x21F0AAAB"),
        "core/defaults/rules.py": ("count += 1", "count += 2"),
    }
    seen = {run(COUNT, cache, source)}
    for name, (old, new) in changes.items():
        path = source / "teahouse" / name
        date = path.stat()
        path.write_text(path.read_text().replace(old, new))
        os.utime(path, ns=(date.st_atime_ns, date.st_mtime_ns))
        now = run(COUNT, cache, source)
        assert now not in seen
        assert now == run(COUNT, cache, source, TEAHOUSE_INTERPRETED="1")
        seen.add(now)


def test_kernels_cached_by_different_processes_do_not_mix(tmp_path: Path) -> None:
    """Compiled one per process, then loaded by one: each kernel calls its own functions."""
    loads = [
        f"th.load({name!r}, **{options!r})"
        for name, options in (
            ("orochi", {"side": 2}),
            ("orochi", {"side": 3}),
            ("toot", {"tiles": 4, "pieces": 2}),
            ("toot", {"tiles": 4, "pieces": 3}),
            ("fillit", {"mode": "3mini"}),
            ("oolong", {}),
        )
    ]
    lines = [f"print({load}.playouts(40, seed=2))" for load in loads]
    alone = [run(f"import teahouse as th; {line}", tmp_path) for line in lines]
    together = run("; ".join(["import teahouse as th", *lines]), tmp_path)
    assert together == "".join(alone)
    assert together == run(
        "; ".join(["import teahouse as th", *lines]), tmp_path, TEAHOUSE_INTERPRETED="1"
    )


def test_nothing_is_written_to_the_source_folder(tmp_path: Path) -> None:
    source = copy_package(tmp_path / "source")
    before = files(source)
    run(COUNT, tmp_path / "cache", source)
    assert files(source) == before


def test_a_cache_folder_that_is_not_writable_is_ignored_and_reported_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    code = f"import sys; sys.stderr = sys.stdout; {COUNT}; th.perft(th.load('orochi').start(), 2)"
    answer = run(code, tmp_path / "file" / "cache")
    assert answer.endswith(run(COUNT, tmp_path, TEAHOUSE_INTERPRETED="1"))
    assert answer.count("Cannot write to the kernel cache") == 1


def test_unused_files_are_removed(filled: Filled, tmp_path: Path) -> None:
    cache = filled.copy(tmp_path / "cache")
    (used,) = cache.glob("*.bin")
    week = time.time() - 7 * sweep.DAY
    os.utime(used, (week, week))
    assert run(COUNT, cache) == filled.printed
    assert used.stat().st_mtime > week + sweep.DAY  # it was marked by who has loaded it
    (cache / sweep.MARKER).unlink()
    old = [f"toot.perft.{32 * '0'}.bin", f"any.run.{32 * '1'}.{16 * '2'}.bin"]
    old += [f"{old[1]}.lock", f".{old[1]}.0123abcd"]
    for name in (*old, "notes.bin"):
        (cache / name).write_bytes(b"compiled from an older source")
        os.utime(cache / name, (0, 0))
    sweep.sweep(cache)
    left = {path.name for path in cache.glob("*.bin*")} | {path.name for path in cache.glob(".*")}
    assert not left & set(old)
    assert left >= {used.name, sweep.MARKER, "notes.bin"}
    for name in old:
        (cache / name).touch()
        os.utime(cache / name, (0, 0))
    sweep.sweep(cache)  # not on the same day
    assert all((cache / name).exists() for name in old)


def test_the_least_recently_used_kernels_of_too_many_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "MAX_BYTES", 25)
    now = time.time()
    paths = [tmp_path / f"any.run.{number:032x}.{number:016x}.bin" for number in range(4)]
    for days, path in enumerate(paths):
        path.write_bytes(b"0123456789")
        os.utime(path, 2 * (now - days * sweep.DAY,))
    sweep.sweep(tmp_path)
    assert [path.exists() for path in paths] == [True, True, False, False]


def test_a_damaged_file_is_compiled_again(filled: Filled, tmp_path: Path) -> None:
    cache = filled.copy(tmp_path / "cache")
    for path in cache.glob("*.bin"):
        path.write_bytes(path.read_bytes()[:-100])
    assert run(COUNT, cache) == filled.printed


def test_interpreted_runs_without_numba(filled: Filled, tmp_path: Path) -> None:
    code = f"{COUNT}; import sys; print('numba' in sys.modules)"
    interpreted = run(code, tmp_path, TEAHOUSE_INTERPRETED="1")
    assert interpreted == f"{filled.printed}False\n"


def test_numba_is_imported_only_to_compile(tmp_path: Path) -> None:
    code = (
        "import sys, teahouse as th; p = th.load('orochi').start().play('wd4'); p.text(); p.legal"
    )
    assert run(f"{code}; print('numba' in sys.modules)", tmp_path) == "False\n"


@pytest.mark.parametrize("row", [0, 1, 111, 3090, 9261, 200_000])
@pytest.mark.parametrize("state", [0, 13, 376, 384, 1536, 1537, 48 * 1024, 10**6])
def test_blocks_of_any_state_size_fit_into_shared_memory(state: int, row: int) -> None:
    layout = block_layout(state, row)
    assert layout.threads in (WARP, 2 * WARP, MAX_THREADS)
    used = layout.shared_state * state + layout.shared_row * row
    assert layout.threads * used <= SHARED_MEMORY
    assert layout.shared_state == (WARP * state <= SHARED_MEMORY)


def test_block_layouts() -> None:
    assert block_layout(47, 111) == BlockLayout(128, shared_state=True, shared_row=True)
    assert block_layout(376, 3090) == BlockLayout(128, shared_state=True, shared_row=False)
    assert block_layout(2 * 376) == BlockLayout(64, shared_state=True, shared_row=False)
    assert block_layout(2000, 100) == BlockLayout(128, shared_state=False, shared_row=True)
    assert block_layout(10**6, 10**6) == BlockLayout(128, shared_state=False, shared_row=False)


def test_playouts_on_a_gpu_or_a_device_error() -> None:
    try:
        from numba import cuda

        available = cuda.is_available()  # type: ignore[no-untyped-call]
    except ImportError:
        available = False
    game = th.load("orochi", side=2)
    if available:
        assert game.playouts(1000, seed=1, device="cuda") == game.playouts(1000, seed=1)
    else:
        with pytest.raises(th.DeviceError, match="device cuda requires"):
            game.playouts(10, device="cuda")


def test_invalid_arguments_of_playouts() -> None:
    game = th.load("orochi", side=2)
    for wrong in (0, -1, True, 1.5, "7", 10**30):
        with pytest.raises(th.OptionError, match="games must be an integer"):
            game.playouts(wrong)  # type: ignore[arg-type]
        with pytest.raises(th.OptionError, match="threads must be an integer"):
            game.playouts(5, threads=wrong)  # type: ignore[arg-type]
    with pytest.raises(th.OptionError, match="device must be one of cpu, cuda"):
        game.playouts(5, device="tpu")
    for seed in (-1, 1 << 62, 0.5, "x", None, True):
        with pytest.raises(ValueError, match="seed must be an integer"):
            game.playouts(5, seed=seed)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="seed must be an integer"):
            game.start(seed=seed)  # type: ignore[arg-type]


def test_progress_is_reported_and_can_stop_the_run() -> None:
    game = th.load("orochi", side=2)
    reports: list[tuple[int, int]] = []
    game.playouts(500, progress=lambda *now: reports.append(now))
    assert reports[-1] == (500, 500)
    assert len(reports) > 1

    def stop(done: int, games: int) -> None:
        raise KeyboardInterrupt

    for threads in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            game.playouts(10**9, threads=threads, progress=stop)


def test_the_cache_folder_is_for_its_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(tmp_path / "new" / "cache"))
    assert create_cache_folder() == tmp_path / "new" / "cache"
    assert create_cache_folder().stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_cache_folder_that_others_may_write_to_is_refused(
    tmp_path: Path,
    mode: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(mode)
    temporary = cache_folder()
    assert temporary != tmp_path
    assert temporary.stat().st_mode & 0o777 == 0o700
    assert os.environ["TEAHOUSE_CACHE_DIR"] == str(temporary)  # processes started here use it too
    assert cache_folder() == temporary
    (message,) = caplog.messages
    assert f"The kernel cache {tmp_path} is not used: other users may write to it" in message


def test_nothing_is_loaded_from_a_refused_folder(filled: Filled, tmp_path: Path) -> None:
    cache = filled.copy(tmp_path / "cache")
    cache.chmod(0o777)
    before = files(cache)
    for path in cache.glob("*.bin"):
        path.touch()
    code = f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}; {COUNT}"
    assert run(code, cache) == filled.printed
    assert files(cache) == before
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]  # removed at the end


def test_a_cache_folder_or_file_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert trust_problem(tmp_path) is None
    assert trust_problem(tmp_path / "missing") is None
    path = tmp_path / "kernel.bin"
    body = b"kernel"
    path.write_bytes(hashlib.sha256(body).digest() + body)
    assert read_kernel(path) == body
    if os.getuid() == 0:  # root's own files are trusted by everybody
        os.chown(tmp_path, 12345, -1)
        os.chown(path, 12345, -1)
    monkeypatch.setattr(os, "getuid", lambda: 54321)
    assert trust_problem(tmp_path) == "it belongs to another user"
    assert read_kernel(path) is None


SAVES = f"""
from teahouse.core.jit.cache import KernelCache
saves, save = [], KernelCache.save
KernelCache.save = lambda *arguments: saves.append(save(*arguments))
{COUNT}
print(len(saves))
"""


def test_processes_do_not_compile_the_same_kernel_at_once(tmp_path: Path) -> None:
    environment = {**os.environ, "TEAHOUSE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", SAVES]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=300)[0].splitlines() for process in processes]
    assert len({counts for counts, _ in answers}) == 1
    assert sorted(saves for _, saves in answers) == ["0", "1"]


HOLD = """
import time
from types import SimpleNamespace
from teahouse.core.jit.cache import Identity, KernelCache
codegen = SimpleNamespace(magic_tuple=tuple)
with KernelCache(Identity("game.kernel", "key")).lock((), codegen):
    print("locked", flush=True)
    time.sleep(600)
"""


def test_a_killed_process_frees_the_lock(tmp_path: Path) -> None:
    environment = {**os.environ, "TEAHOUSE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", HOLD]
    holder = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    (path,) = tmp_path.glob("*.lock")
    assert try_lock(path) is None
    holder.kill()
    holder.communicate()
    lock = try_lock(path)
    assert lock is not None
    lock.release()
