"""Uvicorn's protocols with limits of headers, time, frames and connections.

Uvicorn parses with httptools and websockets, which leave these limits to their caller.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import OPEN

from teahouse.server.web.connections import Connections, TrackedConnection
from teahouse.server.web.frames import FrameCounter

POLICY_VIOLATION = 1008
WRITE_FRAME = "teahouse.write_frame"
"""In the scope of a socket: writes a frame directly if the write buffer is empty."""
ROUND_TRIP = "teahouse.round_trip"
"""In the scope of a socket: returns the seconds of the last ping and its answer."""
MAX_UNREAD = 4
"""Messages of a client that wait before no more of them are read."""
MAX_HEADERS = 100
MAX_PIPELINED = 8
"""Requests that wait for the answers to earlier ones on the same connection."""
REFUSAL = (
    "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: {size}\r\nConnection: close\r\n\r\n{text}"
)


class LimitedConfig(uvicorn.Config):
    """A configuration that has the limits of connections."""

    def __init__(self, app: ASGIApp, connections: Connections, **options: Any) -> None:
        options |= {"http": LimitedHttp, "ws": LimitedWebSocket}
        super().__init__(app, **options)
        self.open_connections = connections


class _RefusalError(Exception):
    """Stops the parser within a piece of data."""


class LimitedHttp(HttpToolsProtocol):
    """Closes connections with long or slow requests, and those over the limits."""

    config: LimitedConfig
    _connection: TrackedConnection | None = None
    _refused = False
    _silent = 0
    """Bytes received since the parser has last completed something."""
    _discarded = 0
    """Bytes received of a body that the server has already answered."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._cycles: deque[RequestResponseCycle] = deque()
        self._limits = self.config.open_connections
        self._connection = self._limits.add(transport)
        if self._connection is None:
            self._refused = True
            text = "Too many connections. Please try again later."
            self._limits.refuse(transport, _refusal("503 Service Unavailable", text))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._disconnect_cycles()
        if self._connection is not None:
            self._limits.remove(self._connection)

    def data_received(self, data: bytes) -> None:
        if self._refused or self._connection is None:
            return
        if self._connection.deadline is None and self._waiting:
            self._set_deadline(self._limits.settings.header_seconds)
        self._silent += len(data)
        super().data_received(data)
        if self._silent > self._limits.settings.max_header and not self._refused:
            self._refuse_header()

    @property
    def _waiting(self) -> bool:
        """Whether every request so far has been answered."""
        return self.cycle is None or self.cycle.response_complete

    def on_message_begin(self) -> None:
        self._silent = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self._limits.settings.max_header or len(self.headers) > MAX_HEADERS:
            self._refuse_header()
            raise _RefusalError
        if len(self.pipeline) >= MAX_PIPELINED:
            self._refuse("429 Too Many Requests", "Too many requests at once.")
            raise _RefusalError
        self._silent = 0
        self._discarded = 0
        self._set_deadline(self._limits.settings.body_seconds)
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:  # None for a WebSocket
            self._cycles.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        self._silent = 0
        if self.cycle is not None and self.cycle.response_complete:
            self._discarded += len(body)
            if self._discarded > self._limits.settings.max_body:
                self._refused = True
                self.transport.close()
                raise _RefusalError
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._silent = 0
        self._set_deadline(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._cycles.popleft()
        super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        self._set_deadline(None)
        super().handle_websocket_upgrade()
        socket = self.transport.get_protocol()
        if isinstance(socket, LimitedWebSocket):
            socket.connection = self._connection
            self._connection = None

    def send_400_response(self, msg: str) -> None:
        if not self._refused:
            super().send_400_response(msg)

    def _set_deadline(self, seconds: float | None) -> None:
        assert self._connection is not None
        self._connection.deadline = None if seconds is None else time.monotonic() + seconds

    def _disconnect_cycles(self) -> None:
        """Mark all requests in progress as disconnected; Uvicorn marks only the latest one."""
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()

    def _refuse_header(self) -> None:
        limit = self._limits.settings.max_header
        text = f"The request header is too large (limit {limit:,} bytes)."
        self._refuse("431 Request Header Fields Too Large", text)

    def _refuse(self, status: str, text: str) -> None:
        self._refused = True
        self._disconnect_cycles()
        self.transport.write(_refusal(status, text))
        self.transport.close()


def _refusal(status: str, text: str) -> bytes:
    return REFUSAL.format(status=status, size=len(text), text=text).encode()


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """Closes sockets that send too many frames."""

    config: LimitedConfig
    connection: TrackedConnection | None = None
    _frames: FrameCounter | None = None
    """None until the handshake has been received."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.connection is not None:
            self.config.open_connections.remove(self.connection)

    async def run_asgi(self) -> None:
        self.scope[WRITE_FRAME] = self._write_frame  # type: ignore[literal-required]
        self.scope[ROUND_TRIP] = lambda: self.last_ping_rtt  # type: ignore[literal-required]
        await super().run_asgi()

    def start_keepalive(self) -> None:
        """Ping at once, to know the round trip before the first move."""
        if self.ping_interval:
            self.send_keepalive_ping()

    def data_received(self, data: bytes) -> None:
        if self._frames is None:
            settings = self.config.open_connections.settings
            self._frames = FrameCounter(settings.message_rate)
            super().data_received(data)
        elif self._frames.allow(data):
            super().data_received(data)
        else:
            self._refuse()

    def send_receive_event_to_app(self) -> None:
        """Queue a message; stop reading if several wait.

        Uvicorn stops with each one, and each time that takes two calls of the system.
        """
        paused, self.read_paused = self.read_paused, True
        super().send_receive_event_to_app()
        self.read_paused = paused
        if not paused and self.queue.qsize() >= MAX_UNREAD:
            self.read_paused = True
            self.transport.pause_reading()

    def _write_frame(self, frame: bytes) -> bool:
        """Write a complete frame; return False if the client is too slow or disconnected."""
        if (
            self.close_sent
            or self.conn.state is not OPEN
            or not self.writable.is_set()
            or self.transport.is_closing()
        ):
            return False
        self.transport.write(frame)
        return True

    def _refuse(self) -> None:
        if self.conn.state is not OPEN:
            self.transport.abort()
            return
        reason = "Too many frames. Please slow down."
        self.conn.fail(POLICY_VIOLATION, reason)
        message = {"type": "websocket.disconnect", "code": POLICY_VIOLATION, "reason": reason}
        self.queue.put_nowait(message)  # type: ignore[arg-type]
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
