"""What the processes of a server tell each other by PostgreSQL's LISTEN and NOTIFY.

A notification may be lost. So each one only says what has changed in the database, or carries what
may be missed, and whoever depends on it also looks for itself after `reconnected` and now and then.
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
_NOTIFY = "SELECT count(pg_notify(c, p)) FROM unnest(%s::text[], %s::text[]) AS told (c, p)"

Message = tuple[str, str]
"""A channel, and what is sent there."""
Handler = Callable[[str], object]
Tell = Callable[[str, Sequence[str]], object]
"""Tells the other processes words about a topic."""


def tell_nobody(topic: str, words: Sequence[str]) -> None:
    """Do nothing: there are no other processes."""


class Notifications:
    """Sends notifications to the other processes, and calls handlers with theirs.

    With SQLite there are no others, and nothing is sent.
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
    def several(self) -> bool:
        """Whether there may be other processes."""
        return self._clock is not None

    def subscribe(self, topic: str, handler: Handler) -> None:
        """Call a function with the text of each notification of a topic, on the event loop."""
        self._handlers[topic].append(handler)

    def on_reconnect(self, handler: Callable[[], object]) -> None:
        """Call a function, on the event loop, when notifications may have been missed."""
        self._reconnected.append(handler)

    def messages(self, topic: str, words: Iterable[str], to: str | None = None) -> list[Message]:
        """Return as few messages as possible that tell the others, or one process."""
        channel = CHANNEL if to is None else _own_channel(to)
        return [(channel, f"{self._process} {topic} {text}") for text in _lines(words)]

    def send(self, connection: sa.Connection, topic: str, words: Iterable[str]) -> None:
        """Tell the others, once the transaction is committed."""
        self.post(connection, self.messages(topic, words))

    def post(self, connection: sa.Connection, messages: Sequence[Message]) -> None:
        """Send messages together, once the transaction is committed."""
        if self.several and messages:
            channels, payloads = map(list, zip(*messages, strict=True))
            connection.exec_driver_sql(_NOTIFY, (channels, payloads))

    def start(self) -> None:
        """Start to listen, for the running event loop."""
        self._loop = asyncio.get_running_loop()
        if self.several:
            self._thread.start()

    async def close(self) -> None:
        """Stop listening."""
        self._closing.set()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def _listen(self) -> None:
        """Run the listener thread; it also keeps the server's clock."""
        while not self._closing.is_set():
            try:
                with self._listening() as connection:
                    self._call(self._on_reconnect)
                    while not self._closing.is_set():
                        self._wait(connection)
            except sa.exc.DBAPIError as error:
                log.warning("Notifications are interrupted: %s", str(error.orig).strip())
                self._closing.wait(RETRY_SECONDS)
            except Exception as error:  # the driver's own, while it waits
                log.warning("Notifications are interrupted: %s", str(error).strip())
                self._closing.wait(RETRY_SECONDS)

    @contextmanager
    def _listening(self) -> Iterator[sa.Connection]:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            for channel in (CHANNEL, _own_channel(self._process)):
                connection.execute(sa.text(f"LISTEN {channel}"))
            yield connection
        finally:
            connection.invalidate()  # it must not be used by others while it listens
            connection.close()

    def _wait(self, connection: sa.Connection) -> None:
        """Pass on what arrives until the next heartbeat is due."""
        assert self._clock is not None
        self._clock.beat(connection)
        due = time.monotonic() + HEARTBEAT_SECONDS
        driver = connection.connection.driver_connection
        assert driver is not None
        while not self._closing.is_set() and (left := due - time.monotonic()) > 0:
            for notification in driver.notifies(timeout=min(left, 0.2)):
                if not notification.payload.startswith(self._process):  # its own wake nobody
                    self._call(self._dispatch, notification.payload)

    def _call(self, function: Callable[..., None], *arguments: str) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _dispatch(self, payload: str) -> None:
        _, topic, text = payload.split(" ", 2)
        for handler in self._handlers[topic]:
            try:
                handler(text)
            except Exception as error:  # of another version, during a rolling restart
                log.warning("A notification about %s is ignored: %r", topic, error)

    def _on_reconnect(self) -> None:
        for handler in self._reconnected:
            handler()


def _own_channel(process: str) -> str:
    """Return the channel on which one process listens alone."""
    return f"{CHANNEL}_{process}"


def pack(value: object) -> str:
    """Return a JSON value as one word."""
    return base64.urlsafe_b64encode(orjson.dumps(value)).decode()


def unpack(word: str) -> Any:
    """Return the JSON value of a word."""
    return orjson.loads(base64.urlsafe_b64decode(word))


def _lines(words: Iterable[str]) -> Iterator[str]:
    """Join words by spaces to lines that fit into a notification."""
    line = ""
    for word in words:
        if line and len(line) + len(word) >= MAX_PAYLOAD:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    if line:
        yield line
