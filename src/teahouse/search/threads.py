"""The number of search threads of a bot: one setting for all interfaces.

Ratings are measured with this number, so that every bot plays at its rated strength.
"""

from __future__ import annotations

import os

from teahouse.core.errors import OptionError, quoted
from teahouse.core.validate import check_int

VARIABLE = "TEAHOUSE_THREADS"
BOT_THREADS = 2
MAX_THREADS = 64


def default_threads() -> int:
    """Return the threads of a bot: `TEAHOUSE_THREADS`, else two where two cores are usable."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return min(BOT_THREADS, usable_cores())
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_THREADS):
        raise OptionError(
            f"{VARIABLE} must be an integer from 1 to {MAX_THREADS}, got {quoted(text)}."
        )
    return int(text)


def check_threads(threads: int | None) -> int:
    """Return the number of threads, the default one for None."""
    return default_threads() if threads is None else check_int("threads", threads, 1, MAX_THREADS)


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
