"""The cost of metrics on the way of a move: what is counted and measured for it, in microseconds.

    python benchmarks/metrics_cost.py

A move that two clients watch is one commit, one count of the session, one acknowledgement and two
updates with their drawings: five deliveries. An HTTP request has its middleware besides.
"""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

from teahouse.server.operations import metrics
from teahouse.server.operations.requests import RequestMiddleware

ROUNDS = 20_000
DELIVERIES = 5
MOVE_MS = 4.3
"""CPU time of a move in server and workers, at 200 moves a second (docs/benchmarks.md)."""


def microseconds(work: Any) -> float:
    """Return the CPU time of a call: the best of five series."""
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        for _ in range(ROUNDS // 5):
            work()
        best = min(best, time.process_time() - began)
    return 1e6 * best / (ROUNDS // 5)


def move() -> None:
    """Measure what a move measures."""
    queued = time.perf_counter()
    metrics.COMMIT_SECONDS.observe(time.perf_counter() - queued)
    metrics.count_session(BEFORE, AFTER)
    for _ in range(DELIVERIES):
        queued = time.perf_counter()
        metrics.DELIVERY_SECONDS.observe(time.perf_counter() - queued)


BEFORE = SimpleNamespace(ply=1, over=False)
AFTER = SimpleNamespace(ply=2, over=False)


def request_cost() -> float:
    """Return the CPU time that the middleware adds to a request."""
    scope = {"type": "http", "method": "GET", "path": "/healthz", "headers": []}
    start = {"type": "http.response.start", "status": 200}

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({**start, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        return None

    async def run(called: Any) -> float:
        best = float("inf")
        for _ in range(5):
            began = time.process_time()
            for _ in range(ROUNDS // 5):
                await called(dict(scope), receive, send)
            best = min(best, time.process_time() - began)
        return 1e6 * best / (ROUNDS // 5)

    return asyncio.run(run(RequestMiddleware(app))) - asyncio.run(run(app))


def main() -> None:
    """Print the costs."""
    cost = microseconds(move)
    print(f"a move: {cost:.1f} µs, {cost / (10 * MOVE_MS):.2f} % of {MOVE_MS} ms")
    print(f"a request: {request_cost():.1f} µs")
    scrape = min(_scrape() for _ in range(5))
    print(f"an answer to Prometheus: {1e3 * scrape:.1f} ms, in a thread of its own")


def _scrape() -> float:
    began = time.process_time()
    metrics.exposition()
    return time.process_time() - began


if __name__ == "__main__":
    main()
