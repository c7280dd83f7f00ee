"""The uptime that realtime clocks count: one for all processes, and it stands still without any."""

from __future__ import annotations

import time

import sqlalchemy as sa
from support.servers import Postgres, new_database

from teahouse.server.storage.database import connect, migrate, server
from teahouse.server.storage.server_clock import STOPPED_SECONDS, LocalClock, SharedClock

SKEW = 0.02


class Monotonic:
    """A monotonic clock of another machine."""

    def __init__(self, start: float) -> None:
        self.start = start

    def __call__(self) -> float:
        return self.start + time.monotonic()


def test_processes_share_the_uptime(postgres_server: Postgres) -> None:
    engine = connect(new_database(postgres_server))
    with engine.begin() as connection:
        migrate(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        clocks = [SharedClock(connection, Monotonic(start)) for start in (0.0, 1e6)]
        for _ in range(8):  # of which the quickest counts, on a busy machine
            for clock in clocks:
                clock.beat(connection)
        first, second, third = clocks[0].now(), clocks[1].now(), clocks[0].now()
        middle = (first.uptime + third.uptime) / 2
        assert abs(second.uptime - middle) < SKEW + (third.uptime - first.uptime)
        assert abs(second.wall - first.wall) < SKEW + (third.wall - first.wall)
        # All processes are stopped for an hour: the uptime goes on where it was.
        connection.execute(server.update().values(time=server.c.time - 3_600.0))
        stored = connection.execute(sa.select(server.c.uptime)).scalar_one()
        restarted = SharedClock(connection)
        assert stored <= restarted.now().uptime < stored + 1.0
        # One of them lives on: it follows the others.
        clocks[0].beat(connection)
        assert abs(clocks[0].now().uptime - restarted.now().uptime) < SKEW + 0.5
    engine.dispose()


def test_the_uptime_stops_without_heartbeats(postgres_server: Postgres) -> None:
    engine = connect(new_database(postgres_server))
    with engine.begin() as connection:
        migrate(connection)
        monotonic = Monotonic(0.0)
        clock = SharedClock(connection, monotonic)
        before = clock.now().uptime
        monotonic.start += 100.0
        assert before <= clock.now().uptime <= before + STOPPED_SECONDS
        assert LocalClock(connection).now().uptime < before + 1.0
    engine.dispose()
