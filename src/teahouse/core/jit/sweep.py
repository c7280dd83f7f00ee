"""Eviction of unused kernels from the cache, such as those of earlier versions."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from teahouse.core.jit.folder import default_folder

DAY = 24 * 3600.0
MAX_UNUSED_SECONDS = 30 * DAY
MAX_BYTES = 2 << 30  # total size of all kernels
MARKER = ".swept"
"""A file whose time is that of the last sweep."""
KERNEL = re.compile(r"\.?[\w-]+\.\w+\.[0-9a-f]{32}(\.[0-9a-f]{16})?\.bin(\.lock|\.[0-9a-f]{8})?")
"""Names of kernels, also of 0.1.0, of their locks, and of files that a killed process has left."""


def mark_used(path: Path, changed: float) -> None:
    """Update the mtime of a file in use, since many file systems record no access times."""
    if changed < time.time() - DAY:
        with suppress(OSError):  # a folder that is not ours to write
            os.utime(path)


def sweep(folder: Path) -> None:
    """Evict kernels unused for a month, and the least recently used above a size; once a day."""
    marker = folder / MARKER
    now = time.time()
    with suppress(OSError):
        if now - DAY < marker.stat().st_mtime <= now:
            return
    with suppress(OSError):
        marker.touch(mode=0o600)
        for one in (folder, folder.parent) if folder == default_folder() else (folder,):
            kernels = [path for path in one.iterdir() if KERNEL.fullmatch(path.name)]
            remove_unused(kernels, MAX_BYTES)


def remove_unused(paths: Iterable[Path], max_bytes: int | None = None) -> None:
    """Remove files unused for a month, and the least recently used above a total size."""
    kept = 0
    for used, size, path in sorted(_by_use(paths), reverse=True):
        kept += size
        if used < time.time() - MAX_UNUSED_SECONDS or (max_bytes is not None and kept > max_bytes):
            with suppress(OSError):  # removed by another process, or not writable
                path.unlink()


def _by_use(paths: Iterable[Path]) -> Iterator[tuple[float, int, Path]]:
    """Yield the time of last use and the size of each file."""
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            yield max(status.st_atime, status.st_mtime), status.st_size, path
