"""Diagnosis of a PostgreSQL database and of the processes that share it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import sqlalchemy as sa

from teahouse.server.operations.finding import CLOCK_SECONDS, Finding
from teahouse.server.storage.lock import lock_modes
from teahouse.server.tables.jobs import STALLED_SECONDS

OLDEST = 13
"""The oldest version that the job queue supports."""
FULL = 0.8
"""The share of PostgreSQL's connections in use above which they may run out."""
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
"""Settings without which a move that was acknowledged may be lost in a power cut."""


def check_server(connection: sa.Connection) -> Iterator[Finding]:
    """Check version, rights, durability, connections and clock of PostgreSQL."""
    number = int(_show(connection, "server_version_num")) // 10_000
    version = _show(connection, "server_version").split(" ")[0]
    if number < OLDEST:
        advice = f"Install PostgreSQL {OLDEST} or a later one."
        yield Finding("PostgreSQL", "problem", f"version {version} is too old", advice)
    else:
        yield Finding("PostgreSQL", "ok", f"version {version}")
    user, schema, creates = connection.execute(
        sa.text(
            "SELECT current_user, current_schema(),"
            " coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
        )
    ).one()
    if creates:
        yield Finding("permissions", "ok", f"{user} may create tables in the schema {schema}")
    else:
        advice = f"ALTER DATABASE … OWNER TO {user}, or GRANT CREATE ON SCHEMA public TO {user}."
        yield Finding("permissions", "problem", f"{user} may not create tables", advice)
    yield _durability(connection)
    yield _connections(connection)
    yield _clock(connection)


def check_processes(connection: sa.Connection) -> Iterator[Finding]:
    """Check which servers and workers run on the database, and that somebody plays for bots."""
    running = lock_modes(connection)
    if "ExclusiveLock" in running:
        detail = "A command, or a server up to version 0.2, holds the database lock exclusively"
        yield Finding("processes", "warning", detail, "Others can start once it has ended.")
        return
    if not running:
        yield Finding("processes", "ok", "No server and no worker is running on this database")
        return
    detail = f"{_count(len(running), 'server or worker', 'servers and workers')} running"
    yield Finding("processes", "ok", detail)
    if not sa.inspect(connection).has_table("procrastinate_workers"):
        return  # the first process is just starting
    working, waiting = connection.execute(
        sa.text(
            "SELECT (SELECT count(*) FROM procrastinate_workers"
            " WHERE last_heartbeat > now() - make_interval(secs => :stalled)),"
            " (SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo')"
        ),
        {"stalled": STALLED_SECONDS},
    ).one()
    queued = f"{_count(waiting, 'job waits', 'jobs wait')}"
    if working:
        players = _count(working, "process plays", "processes play")
        yield Finding("jobs", "ok", f"{players} for bots; {queued}")
    else:
        advice = "Start teahouse worker, or a server without --no-jobs."
        yield Finding("jobs", "problem", f"No process plays for bots; {queued}", advice)


def _durability(connection: sa.Connection) -> Finding:
    off = [name for name in DURABLE if _show(connection, name) == "off"]
    if not off:
        return Finding("durability", "ok", "a commit is on disk before it is acknowledged")
    detail = f"{', '.join(off)} off: a power cut may lose moves that players have seen"
    return Finding("durability", "warning", detail, "Set it to on in postgresql.conf.")


def _connections(connection: sa.Connection) -> Finding:
    limit = int(_show(connection, "max_connections"))
    used = connection.execute(
        sa.text("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
    ).scalar_one()
    detail = f"{used} of {limit} connections in use"
    if used < FULL * limit:
        return Finding("connections", "ok", detail)
    advice = "Raise max_connections in postgresql.conf; a process uses up to 20."
    return Finding("connections", "warning", detail, advice)


def _clock(connection: sa.Connection) -> Finding:
    asked = time.time()
    there = connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
    apart = abs(float(there) - (asked + time.time()) / 2)
    detail = f"{apart:.1f} s apart from this machine's"
    if apart < CLOCK_SECONDS:
        return Finding("clock of the database", "ok", detail)
    advice = "Set the clocks of both machines (NTP)."
    return Finding("clock of the database", "problem", detail, advice)


def _show(connection: sa.Connection, name: str) -> str:
    return str(connection.execute(sa.select(sa.func.current_setting(name))).scalar_one())


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
