"""The time of the server: Unix time, and the uptime that realtime clocks count.

The uptime stands still while no process of the server runs. It is stored in the row of `server`.
One process alone counts it and stores it with every commit. Where several processes share a
PostgreSQL database, the row itself is the clock: a heartbeat of each process advances it by the
database's time, unless the last heartbeat of anybody is too long ago. Between heartbeats a process
computes the time from its own monotonic clock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa

from teahouse.server.storage.database import server
from teahouse.server.storage.prepared import Prepared
from teahouse.server.storage.steady_clock import SteadyClock
from teahouse.session.events import Timestamp

HEARTBEAT_SECONDS = 1.0
STOPPED_SECONDS = 5.0
"""Without a heartbeat for so long, the server counts as stopped, and so does its uptime."""
SAMPLES = 8
"""Heartbeats of which the quickest one is used to read the database's clock."""
SAME_OFFSET = 1e-3

_SAVE_TIME = Prepared(
    server.update().values(uptime=sa.bindparam("uptime"), time=sa.bindparam("time"))
)
_HEARTBEAT = sa.text(
    "UPDATE server SET time = d.now, uptime = uptime + CASE"
    " WHEN d.now > time AND d.now - time < :stopped THEN d.now - time ELSE 0 END"
    " FROM (SELECT CAST(EXTRACT(epoch FROM clock_timestamp()) AS double precision) AS now) d"
    " RETURNING server.uptime, server.time"
)


class ServerClock(Protocol):
    """The time of the server."""

    def now(self) -> Timestamp:
        """Return the current time."""

    def save(self, connection: sa.Connection) -> None:
        """Store the time with a commit, if this process alone counts it."""


class LocalClock:
    """The time of a server that is one process."""

    def __init__(self, connection: sa.Connection) -> None:
        uptime, wall = connection.execute(sa.select(server.c.uptime, server.c.time)).one()
        self._uptime_before: float = uptime
        self._steady = SteadyClock(wall)
        self._opened = time.monotonic()

    def now(self) -> Timestamp:
        """Return the current time."""
        return Timestamp(self._steady.now(), self._uptime_before + time.monotonic() - self._opened)

    def save(self, connection: sa.Connection) -> None:
        """Store the time."""
        now = self.now()
        _SAVE_TIME.execute(connection, {"uptime": now.uptime, "time": now.wall})


@dataclass(frozen=True)
class _Sample:
    """A reading of the database's clock by the monotonic clock of this process."""

    ahead: float
    """The database's time minus the monotonic one."""
    uncertainty: float


class SharedClock:
    """The time of a server of several processes, by the clock of their database."""

    def __init__(
        self, connection: sa.Connection, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._samples: deque[_Sample] = deque(maxlen=SAMPLES)
        self._offset = 0.0
        """The uptime minus the database's time, while the server runs."""
        self._beaten = 0.0
        before: float = connection.execute(sa.select(server.c.time)).scalar_one()
        self.beat(connection)
        self._steady = SteadyClock(before, system=self._database_time)

    def beat(self, connection: sa.Connection) -> None:
        """Advance the uptime in the database, and read both clocks there."""
        sent = self._monotonic()
        uptime, read = connection.execute(_HEARTBEAT, {"stopped": STOPPED_SECONDS}).one()
        received = self._monotonic()
        with self._lock:
            self._samples.append(_Sample(read - (sent + received) / 2, (received - sent) / 2))
            best = min(sample.uncertainty for sample in self._samples)
            if abs(self._ahead - self._samples[-1].ahead) > best + self._samples[-1].uncertainty:
                newest = self._samples[-1]  # the database's clock was set
                self._samples.clear()
                self._samples.append(newest)
            if abs(uptime - read - self._offset) > SAME_OFFSET:
                self._offset = uptime - read
            self._beaten = received

    @property
    def _ahead(self) -> float:
        return min(self._samples, key=lambda sample: sample.uncertainty).ahead

    def _database_time(self) -> float:
        with self._lock:
            return self._monotonic() + self._ahead

    def now(self) -> Timestamp:
        """Return the current time; the uptime stops where heartbeats fail for long."""
        with self._lock:
            now = min(self._monotonic(), self._beaten + STOPPED_SECONDS)
            uptime = now + self._ahead + self._offset
        return Timestamp(self._steady.now(), uptime)

    def save(self, connection: sa.Connection) -> None:
        """Do nothing: heartbeats store the time."""
