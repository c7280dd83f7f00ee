"""A timer for deadlines that may be days away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

MAX_TIMER_SECONDS = 86_400.0
"""A timer that fires before its deadline is set again."""


class DeadlineTimer:
    """Calls a function once a deadline has passed, or earlier if that is far off."""

    def __init__(self, expired: Callable[[], object]) -> None:
        self._expired = expired
        self._handle: asyncio.TimerHandle | None = None

    def set(self, seconds: float | None) -> None:
        """Replace the deadline; None for none."""
        self.stop()
        if seconds is not None:
            delay = min(seconds, MAX_TIMER_SECONDS) + 0.001
            self._handle = asyncio.get_running_loop().call_later(delay, self._expired)

    def stop(self) -> None:
        """Cancel the timer."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
