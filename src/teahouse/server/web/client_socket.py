"""A client's WebSocket: outgoing queue, limits and closing."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from websockets.frames import Frame, Opcode

from teahouse.server.accounts.models import Account
from teahouse.server.operations import metrics
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.registry import Registry
from teahouse.server.web import messages as ms
from teahouse.server.web import prices
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import RECONNECT, ApiError
from teahouse.server.web.limits import Limits, RateLimitError
from teahouse.server.web.protocols import ROUND_TRIP, WRITE_FRAME
from teahouse.server.web.rate_limit import TokenBucket
from teahouse.server.web.validation import validation_error
from teahouse.server.web.wire import to_json

JOIN_TIMEOUT = 10.0
NO_JOIN = 4408
TRY_AGAIN_LATER = 1013
MESSAGE_BURST = 30.0
MAX_QUEUE = 100
"""Messages queued for a client before it is disconnected."""
MAX_REASON = 123
"""Bytes of a close reason (RFC 6455, 5.5)."""

log = logging.getLogger("teahouse.server.web.client_socket")


@dataclass(frozen=True)
class _Closing:
    """Ends a queue: the socket is closed once the messages before it are sent."""

    code: int
    reason: str


class Connection:
    """A client's socket with its queue of outgoing messages."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.address = scope_client(socket.scope)
        self.account: Account | None = None
        self.seats: frozenset[int] = frozenset()
        self.snapshots = True
        self.diffs = False
        self.shown = -1
        self.hint_pending = False
        self._queue: asyncio.Queue[tuple[float, str] | _Closing] = asyncio.Queue(MAX_QUEUE)
        """Messages, each with when it was queued."""
        self._delivering = False
        self._write_frame: Callable[[bytes], bool] | None = socket.scope.get(WRITE_FRAME)

    @property
    def round_trip(self) -> float:
        """The last measured round trip of a ping in seconds; 0 if unknown."""
        measure = self.socket.scope.get(ROUND_TRIP)
        return float(measure()) if measure is not None else 0.0

    def send(self, message: str) -> None:
        """Send a message, or queue it after others; a client that is too slow has to reconnect."""
        if (
            self._write_frame is not None
            and not self._delivering
            and self._queue.empty()
            and self._write_frame(text_frame(message))
        ):
            metrics.DELIVERY_SECONDS.observe(0.0)
            return
        try:
            self._queue.put_nowait((time.perf_counter(), message))
        except asyncio.QueueFull:
            self.disconnect(TRY_AGAIN_LATER, "The connection is too slow. Please reconnect.")

    def send_error(self, error: ApiError, message_id: int | None) -> None:
        """Queue the error for a message."""
        self.send(to_json({"type": "error", "id": message_id, **error.body}))

    def disconnect(self, code: int, reason: str) -> None:
        """Close the connection after the queued messages, or at once if the queue is full."""
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait(_Closing(code, reason))
            return
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(_Closing(code, reason))

    async def deliver(self) -> None:
        """Send queued messages until the connection is closed."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # closed by the client
            while True:
                entry = await self._queue.get()
                if isinstance(entry, _Closing):
                    await self.socket.close(entry.code, entry.reason)
                    return
                queued, message = entry
                self._delivering = True
                await self.socket.send_text(message)
                self._delivering = False
                metrics.DELIVERY_SECONDS.observe(time.perf_counter() - queued)


@lru_cache(maxsize=8)  # broadcasts send the same message to many clients in a row
def text_frame(message: str) -> bytes:
    """Return the WebSocket frame of a message."""
    return Frame(Opcode.TEXT, message.encode()).serialize(mask=False)


async def serve(socket: WebSocket, handle: Callable[[Connection], Awaitable[None]]) -> None:
    """Accept a client, send it what is queued, and close its socket if `handle` fails.

    The reason is sent as well; `WebSocketDisconnect` is the normal end.
    """
    registry: Registry = socket.app.state.registry
    limits: Limits = socket.app.state.limits
    connection = Connection(socket)
    await socket.accept()
    delivery = asyncio.create_task(connection.deliver())
    admitted = False
    try:
        await limits.charge(connection.address, prices.JOIN)
        with _counted(registry, limits, connection.address):
            admitted = True
            await handle(connection)
    except ApiError as error:
        if admitted:
            connection.send_error(error, None)
        connection.disconnect(error.close_code, close_reason(error.message))
        await delivery
    except TimeoutError:
        connection.disconnect(NO_JOIN, "The first message was not received in time.")
        await delivery
    except WebSocketDisconnect:
        pass
    except Exception as error:
        expected = isinstance(error, StoreError)
        log.error("A message failed: %s", error, exc_info=None if expected else error)
        connection.disconnect(RECONNECT, "Internal server error. Please reconnect.")
        await delivery
    finally:
        delivery.cancel()


@contextlib.contextmanager
def _counted(registry: Registry, limits: Limits, address: str) -> Iterator[None]:
    """Count a socket while it is open; raise `ApiError` if there are too many."""
    limits.open_socket(address)
    try:
        registry.connect()
        try:
            yield
        finally:
            registry.disconnect()
    finally:
        limits.close_socket(address)


async def paced_messages(connection: Connection) -> AsyncIterator[str]:
    """Yield a client's messages; answer those beyond its rate with an error.

    Raise `WebSocketDisconnect` at the end.
    """
    state = connection.socket.app.state
    limits: Limits = state.limits
    rate: float = state.settings.message_rate
    bucket = TokenBucket(rate, MESSAGE_BURST)
    while True:
        text = await receive_text(connection.socket)
        try:
            if not bucket.take():
                await asyncio.sleep(1 / rate)  # backpressure on this client only
                raise RateLimitError("messages", 1 / rate)
            await limits.charge(connection.address, prices.MESSAGE)
        except RateLimitError as error:
            connection.send_error(error, message_id(text))
            continue
        yield text


async def receive_text(socket: WebSocket) -> str:
    """Return the next message of a client; raise `WebSocketDisconnect` at the end."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text = message.get("text")
    if text is None:
        raise ApiError("invalid", "Messages must be text.")
    limit: int = socket.app.state.settings.max_message
    if len(text.encode()) > limit:
        raise ApiError("too_large", f"The message is too large (limit {limit:,} bytes).")
    return str(text)


async def receive_first(socket: WebSocket) -> str:
    """Return the first message of a client; raise `TimeoutError` if it does not come."""
    async with asyncio.timeout(JOIN_TIMEOUT):
        return await receive_text(socket)


def close_reason(message: str) -> str:
    """Return as much of a message as a close frame may have."""
    return message.encode()[:MAX_REASON].decode(errors="ignore")


def unsupported_protocol() -> ApiError:
    """Return the error for a client of another protocol version."""
    message = "The server has been updated. Please reload this page."
    return ApiError("unsupported_protocol", message, [str(ms.PROTOCOL)])


def invalid_message(error: ValidationError) -> ApiError:
    """Return the API error for a message that does not follow the protocol."""
    return validation_error(error.errors(include_url=False, include_input=False))


def message_id(text: str) -> int | None:
    """Return the id of an invalid message, if it can be read."""
    try:
        found = json.loads(text)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None
