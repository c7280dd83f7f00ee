"""A WebSocket that reconnects by itself and resends what was not acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from teahouse.client.errors import (
    ClientError,
    ConnectionLostError,
    ProtocolError,
    request_error,
)

log = logging.getLogger("teahouse.client")

FIRST_DELAY = 0.2
MAX_DELAY = 15.0
RATE_LIMIT_DELAY = 1.0
MAX_RETRIES = 30
"""Attempts for a message that is rate-limited or answered as busy."""
FINAL_CODES = {
    4400: "invalid",
    4401: "sign_in_required",
    4403: "invalid_secret",
    4404: "not_found",
    4406: "unsupported_protocol",
}
"""Close codes after which reconnecting is useless."""
RETRIED_ERRORS = ("rate_limited", "busy")
Message = dict[str, Any]


@dataclass
class _Pending:
    """A message that awaits its answer."""

    text: str
    repeat: bool
    """Whether to resend it on a new connection: the server must recognise duplicates."""
    answer: asyncio.Future[Message]


class Channel:
    """A socket of the server with requests and a stream of other messages.

    `hello` returns the first message of every connection, if there is one; `receive` gets all
    messages that are not the answer to a request.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        hello: Callable[[], Message | None],
        receive: Callable[[Message], None],
        patience: float,
    ) -> None:
        self._url = url.replace("http", "ws", 1)
        self._headers = headers
        self._hello = hello
        self._receive = receive
        self._patience = patience
        self._pending: dict[int, _Pending] = {}
        self._last_id = 0
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._alive = 0.0
        """When the server last sent something, or the first attempt to connect."""
        self.error: ClientError | None = None
        """Why the channel was closed permanently."""

    def start(self, ended: Callable[[], None]) -> None:
        """Connect in the background; `ended` is called once the channel is closed permanently."""
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda task: self._finish(task, ended))

    async def close(self) -> None:
        """Close the connection."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._task

    async def request(self, message: Message, *, repeat: bool = False) -> Message:
        """Send a message and return the answer; raise `RequestError` if it is an error.

        Without `repeat`, raise `ConnectionLostError` if the connection is lost before the answer:
        the server may have carried it out or not.
        """
        for attempt in range(MAX_RETRIES):
            answer = await self._ask(message, repeat)
            if answer["type"] != "error":
                return answer
            error = request_error(answer)
            if error.code not in RETRIED_ERRORS or attempt == MAX_RETRIES - 1:
                raise error
            await asyncio.sleep(RATE_LIMIT_DELAY)
        raise AssertionError("the last attempt returns or raises")

    async def _ask(self, message: Message, repeat: bool) -> Message:
        if self.error is not None:
            raise self.error
        self._last_id += 1
        number = self._last_id
        text = json.dumps({**message, "id": number})
        pending = _Pending(text, repeat, asyncio.get_running_loop().create_future())
        self._pending[number] = pending
        try:
            if self._socket is not None:
                with contextlib.suppress(ConnectionClosed):  # sent again, or rejected, by _run
                    await self._socket.send(text)
            return await pending.answer
        finally:
            self._pending.pop(number, None)

    async def _run(self) -> None:
        """Connect and reconnect until an exception ends the channel."""
        async for delay in self._attempts():
            try:
                async with connect(
                    self._url, additional_headers=self._headers, compression=None, max_size=None
                ) as socket:
                    await self._serve(socket)
            except InvalidStatus as error:
                status = error.response.status_code
                if status not in (429, 502, 503, 504):
                    raise request_error(_json(error.response.body), status) from None
                log.info("The server answered with status %d.", status)
            except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as error:
                log.info("The connection was lost: %s", error)
            finally:
                self._socket = None
            self._reject_lost()
            await asyncio.sleep(delay)

    async def _attempts(self) -> AsyncIterator[float]:
        """Yield the delay after each attempt; raise `ConnectionLostError` after too long a time."""
        self._alive = monotonic()
        delay = FIRST_DELAY
        while True:
            started = monotonic()
            # Jitter, so that clients do not reconnect all at once after a restart.
            yield delay * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            if self._alive > started:
                delay = FIRST_DELAY
            elif monotonic() - self._alive > self._patience:
                message = f"{self._url} could not be reached for {self._patience:.0f} seconds."
                raise ConnectionLostError(message)
            else:
                delay = min(2 * delay, MAX_DELAY)

    async def _serve(self, socket: ClientConnection) -> None:
        """Send the hello, resend unanswered requests, and dispatch messages until the end."""
        hello = self._hello()
        if hello is not None:
            await socket.send(json.dumps(hello))
        self._socket = socket  # from now on requests send themselves; those before it wait here
        for pending in list(self._pending.values()):
            await socket.send(pending.text)
        refusal: Message | None = None
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "error" and message["id"] is None:
                    refusal = message
                    continue
                refusal = None
                self._alive = monotonic()
                pending_answer = self._pending.get(message["id"]) if "id" in message else None
                if pending_answer is None:
                    self._receive(message)
                elif not pending_answer.answer.done():
                    pending_answer.answer.set_result(message)
        code = FINAL_CODES.get(socket.close_code or 0)
        if code is not None:
            raise request_error(refusal or {"code": code, "message": socket.close_reason or code})

    def _reject_lost(self) -> None:
        """Fail requests that must not be sent twice."""
        message = "The connection was lost; the request may have been carried out or not."
        for pending in self._pending.values():
            if not pending.repeat and not pending.answer.done():
                pending.answer.set_exception(ConnectionLostError(message))

    def _finish(self, task: asyncio.Task[None], ended: Callable[[], None]) -> None:
        if task.cancelled():
            self.error = ConnectionLostError("The connection was closed.")
        else:
            error = task.exception()
            assert error is not None, "the task ends by an exception"
            if isinstance(error, ClientError):
                self.error = error
            else:  # such as a move that the local rules do not allow
                log.error("A message of the server cannot be read.", exc_info=error)
                self.error = ProtocolError(f"A message of the server cannot be read: {error}")
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(self.error)
        ended()


def _json(body: bytes | bytearray) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return None
