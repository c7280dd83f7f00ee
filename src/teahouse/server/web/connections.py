"""Limits of connections: in total, per address, in time, and by file descriptors.

A connection over a limit is refused, so that descriptors are left for files and workers.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass, field

from teahouse.server.settings import ServerSettings
from teahouse.server.web.client_address import TrustedProxies, client_key
from teahouse.server.web.rate_limit import RateLimiter

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

log = logging.getLogger("teahouse.server.web.connections")

MAX_BACKLOG = 512
"""The listen backlog."""
FILES = 128
"""Descriptors for the database, files and pipes to workers."""
MAX_REQUESTS = 1_000
"""Connections beyond `ServerSettings.max_connections`, so that HTTP requests still get through."""
CONNECTION_BURST_SECONDS = 20
REFUSAL_SECONDS = 1.0
SWEEP_SECONDS = 1.0
CLOSING_SECONDS = 5.0
"""Seconds that a client has to read the rest of an answer once a connection is being closed."""
STALLED_SECONDS = 20.0
"""Seconds without any byte read by a client that has answers to read."""


@dataclass(eq=False)
class TrackedConnection:
    """An open connection."""

    transport: asyncio.Transport
    address: str
    """The key of its address; empty for a trusted proxy, whose clients are limited instead."""
    deadline: float | None = None
    """When the request that is being received must be complete."""
    unsent: int = 0
    """Bytes that waited to be sent at the last sweep."""
    stalled_since: float = field(default_factory=time.monotonic)


class Connections:
    """All open connections of a server."""

    def __init__(self, settings: ServerSettings, proxies: TrustedProxies) -> None:
        self.settings = settings
        self._proxies = proxies
        self._open: set[TrackedConnection] = set()
        self._by_address: Counter[str] = Counter()
        self._waiting = 0
        rate = settings.connection_rate
        self._rate = RateLimiter(rate, CONNECTION_BURST_SECONDS * rate)
        descriptors = raise_descriptor_limit()
        self.backlog = min(MAX_BACKLOG, descriptors // 8)
        self._max_waiting = self.backlog // 2
        wanted = settings.max_connections + MAX_REQUESTS
        self.limit = min(wanted, descriptors - 2 * self.backlog - FILES)
        self.max_sockets = min(settings.max_connections, self.limit * 3 // 4)
        self._per_address = min(settings.max_connections_per_address, max(1, self.limit // 10))
        if self.limit < wanted:
            log.warning(
                "The limit of open files (%d) allows %d connections instead of %d; raise it with "
                "ulimit -n, or LimitNOFILE of systemd.",
                descriptors,
                self.limit,
                wanted,
            )

    def __len__(self) -> int:
        return len(self._open)

    def add(self, transport: asyncio.Transport) -> TrackedConnection | None:
        """Add a new connection, or return None if there are too many."""
        peer = transport.get_extra_info("peername")
        host = peer[0] if isinstance(peer, tuple) else ""
        address = "" if host in self._proxies else client_key(host)
        if len(self._open) >= self.limit:
            return None
        if address:
            if self._by_address[address] >= self._per_address:
                return None
            if self._rate.reserve(address, 1.0) > 0.0:
                return None
            self._by_address[address] += 1
        connection = TrackedConnection(transport, address)
        connection.deadline = time.monotonic() + self.settings.header_seconds
        self._open.add(connection)
        return connection

    def remove(self, connection: TrackedConnection) -> None:
        """Forget a closed connection."""
        self._open.discard(connection)
        if connection.address:
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    def refuse(self, transport: asyncio.Transport, answer: bytes) -> None:
        """Answer and close a connection after a delay, against clients that retry at once.

        If many are waiting already, close it without an answer.
        """

        def close() -> None:
            self._waiting -= 1
            if not transport.is_closing():
                transport.write(answer)
                transport.close()

        if self._waiting >= self._max_waiting:
            transport.abort()
            return
        self._waiting += 1
        transport.pause_reading()
        asyncio.get_running_loop().call_later(REFUSAL_SECONDS, close)

    async def sweep(self) -> None:
        """Periodically close connections whose client is too slow."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            now = time.monotonic()
            for connection in list(self._open):
                self._check(connection, now)

    def _check(self, connection: TrackedConnection, now: float) -> None:
        transport = connection.transport
        if not transport.is_closing() and connection.deadline and now > connection.deadline:
            transport.close()
        unsent = transport.get_write_buffer_size()
        if unsent == 0 or unsent < connection.unsent:
            connection.stalled_since = now
        connection.unsent = unsent
        patience = CLOSING_SECONDS if transport.is_closing() else STALLED_SECONDS
        if now - connection.stalled_since > patience:
            transport.abort()


def raise_descriptor_limit() -> int:
    """Raise the soft limit of open files to the hard one and return it."""
    if resource is None:
        return 1 << 16
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft
