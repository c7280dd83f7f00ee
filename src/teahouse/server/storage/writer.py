"""Group commit: one thread writes, and jobs that queue up while it commits share the next commit.

So many tables share the wait for the disk. A result is delivered once its commit has returned.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import sqlalchemy as sa

from teahouse.server.operations import metrics
from teahouse.server.storage.errors import store_error
from teahouse.server.storage.lock import Lock
from teahouse.server.storage.notifications import Message, Notifications
from teahouse.server.storage.server_clock import ServerClock
from teahouse.server.tables import account_news
from teahouse.server.tables.notifications import TABLES, encode_change
from teahouse.server.tables.rows import Change

log = logging.getLogger("teahouse.server.storage.writer")

T = TypeVar("T")
MAX_BATCH = 500
BUSY_SECONDS = 0.04
"""A job that arrives this soon after a commit indicates load."""
GATHER_SECONDS = 0.012
"""Under load, how long the writer waits for jobs that share the commit of the first one."""
LOCK_SECONDS = 2.0
"""How often an idle writer checks that it still holds the lock."""

Job = Callable[[sa.Connection], Any]


@dataclass(frozen=True)
class _Queued:
    """A job of the writer."""

    job: Job
    future: asyncio.Future[Any]
    changes: Sequence[Change] = ()
    """What it appends to tables."""
    messages: Sequence[Message] = ()
    """Notifications to send with its commit."""
    since: float = field(default_factory=time.perf_counter)
    """When it was handed to the writer."""

    @property
    def key(self) -> str:
        """Its place in a transaction: the same order in all processes prevents deadlocks."""
        return self.changes[0].row.id if self.changes else ""


class Writer:
    """The thread that writes to a database."""

    def __init__(self, lock: Lock, clock: ServerClock, notifications: Notifications) -> None:
        self._lock = lock
        self._clock = clock
        self._notifications = notifications
        self._jobs: SimpleQueue[_Queued | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)

    def start(self) -> None:
        """Start the thread for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def close(self) -> None:
        """Finish all queued jobs."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    @property
    def queued(self) -> int:
        """The number of jobs in the queue."""
        return self._jobs.qsize()

    def submit(
        self,
        job: Callable[[sa.Connection], T],
        changes: Sequence[Change] = (),
        messages: Sequence[Message] = (),
    ) -> asyncio.Future[T]:
        """Queue a job with what it appends to tables; return its result once it is on disk."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Queued(job, future, changes, messages))
        return future

    def _run(self) -> None:
        """Commit all queued jobs together; after an error, one by one."""
        committed = -1.0
        while True:
            try:
                queued = [self._jobs.get(timeout=LOCK_SECONDS)]
            except Empty:
                self._check_lock()
                continue
            if time.monotonic() - committed < BUSY_SECONDS:
                time.sleep(GATHER_SECONDS)  # a commit costs as much CPU time as its statements
            while not self._jobs.empty() and len(queued) < MAX_BATCH:
                queued.append(self._jobs.get())
            batch = sorted((job for job in queued if job is not None), key=lambda job: job.key)
            try:
                self._commit(batch)
            except Exception:
                for job in batch:
                    try:
                        self._commit([job])
                    except Exception as error:
                        self._loop.call_soon_threadsafe(_reject, job.future, error)
            committed = time.monotonic()
            if None in queued:
                return

    def _check_lock(self) -> None:
        """Check that the lock is still held; the writer survives any error."""
        try:
            self._lock.ensure_held()
        except Exception:
            log.exception("Checking the database lock failed.")

    def _commit(self, batch: list[_Queued]) -> None:
        if not batch:
            return
        with self._lock.begin() as connection:
            results = [queued.job(connection) for queued in batch]
            if self._notifications.multi_process:
                self._notifications.send(connection, self._messages(batch, results))
            self._clock.save(connection)
        outcomes = [(queued.future, result) for queued, result in zip(batch, results, strict=True)]
        done = time.perf_counter()
        for queued in batch:
            metrics.COMMIT_SECONDS.observe(done - queued.since)
        self._loop.call_soon_threadsafe(_resolve_all, outcomes)

    def _messages(self, batch: Sequence[_Queued], results: Sequence[Any]) -> list[Message]:
        """Return the notifications to send with a commit."""
        outcome = zip(batch, results, strict=True)
        changes = [change for queued, stored in outcome if stored for change in queued.changes]
        news = (item for change in changes for item in change.news)
        return [
            *self._notifications.messages(TABLES, map(encode_change, changes)),
            *self._notifications.messages(account_news.TOPIC, news),
            *(message for queued in batch for message in queued.messages),
        ]


def _resolve_all(outcomes: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in outcomes:
        if not future.done():
            future.set_result(result)


def _reject(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(store_error(error))
