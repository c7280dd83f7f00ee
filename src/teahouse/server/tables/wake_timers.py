"""Timers of tables that are not in memory: each is loaded again when something is due there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from teahouse.server.tables.deadline_timer import MAX_TIMER_SECONDS


class WakeTimers:
    """A timer for each table, which calls `wake` with its id."""

    def __init__(self, wake: Callable[[str], object]) -> None:
        self._wake = wake
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._timers)

    def set(self, table_id: str, seconds: float) -> None:
        """Wake a table after a time instead of any other."""
        self.cancel(table_id)
        if not self._closed:
            delay = min(seconds, MAX_TIMER_SECONDS) + 0.001
            loop = asyncio.get_running_loop()
            self._timers[table_id] = loop.call_later(delay, self._fire, table_id)

    def _fire(self, table_id: str) -> None:
        self._timers.pop(table_id, None)
        self._wake(table_id)

    def cancel(self, table_id: str) -> None:
        """Drop the timer of a table, if it has one."""
        timer = self._timers.pop(table_id, None)
        if timer is not None:
            timer.cancel()

    def close(self) -> None:
        """Drop all timers, and set no more."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
