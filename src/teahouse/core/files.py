"""The user's data folder, paths in settings, atomic writes, lines, sizes, and lock files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from teahouse.core.errors import OptionError

if TYPE_CHECKING:
    from filelock import FileLock


def data_folder() -> Path:
    """Return TEAHOUSE_DATA_DIR, or else the user's data folder; it need not exist."""
    configured = os.environ.get("TEAHOUSE_DATA_DIR")
    if configured:
        return Path(configured)
    from platformdirs import user_data_path

    return user_data_path("teahouse")


def check_writable(path: Path) -> None:
    """Raise `OptionError` unless a file could be written to this path now."""
    folder = path.resolve().parent
    if path.is_dir():
        problem = "it is a folder"
    elif not folder.is_dir():
        problem = f"there is no folder {folder}"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        problem = "permission denied"
    else:
        return
    raise OptionError(f"Cannot write {path}: {problem}.")


def write_atomic(path: Path, content: str | bytes, *, durable: bool = True) -> None:
    """Write a file so that readers see the old content or the new one, never a part.

    With `durable`, the new content is on disk when this returns, so it survives a power cut.
    """
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    data = content.encode() if isinstance(content, str) else content
    try:
        with temporary.open("xb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)  # a full disk gives no file name
            error.filename2 = None
        raise
    if durable and hasattr(os, "O_DIRECTORY"):  # the rename is durable once the folder is synced
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def split_settings(text: str, path: str) -> list[str]:
    """Split `name=value` settings at commas, but not the value of `path` if that exists.

    Names of networks have commas: `file=networks/mode=2,layout=A.onnx`.
    """
    parts = [part for part in text.split(",") if part]
    for first, part in enumerate(parts):
        if part.startswith(f"{path}="):
            for end in range(len(parts), first + 1, -1):
                whole = ",".join(parts[first:end])
                if Path(whole.removeprefix(f"{path}=")).exists():
                    return [*parts[:first], whole, *parts[end:]]
    return parts


def append_line(path: Path, line: str) -> None:
    """Append a line to a file; it is on disk when this returns."""
    try:
        with path.open("ab") as file:
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        error.filename = str(path)  # a full disk names none
        raise


def complete_lines(path: Path) -> list[str]:
    """Return the lines of a file, none if there is no file; drop an incomplete last line.

    A process that is killed while it appends leaves one.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    complete = content[: content.rfind(b"\n") + 1]
    if complete != content:
        write_atomic(path, complete)
    return complete.decode(errors="replace").split("\n")[:-1]


def file_sizes(paths: Iterable[Path]) -> dict[Path, int]:
    """Return the sizes of the files that still exist."""
    sizes = {}
    for path in paths:
        with suppress(FileNotFoundError):
            sizes[path] = path.stat().st_size
    return sizes


def try_lock(path: Path, timeout: float = 0.0) -> FileLock | None:
    """Acquire the lock file, or return None if it is still held elsewhere after `timeout` seconds.

    Raise `OSError` if the file cannot be written, or if the file system has no locks. The lock
    belongs to the process: any thread may release it, and the system releases it when the
    process ends.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=timeout)
    except Timeout:
        return None
    except NotImplementedError:  # what filelock raises where `flock` is missing
        raise OSError(errno.ENOTSUP, "the file system has no locks", str(path)) from None
    return lock
