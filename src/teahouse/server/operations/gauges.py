"""The gauges of an application: sockets, tables, queues, workers, connections of the database."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from teahouse.server.correspondence.rows import outbox
from teahouse.server.storage.store import Store
from teahouse.server.study.review_queue import Reviews
from teahouse.server.tables.registry import Registry
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.pool import WorkerPool
from teahouse.server.workers.renderer import Renderer

QUEUED = "Requests and changes that wait, by queue."
POOL = "Connections to the database, by state."
WORKERS = "Worker processes, by pool and whether they respond."
WAITING_JOBS = (
    sa.select(sa.func.count())
    .select_from(sa.table("procrastinate_jobs"))
    .where(sa.column("status").cast(sa.Text) == "todo")
)
"""The job queue of PostgreSQL, which all processes share."""

Gauge = tuple[str, str, dict[str, str], float]


class ApplicationGauges:
    """Reads the gauges of an application."""

    def __init__(
        self, registry: Registry, store: Store, bots: Bots, renderer: Renderer, reviews: Reviews
    ) -> None:
        self._registry = registry
        self._store = store
        self._reviews = reviews
        self._pools = worker_pools(bots, renderer, registry.jobs)

    def read(self) -> Iterator[Gauge]:
        """Yield all gauges."""
        load = self._registry.load
        yield "teahouse_sockets", "Open WebSockets.", {}, load["connections"]
        yield "teahouse_unfinished_games", "Games that are not over.", {}, load["unfinished_games"]
        yield "teahouse_tables_in_memory", "Tables in memory.", {}, load["tables_in_memory"]
        for queue, length in self._queues():
            yield "teahouse_queue_length", QUEUED, {"queue": queue}, length
        for name, pool in self._pools.items():
            failing = pool.failing
            for state, count in (("responding", pool.size - failing), ("failing", failing)):
                yield "teahouse_workers", WORKERS, {"pool": name, "state": state}, count
        used, idle = self._store.connections
        yield "teahouse_database_connections", POOL, {"state": "used"}, used
        yield "teahouse_database_connections", POOL, {"state": "idle"}, idle

    def _queues(self) -> Iterator[tuple[str, float]]:
        for name, pool in self._pools.items():
            yield name, pool.queued
        yield "reviews", self._reviews.queued
        yield "store_writer", self._store.queued
        counted = {"outbox": sa.select(sa.func.count()).select_from(outbox)}
        if self._store.multi_process:  # the jobs of all processes
            counted["table_jobs"] = WAITING_JOBS
        try:
            with self._store.engine.connect() as connection:
                for name, query in counted.items():
                    yield name, int(connection.execute(query).scalar_one())
        except sa.exc.DBAPIError:
            return  # no value is better than a wrong one


def worker_pools(bots: Bots, renderer: Renderer, jobs: JobPool) -> dict[str, WorkerPool]:
    """Return the pools of worker processes by name."""
    return {**bots.pools, "renderer": renderer.pool, "jobs": jobs.pool}
