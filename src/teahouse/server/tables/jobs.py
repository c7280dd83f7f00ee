"""Job queue in PostgreSQL for bots' turns and clocks, which need no command of a player.

Any process may run a job. Jobs are idempotent, because the events of the table decide what is due.
A job whose process has died is retried by another one. Jobs that were never enqueued, because a
process died after its commit, are found in `tables.due_*`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from teahouse.server.storage.database import tables
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tasks import BackgroundTasks

if TYPE_CHECKING:
    from procrastinate import App

log = logging.getLogger("teahouse.server.tables.jobs")

HEARTBEAT_SECONDS = 1.0
STALLED_SECONDS = 3.0
"""Without a heartbeat for this long, the process of a job counts as dead."""
SWEEP_SECONDS = 1.0
LATE_SECONDS = 0.5
"""Head start of processes that have clients at the table."""
SWEPT = 500
CONCURRENCY = 64
"""Jobs of a process at once; most of them wait for a search worker."""
SHUTDOWN_SECONDS = 1.0

Act = Callable[[str], Coroutine[Any, Any, None]]


class TableJobs:
    """Enqueues jobs, and runs them unless `run` is False."""

    def __init__(self, store: Store, act: Act, *, run: bool) -> None:
        self._store = store
        self._act = act
        self._run = run
        self._tasks = BackgroundTasks()
        self._worker: asyncio.Task[None] | None = None
        self._closing = False
        self._open: App | None = None

    async def start(self) -> None:
        """Connect to the queue, and run its jobs."""
        from procrastinate import App, PsycopgConnector, RetryStrategy

        # They log a traceback whenever the database is unavailable; errors are logged here instead.
        for name in ("procrastinate", "psycopg.pool"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        url = self._store.engine.url.set(drivername="postgresql")
        connector = PsycopgConnector(
            conninfo=url.render_as_string(hide_password=False), min_size=1, max_size=4
        )
        self._app: App = App(connector=connector)
        retry = RetryStrategy(max_attempts=5, wait=2)
        self._job = self._app.task(name="table", retry=retry)(self._act)
        await self._app.open_async()
        self._open = self._app
        asyncio.get_running_loop().set_exception_handler(_on_exception)
        if self._run:
            self._worker = self._tasks.start(self._work())
            self._tasks.start(self._sweep())

    async def close(self) -> None:
        """Stop; what is not finished is handed back to the queue."""
        self._closing = True
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait([self._worker], timeout=2 * SHUTDOWN_SECONDS)
        await self._tasks.cancel()
        if self._open is not None:
            await self._open.close_async()

    def due(self, table_id: str) -> None:
        """Enqueue a job for a table; before `start` and after `close`, leave it to others."""
        if self._open is not None and not self._closing:
            self._tasks.start(self._defer(table_id))

    async def _defer(self, table_id: str) -> None:
        from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

        try:
            named = self._job.configure(lock=table_id, queueing_lock=table_id)
            await named.defer_async(table_id=table_id)
        except AlreadyEnqueued:
            pass
        except ConnectorException as error:  # found later in the table's row
            log.warning("Table %s: enqueueing a job failed: %s", table_id, error.__cause__ or error)

    async def _work(self) -> None:
        """Run jobs until cancelled; restart after a lost database connection."""
        while not self._closing:
            try:
                await self._app.run_worker_async(
                    concurrency=CONCURRENCY,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    fetch_job_polling_interval=SWEEP_SECONDS,
                    shutdown_graceful_timeout=SHUTDOWN_SECONDS,
                    update_heartbeat_interval=HEARTBEAT_SECONDS,
                    stalled_worker_timeout=STALLED_SECONDS,
                )
            except Exception as error:
                log.warning("The job worker failed; restarting: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    async def _sweep(self) -> None:
        """Periodically retry jobs of dead processes, and enqueue due tables without a job."""
        from procrastinate.exceptions import ConnectorException
        from procrastinate.jobs import Status

        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                manager = self._app.job_manager
                for job in await manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS):
                    # A new one, since another job may wait for this one to end.
                    await manager.finish_job(job, Status.FAILED, delete_job=True)
                    await self._defer(str(job.task_kwargs["table_id"]))
                for table_id in await self._store.read(self._overdue):
                    await self._defer(table_id)
            except (ConnectorException, StoreError) as error:
                log.warning("Sweeping for due tables failed: %s", error.__cause__ or error)
            except Exception:
                log.exception("Sweeping for due tables failed.")

    def _overdue(self, connection: sa.Connection) -> list[str]:
        now = self._store.now()
        late = (tables.c.due_uptime < now.uptime - LATE_SECONDS) | (
            tables.c.due_wall < now.wall - LATE_SECONDS
        )
        wanted = sa.select(tables.c.id).where(tables.c.over.is_(False), late).limit(SWEPT)
        return list(connection.execute(wanted).scalars())


def _on_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log in one line that the end of a job could not be stored; the sweep finds it."""
    from procrastinate.exceptions import ConnectorException

    error = context.get("exception")
    if isinstance(error, ConnectorException):
        log.warning("Storing the end of a job failed: %s", error.__cause__ or error)
    else:
        loop.default_exception_handler(context)
