"""A pool of worker processes, restarted when they crash.

A request is a line of JSON. A response is a line of JSON with the size of its body, then the body.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import sys
from dataclasses import dataclass, field
from typing import Any

log = logging.getLogger("teahouse.server.worker_pool")

MAX_ATTEMPTS = 3


class WorkerError(RuntimeError):
    """A request failed, or crashed its worker repeatedly."""


@dataclass(order=True)
class _Request:
    priority: tuple[int, int]
    body: dict[str, Any] = field(compare=False)
    response: asyncio.Future[bytes] = field(compare=False)
    timeout: float = field(compare=False)


class WorkerPool:
    """Worker processes that share a priority queue of requests."""

    def __init__(self, count: int, niceness: int) -> None:
        self._queue: asyncio.PriorityQueue[_Request] = asyncio.PriorityQueue()
        self._ids = itertools.count(1)
        self._workers = [
            asyncio.create_task(_Worker(self._queue, niceness).run()) for _ in range(count)
        ]

    @property
    def queued(self) -> int:
        """The number of requests that no worker has taken up yet."""
        return self._queue.qsize()

    async def request(
        self, body: dict[str, Any], *, timeout: float, low_priority: bool = False
    ) -> bytes:
        """Return the response to a request; a worker that exceeds `timeout` seconds is killed.

        Cancelling this call cancels the work.
        """
        number = next(self._ids)
        response: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        request = _Request((int(low_priority), number), {**body, "id": number}, response, timeout)
        self._queue.put_nowait(request)
        return await response

    async def close(self) -> None:
        """Stop all workers."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)


class _Worker:
    """One process, started with the first request and restarted after a crash."""

    def __init__(self, queue: asyncio.PriorityQueue[_Request], niceness: int) -> None:
        self._queue = queue
        self._niceness = niceness
        self._process: asyncio.subprocess.Process | None = None

    async def run(self) -> None:
        """Process requests until cancelled."""
        try:
            while True:
                request = await self._queue.get()
                if not request.response.done():
                    await self._process_request(request)
        finally:
            await self._kill()

    async def _process_request(self, request: _Request) -> None:
        for _ in range(MAX_ATTEMPTS):
            try:
                async with asyncio.timeout(request.timeout):
                    error, body = await self._exchange(request)
            except (OSError, EOFError, ValueError, TimeoutError) as failure:
                log.warning("Worker process failed (%s); restarting it.", type(failure).__name__)
                await self._kill()
                continue
            if error is not None:
                _fail(request, error)
            elif not request.response.done():
                request.response.set_result(body)
            return
        _fail(request, f"The worker process failed {MAX_ATTEMPTS} times.")

    async def _exchange(self, request: _Request) -> tuple[str | None, bytes]:
        """Send a request and return the error and the body of its response.

        The worker is cancelled once nobody awaits the response.
        """
        process = await self._running_process()
        assert process.stdin is not None
        assert process.stdout is not None
        _send(process, request.body)

        def cancel(_: object) -> None:
            _send(process, {"kind": "cancel", "id": request.body["id"]})

        request.response.add_done_callback(cancel)
        try:
            while True:
                line = await process.stdout.readline()
                if not line:
                    raise EOFError
                head = json.loads(line)
                body = await process.stdout.readexactly(head["size"])
                if head["id"] == request.body["id"]:
                    return head["error"], body
        finally:
            request.response.remove_done_callback(cancel)

    async def _running_process(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "teahouse.server.worker",
                str(self._niceness),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        return self._process

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _send(process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, RuntimeError):  # a dead process is detected when reading
        process.stdin.write(json.dumps(message).encode() + b"\n")


def _fail(request: _Request, message: str) -> None:
    if not request.response.done():
        request.response.set_exception(WorkerError(message))
