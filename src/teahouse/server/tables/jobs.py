"""What is due at tables without a player's doing, as jobs in PostgreSQL: bots' turns and clocks.

Any process may carry out a job, and the events of the table decide what it leads to, so a job that
runs twice does nothing the second time. A job whose process has died is taken up by another one.
Jobs that were never written, since a process died after its commit, are found in `tables.due_*`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from teahouse.server.storage.database import tables
from teahouse.server.storage.store import Store, StoreError
from teahouse.server.tasks import BackgroundTasks

if TYPE_CHECKING:
    from procrastinate import App

log = logging.getLogger("teahouse.server.tables.jobs")

HEARTBEAT_SECONDS = 1.0
STALLED_SECONDS = 3.0
"""Without a heartbeat for so long, the process of a job counts as dead."""
SWEEP_SECONDS = 1.0
LATE_SECONDS = 0.5
"""Processes at which somebody is connected to a table act first."""
SWEPT = 500
CONCURRENCY = 64
"""Jobs of a process at once; most of them wait for a search worker."""
SHUTDOWN_SECONDS = 1.0

Act = Callable[[str], Coroutine[Any, Any, None]]


class TableJobs:
    """Defers jobs, and carries them out unless `run` is False."""

    def __init__(self, store: Store, act: Act, *, run: bool) -> None:
        self._store = store
        self._act = act
        self._run = run
        self._tasks = BackgroundTasks()
        self._worker: asyncio.Task[None] | None = None
        self._closing = False
        self._open: App | None = None

    async def start(self) -> None:
        """Connect to the queue, and carry out its jobs."""
        from procrastinate import App, PsycopgConnector, RetryStrategy

        # They log a stack whenever the database is away; what matters is logged here.
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
        """Let something happen at a table soon; before the start and after the end, others do."""
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
            log.warning("Table %s: a job cannot be written: %s", table_id, error.__cause__ or error)

    async def _work(self) -> None:
        """Carry out jobs until cancelled; start anew if the database was away."""
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
                log.warning("Jobs are interrupted: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    async def _sweep(self) -> None:
        """Look for jobs of dead processes, and for tables without a job."""
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
                log.warning("Due tables are looked for later: %s", error.__cause__ or error)
            except Exception:
                log.exception("Due tables are looked for later.")

    def _overdue(self, connection: sa.Connection) -> list[str]:
        now = self._store.now()
        late = (tables.c.due_uptime < now.uptime - LATE_SECONDS) | (
            tables.c.due_wall < now.wall - LATE_SECONDS
        )
        wanted = sa.select(tables.c.id).where(tables.c.over.is_(False), late).limit(SWEPT)
        return list(connection.execute(wanted).scalars())


def _on_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log in one line that the queue could not note the end of a job: it is looked for later."""
    from procrastinate.exceptions import ConnectorException

    error = context.get("exception")
    if isinstance(error, ConnectorException):
        log.warning("The end of a job cannot be written: %s", error.__cause__ or error)
    else:
        loop.default_exception_handler(context)
