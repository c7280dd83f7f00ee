"""Background tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from teahouse.server.storage.errors import StoreError

log = logging.getLogger("teahouse.server.tasks")


class BackgroundTasks:
    """Tasks that nobody awaits; an error in one is logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def finish(self) -> None:
        """Wait until all tasks have ended."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def cancel(self) -> None:
        """Cancel all tasks and wait until they have ended."""
        for task in list(self._tasks):
            task.cancel()
        await self.finish()

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StoreError):
            log.warning("The database failed in a background task: %s", error)
        elif error is not None:
            log.error("A background task failed.", exc_info=error)
