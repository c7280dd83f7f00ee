"""The folder of the kernel cache. Kernels are machine code, so it must be safe from other users."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

log = logging.getLogger("teahouse.core.jit")

VARIABLE = "TEAHOUSE_CACHE_DIR"
FREE_BYTES = 32 << 20  # a disk with less counts as full: kernels have up to some MB each


def configured_folder() -> Path:
    """Return TEAHOUSE_CACHE_DIR, or else a folder of the user's cache folder."""
    configured = os.environ.get(VARIABLE)
    return Path(configured) if configured else default_folder()


def default_folder() -> Path:
    """Return the folder of kernels in the user's cache folder; up to 0.1.0 it was its parent."""
    from platformdirs import user_cache_path

    return user_cache_path("teahouse") / "kernels"


def cache_folder() -> Path:
    """Return the configured folder, or a private temporary one if other users may write to it.

    The folder need not exist. Raise `OSError` if there is no place for a temporary one.
    """
    folder = configured_folder()
    problem = trust_problem(folder)
    return folder if problem is None else _private_folder(folder, problem)


def create_cache_folder() -> Path:
    """Return `cache_folder()`, created for this user alone; raise `OSError` if that fails."""
    folder = cache_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return cache_folder()  # someone else may have created it in the meantime


def trust_problem(folder: Path) -> str | None:
    """Return why the folder's content cannot be trusted; None if only this user can write to it."""
    if not hasattr(os, "getuid"):
        return None
    try:
        found = folder.stat()
    except OSError:
        return None  # nothing to load; writing fails with a message
    if not trusted_owner(found):
        return "it belongs to another user"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write to it"
    return None


def trusted_owner(found: os.stat_result) -> bool:
    """Return whether a file belongs to this user or to root."""
    return not hasattr(os, "getuid") or found.st_uid in (os.getuid(), 0)


def shares_kernels() -> bool:
    """Return whether this process can load kernels that another process compiled."""
    try:
        folder = create_cache_folder()
        return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= FREE_BYTES
    except OSError:
        return False


@cache
def _private_folder(refused: Path, problem: str) -> Path:
    """Return a temporary folder for this process and those it starts; log why."""
    folder = Path(tempfile.mkdtemp(prefix="teahouse-kernels-"))  # mode 0700
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[VARIABLE] = str(folder)
    log.warning(
        "The kernel cache %s is not used: %s. Compiled kernels are kept in %s until the program "
        "ends. Allowed: a folder of your own with mode 700.",
        *(refused, problem, folder),
    )
    return folder


@cache
def warn_once(folder: Path, reason: str) -> None:
    """Log that kernels cannot be stored."""
    log.warning(
        "Cannot write to the kernel cache %s: %s. Kernels are compiled again by every process.",
        *(folder, reason),
    )
