"""Prometheus metrics of this process.

Counters are incremented where things happen; queues, sockets and pools are read on each scrape.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any, Protocol
from wsgiref.simple_server import WSGIServer

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

import teahouse
from teahouse.server.storage.lock import StartupError

prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY = CollectorRegistry()
prometheus_client.ProcessCollector(registry=REGISTRY)
prometheus_client.GCCollector(registry=REGISTRY)
prometheus_client.Info("teahouse", "Version of the server.", registry=REGISTRY).info(
    {"version": teahouse.__version__}
)

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Buckets of what should take milliseconds."""
SLOW = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Buckets of searches."""

REQUESTS = Counter(
    "teahouse_requests",
    "HTTP requests by method, route template and status.",
    ("method", "route", "status"),
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "teahouse_request_seconds",
    "Time until an HTTP response was complete, by route template.",
    ("route",),
    buckets=SLOW,
    registry=REGISTRY,
)
MOVES = Counter("teahouse_moves", "Moves that were stored.", registry=REGISTRY)
GAMES_FINISHED = Counter("teahouse_games_finished", "Games that ended.", registry=REGISTRY)
COMMIT_SECONDS = Histogram(
    "teahouse_commit_seconds",
    "Time from handing a change to the writer until it was on disk.",
    buckets=QUICK,
    registry=REGISTRY,
)
DELIVERY_SECONDS = Histogram(
    "teahouse_delivery_seconds",
    "Time from queueing a message for a client until its socket took it.",
    buckets=QUICK,
    registry=REGISTRY,
)
THINKING_SECONDS = Histogram(
    "teahouse_bot_thinking_seconds",
    "Time until a bot's move was found, waiting for a worker included, by level.",
    ("level",),
    buckets=SLOW,
    registry=REGISTRY,
)
LOOP_LAG_SECONDS = Histogram(
    "teahouse_event_loop_lag_seconds",
    "How much later than due the event loop ran.",
    buckets=QUICK,
    registry=REGISTRY,
)
ERRORS = Counter(
    "teahouse_errors", "Errors that were logged, by logger.", ("logger",), registry=REGISTRY
)


class Gauges(Protocol):
    """Where gauges are read, from the thread that answers Prometheus."""

    def read(self) -> Iterator[tuple[str, str, dict[str, str], float]]:
        """Yield a gauge's name, its description, its labels and its value."""


class GaugeCollector(Collector):
    """Reads the gauges of an application on each scrape."""

    def __init__(self, gauges: Gauges) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield all gauges, those of one name together."""
        families: dict[str, GaugeMetricFamily] = {}
        for name, description, labels, value in self._gauges.read():
            family = families.get(name)
            if family is None:
                family = families[name] = GaugeMetricFamily(name, description, labels=list(labels))
            family.add_metric(list(labels.values()), value)
        yield from families.values()


class ErrorCounter(logging.Handler):
    """Counts logged errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        """Count an error."""
        ERRORS.labels(record.name).inc()


class MetricsServer:
    """Serves the metrics on a port of their own, so that a proxy never publishes them."""

    def __init__(self, host: str, port: int) -> None:
        try:
            started = prometheus_client.start_http_server(port, host, REGISTRY)
        except OSError as error:
            raise StartupError(
                f"Cannot serve metrics on {host} port {port}: {error.strerror}"
            ) from None
        self._server: WSGIServer = started[0]
        self._thread: threading.Thread = started[1]

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._server.server_port

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve(stack: ExitStack, host: str, port: int | None) -> None:
    """Serve the metrics until the stack is closed, unless there is no port for them."""
    if port is not None:
        stack.enter_context(closing(MetricsServer(host, port)))


def exposition() -> str:
    """Return all metrics in Prometheus's text format."""
    return prometheus_client.generate_latest(REGISTRY).decode()


def count_session(before: Any, after: Any) -> None:
    """Count the moves and the end of a game that a commit has stored."""
    if before is None:
        return
    if after.ply > before.ply:
        MOVES.inc(after.ply - before.ply)
    if after.over and not before.over:
        GAMES_FINISHED.inc()
