"""Atomic file writes and lock files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock


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
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable and hasattr(os, "O_DIRECTORY"):  # the rename is durable once the folder is synced
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def try_lock(path: Path, timeout: float = 0.0) -> FileLock | None:
    """Acquire the lock file, or return None if it is still held elsewhere after `timeout` seconds.

    The lock belongs to the process: any thread may release it, and the system releases it when the
    process ends.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=timeout)
    except Timeout:
        return None
    return lock
