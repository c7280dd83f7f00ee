"""Runs of empty cells as numbers, in position texts."""

import re
from functools import lru_cache

_RUN = re.compile(r"\.+")


@lru_cache(maxsize=8192)  # most rows of a position are those of the one before
def run_lengths(row: str) -> str:
    """Return a row with each run of `.` replaced by its length.

    >>> run_lengths("..w...bb")
    '2w3bb'
    """
    return _RUN.sub(lambda run: str(len(run[0])), row)
