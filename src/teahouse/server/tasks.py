"""Work that goes on beside the house's own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from teahouse.server.store import StoreError

log = logging.getLogger("teahouse.house")


class Beside:
    """Tasks that nobody waits for; an error in one is logged, and the house goes on."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def stop(self) -> None:
        """Break off all that is still done."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StoreError):
            log.warning("the database does not answer: %s", error)
        elif error is not None:
            log.error("something beside went wrong", exc_info=error)
