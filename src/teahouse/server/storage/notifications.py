"""Publish/subscribe between the processes of a server, by PostgreSQL's LISTEN and NOTIFY.

Delivery is at most once. So a notification only announces a change of the database or carries data
that may be lost, and subscribers that depend on it also poll, and read again on reconnect.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
import sqlalchemy as sa

from teahouse.server.storage.server_clock import HEARTBEAT_SECONDS, SharedClock

log = logging.getLogger("teahouse.server.storage.notifications")

CHANNEL = "teahouse"
MAX_PAYLOAD = 7_000
"""Bytes; PostgreSQL allows less than 8,000."""
RETRY_SECONDS = 1.0
_NOTIFY = "SELECT count(pg_notify(c, p)) FROM unnest(%s::text[], %s::text[]) AS messages (c, p)"

Message = tuple[str, str]
"""A channel and a payload."""
Handler = Callable[[str], object]
Publish = Callable[[str, Sequence[str]], object]
"""Publishes items of a topic to the other processes."""


def no_publish(topic: str, items: Sequence[str]) -> None:
    """Do nothing: there are no other processes."""


class Notifications:
    """Publishes notifications to the other processes, and dispatches theirs to handlers.

    With SQLite there is one process, and nothing is sent.
    """

    def __init__(self, engine: sa.Engine, clock: SharedClock | None) -> None:
        self._engine = engine
        self._clock = clock
        self._process = secrets.token_hex(4)
        self._handlers: defaultdict[str, list[Handler]] = defaultdict(list)
        self._reconnected: list[Callable[[], object]] = []
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="listener", daemon=True)

    @property
    def process(self) -> str:
        """The name of this process."""
        return self._process

    @property
    def multi_process(self) -> bool:
        """Whether there may be other processes."""
        return self._clock is not None

    def subscribe(self, topic: str, handler: Handler) -> None:
        """Call a function with the text of each notification of a topic, on the event loop."""
        self._handlers[topic].append(handler)

    def on_reconnect(self, handler: Callable[[], object]) -> None:
        """Call a function, on the event loop, when notifications may have been missed."""
        self._reconnected.append(handler)

    def messages(self, topic: str, items: Iterable[str], to: str | None = None) -> list[Message]:
        """Pack items into as few messages as possible, for all other processes or for one."""
        channel = CHANNEL if to is None else _own_channel(to)
        return [(channel, f"{self._process} {topic} {text}") for text in _payloads(items)]

    def publish(self, connection: sa.Connection, topic: str, items: Iterable[str]) -> None:
        """Publish items to the other processes when the transaction commits."""
        self.send(connection, self.messages(topic, items))

    def send(self, connection: sa.Connection, messages: Sequence[Message]) -> None:
        """Send messages in one statement, delivered when the transaction commits."""
        if self.multi_process and messages:
            channels, payloads = map(list, zip(*messages, strict=True))
            connection.exec_driver_sql(_NOTIFY, (channels, payloads))

    def start(self) -> None:
        """Start the listener thread for the running event loop."""
        self._loop = asyncio.get_running_loop()
        if self.multi_process:
            self._thread.start()

    async def close(self) -> None:
        """Stop the listener thread."""
        self._closing.set()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def _listen(self) -> None:
        """Run the listener thread; it also sends the heartbeats of the server's clock."""
        while not self._closing.is_set():
            try:
                with self._listening() as connection:
                    self._call(self._on_reconnect)
                    while not self._closing.is_set():
                        self._wait(connection)
            except sa.exc.DBAPIError as error:
                log.warning("Listening failed; retrying: %s", str(error.orig).strip())
                self._closing.wait(RETRY_SECONDS)
            except Exception as error:  # an exception of the driver itself
                log.warning("Listening failed; retrying: %s", str(error).strip())
                self._closing.wait(RETRY_SECONDS)

    @contextmanager
    def _listening(self) -> Iterator[sa.Connection]:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            for channel in (CHANNEL, _own_channel(self._process)):
                connection.execute(sa.text(f"LISTEN {channel}"))
            yield connection
        finally:
            connection.invalidate()  # a listening connection must not return to the pool
            connection.close()

    def _wait(self, connection: sa.Connection) -> None:
        """Dispatch notifications until the next heartbeat is due."""
        assert self._clock is not None
        self._clock.beat(connection)
        due = time.monotonic() + HEARTBEAT_SECONDS
        driver = connection.connection.driver_connection
        assert driver is not None
        while not self._closing.is_set() and (left := due - time.monotonic()) > 0:
            for notification in driver.notifies(timeout=min(left, 0.2)):
                if not notification.payload.startswith(self._process):  # skip its own
                    self._call(self._dispatch, notification.payload)

    def _call(self, function: Callable[..., None], *arguments: str) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _dispatch(self, payload: str) -> None:
        _, topic, text = payload.split(" ", 2)
        for handler in self._handlers[topic]:
            try:
                handler(text)
            except Exception as error:  # sent by another version during a rolling restart
                log.warning("Ignoring an invalid notification on topic %s: %r", topic, error)

    def _on_reconnect(self) -> None:
        for handler in self._reconnected:
            handler()


def _own_channel(process: str) -> str:
    """Return the channel that only one process listens on."""
    return f"{CHANNEL}_{process}"


def pack(value: object) -> str:
    """Encode a JSON value as an item without spaces."""
    return base64.urlsafe_b64encode(orjson.dumps(value)).decode()


def unpack(item: str) -> Any:
    """Decode an item of `pack`."""
    return orjson.loads(base64.urlsafe_b64decode(item))


def _payloads(items: Iterable[str]) -> Iterator[str]:
    """Join items with spaces into payloads of at most `MAX_PAYLOAD` bytes."""
    payload = ""
    for item in items:
        if payload and len(payload) + len(item) >= MAX_PAYLOAD:
            yield payload
            payload = ""
        payload = f"{payload} {item}" if payload else item
    if payload:
        yield payload
