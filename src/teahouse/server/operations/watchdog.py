"""A watchdog of the event loop: it counts and logs every stall, with what was running.

A task notes the time at short intervals. A thread notices when it is late, and keeps the stack of
the event loop's thread at that moment.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

from teahouse.server.operations import metrics

log = logging.getLogger("teahouse.server.operations.watchdog")

INTERVAL = 0.02
STALL_SECONDS = 0.05
START_SECONDS = 0.5
"""Grace period after the start, when no client waits."""
LOG_SECONDS = 10.0
"""At most one stall in this time is logged; all are counted."""
STACK_FRAMES = 12


@dataclass
class StallCounts:
    """The stalls of an event loop so far, in milliseconds.

    `work_ms` counts only the CPU time of this process: on an overloaded machine an event loop is
    late without any fault of its own.
    """

    stalls: int = 0
    total_ms: float = 0.0
    longest_ms: float = 0.0
    longest_work_ms: float = 0.0


class Watchdog:
    """Watches the running event loop between `start` and `close`."""

    def __init__(self) -> None:
        self.counts = StallCounts()
        self._beat: float | None = None
        self._stack = ""
        self._logged = -LOG_SECONDS
        self._stopped = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start watching the event loop of this thread."""
        self._task = asyncio.create_task(self._run())
        arguments = (threading.get_ident(),)
        self._thread = threading.Thread(
            target=self._watch, args=arguments, name="watchdog", daemon=True
        )
        self._thread.start()

    async def close(self) -> None:
        """Stop watching."""
        self._stopped.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    async def _run(self) -> None:
        await asyncio.sleep(START_SECONDS)
        while True:
            used = time.process_time()
            self._beat = beat = time.monotonic()
            await asyncio.sleep(INTERVAL)
            late = time.monotonic() - beat - INTERVAL
            metrics.LOOP_LAG_SECONDS.observe(max(0.0, late))
            if late > STALL_SECONDS - INTERVAL:  # it may have begun at any time since the beat
                self._count(late, min(late, time.process_time() - used))

    def _count(self, late: float, work: float) -> None:
        counts = self.counts
        counts.stalls += 1
        counts.total_ms += 1e3 * late
        counts.longest_ms = max(counts.longest_ms, 1e3 * late)
        counts.longest_work_ms = max(counts.longest_work_ms, 1e3 * work)
        stack, self._stack = self._stack, ""
        if time.monotonic() - self._logged >= LOG_SECONDS:
            self._logged = time.monotonic()
            log.log(
                logging.WARNING if work > STALL_SECONDS else logging.INFO,
                "The event loop stalled for %.0f ms (%.0f ms of work) at: %s",
                1e3 * late,
                1e3 * work,
                stack or "unknown",
            )

    def _watch(self, loop_thread: int) -> None:
        """Keep the stack of the event loop's thread whenever it is late."""
        seen: float | None = None
        while not self._stopped.wait(INTERVAL):
            beat = self._beat
            if beat is not None and beat != seen and time.monotonic() - beat > STALL_SECONDS:
                seen = beat
                frame = sys._current_frames().get(loop_thread)
                self._stack = describe_stack(frame) if frame is not None else ""


def describe_stack(frame: Any) -> str:
    """Return the innermost calls of a stack in one line, the last one first."""
    calls = traceback.extract_stack(frame)[-STACK_FRAMES:]
    return " < ".join(f"{call.name} ({call.filename}:{call.lineno})" for call in reversed(calls))
