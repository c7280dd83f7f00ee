"""One worker process, as the server sees it.

A request is a line of JSON. A response is a line of JSON with the size of its body, then the body.
Responses are sent after the last request of those that were sent together (without `more`).
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from teahouse.server.web.wire import from_json, to_json

START_TIMEOUT = 60.0
"""Seconds until a new process must be ready, on a busy machine."""

FAILURES = (OSError, EOFError, ValueError, RuntimeError, TimeoutError)
"""Exceptions of `start` and `exchange` after which a process has to be killed.

A `RuntimeError` says that no thread could be started to watch it.
"""


@dataclass(frozen=True)
class Response:
    """The response to a request."""

    body: bytes
    error: str | None
    cancelled: bool
    """Whether the request was cancelled before it was finished."""
    recycle: bool
    """Whether the process has grown too large and should be replaced."""


class WorkerProcess:
    """A process that processes one request after the other; started on demand."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = arguments
        self._process: asyncio.subprocess.Process | None = None
        self._cancelled = 0
        """The id of the running request if it was cancelled."""

    @property
    def pid(self) -> int | None:
        """The process id, or None if no process was started."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the process, unless it is running, and wait until it is ready."""
        if self._process is not None and self._process.returncode is None:
            return
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "teahouse.server.workers.worker",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which stops its workers
        )
        async with asyncio.timeout(START_TIMEOUT):
            await self._read_line()

    async def exchange(self, requests: Sequence[dict[str, Any]], timeout: float) -> list[Response]:
        """Send requests together and return their responses within `timeout` seconds."""
        last = requests[-1]
        try:
            await self.start()
            self._send(*({**request, "more": True} for request in requests[:-1]), last)
            if self._cancelled == last["id"]:  # before it was sent
                self.cancel(last["id"])
            async with asyncio.timeout(timeout):
                return [await self._read_response(request["id"]) for request in requests]
        finally:
            self._cancelled = 0  # a request that was interrupted is sent again

    def cancel(self, request_id: int) -> None:
        """Ask the process to finish a request early; it responds all the same."""
        self._cancelled = request_id
        self._send({"kind": "cancel", "id": request_id})

    async def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            self._process = None

    async def _read_response(self, request_id: int) -> Response:
        """Return the response to a request; skip those to earlier ones."""
        while True:
            head = await self._read_line()
            assert self._process is not None
            assert self._process.stdout is not None
            body = await self._process.stdout.readexactly(head["size"])
            if head["id"] == request_id:
                return Response(body, head["error"], head["cancelled"], head["recycle"])

    async def _read_line(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            raise EOFError
        head: dict[str, Any] = from_json(line)
        return head

    def _send(self, *messages: dict[str, Any]) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(
                OSError, RuntimeError
            ):  # a dead process is detected by reading
                lines = [f"{to_json(message)}\n" for message in messages]
                process.stdin.write("".join(lines).encode())
