"""Unix time that does not jump: correspondence clocks count it in days.

It runs at the rate of a monotonic clock and follows the system's clock slowly, so a clock that is
set wrong or corrected while the server runs costs nobody their time. It never runs backwards, not
even across a restart.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger("teahouse.server.storage.steady_clock")

SLEW = 0.01
"""Seconds by which the system's clock is followed, at most, in a second."""
NOTABLE_SECONDS = 60.0


def elapsed_clock() -> float:
    """Return seconds from an arbitrary start, including those in which the system is suspended."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)  # Linux only
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class SteadyClock:
    """The current time, from the last one that was stored."""

    def __init__(
        self,
        last: float,
        system: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = elapsed_clock,
    ) -> None:
        self._system, self._elapsed = system, elapsed
        self._wall, self._read = max(last, system()), elapsed()
        self._warned = False
        self._lock = threading.Lock()
        self._warn(system() - self._wall)

    def now(self) -> float:
        """Return the time in Unix seconds."""
        with self._lock:
            read = self._elapsed()
            passed = max(0.0, read - self._read)
            wall = self._wall + passed
            off = self._system() - wall
            self._warn(off)
            self._wall = wall + max(-SLEW * passed, min(SLEW * passed, off))
            self._read = read
            return self._wall

    def _warn(self, off: float) -> None:
        """Log once that the system's clock has jumped."""
        if abs(off) > NOTABLE_SECONDS and not self._warned:
            log.warning(
                "The system's clock is %+.0f seconds off; correspondence clocks do not follow it.",
                off,
            )
        self._warned = abs(off) > NOTABLE_SECONDS
