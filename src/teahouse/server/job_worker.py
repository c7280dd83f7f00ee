"""Run only the job queue of a server, bots' turns and clocks, on any machine with its database."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import ExitStack
from dataclasses import replace

from teahouse.server.app import create_app
from teahouse.server.operations import logs, metrics
from teahouse.server.operations.tracing import start_tracing
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import connect
from teahouse.server.storage.lock import StartupError
from teahouse.server.storage.store import Store


def run_worker(database: str | None, settings: ServerSettings | None = None) -> None:
    """Run jobs until interrupted; raise `StartupError` if the database is not PostgreSQL."""
    chosen = settings or ServerSettings()
    chosen = replace(chosen, database=database or chosen.database, run_jobs=True)
    if connect(chosen.database).dialect.name == "sqlite":
        raise StartupError(
            "Workers share a database with other processes, so it must be PostgreSQL:"
            " --database postgresql://user@host/name."
        )
    logs.configure(chosen.log_format)
    with ExitStack() as stack:
        metrics.serve(stack, chosen.metrics_host, chosen.metrics_port)
        logging.getLogger("teahouse").addHandler(metrics.ErrorCounter())
        asyncio.run(_work(chosen, Store(chosen.database), stack))
    print("Worker stopped.", flush=True)


async def _work(settings: ServerSettings, store: Store, stack: ExitStack) -> None:
    """Start all parts of a server except those that listen to clients."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    app = create_app(settings, store)
    if end_tracing := start_tracing(app, store.engine):
        stack.callback(end_tracing)
    async with app.router.lifespan_context(app):
        print("Worker is running.\nPress Ctrl-C to stop.", flush=True)
        await stopped.wait()
        app.state.readiness.drain()
        await app.state.registry.drain()
