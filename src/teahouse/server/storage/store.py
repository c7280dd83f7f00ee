"""Persistence: tables, events and records in SQLite or PostgreSQL.

One thread writes (`writer.py`). Nothing is broadcast before its commit has returned.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from teahouse.server.storage import unused_tables
from teahouse.server.storage.database import connect, migrate, records, tables
from teahouse.server.storage.errors import store_error
from teahouse.server.storage.lock import acquire_lock, unusable
from teahouse.server.storage.notifications import Notifications
from teahouse.server.storage.queue_schema import prepare_queue
from teahouse.server.storage.server_clock import LocalClock, ServerClock, SharedClock
from teahouse.server.storage.writer import Writer
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.event_json import LogRow
from teahouse.server.tables.rows import Change, LoadedTable, SavedSession
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import ChatMessage

T = TypeVar("T")


@dataclass(frozen=True)
class StoredTable:
    """A row of a table as it is read for status requests."""

    summary: dict[str, Any]
    key_hashes: list[str | None]
    updated: float


class Store:
    """The server's database: SQLite for one process, PostgreSQL for any number."""

    def __init__(self, url: str) -> None:
        self._engine = connect(url, create=True)
        self._readers = ThreadPoolExecutor(2, "store-reader")
        self._reading = self._snapshot = self._engine
        if self._engine.dialect.name == "postgresql":  # a transaction would be two more requests
            self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")
            self._snapshot = self._engine.execution_options(isolation_level="REPEATABLE READ")
        self._lock = acquire_lock(self._engine, shared=True)
        try:
            with self._engine.begin() as connection:
                migrate(connection)
                if connection.dialect.name == "postgresql":
                    prepare_queue(connection)
            with self._engine.begin() as connection:
                shared = None if self._engine.dialect.name == "sqlite" else SharedClock(connection)
                self._clock: ServerClock = shared or LocalClock(connection)
        except BaseException as error:
            self._lock.release()
            self._engine.dispose()
            if isinstance(error, sa.exc.DatabaseError):
                raise unusable(error) from None
            raise
        self.notifications = Notifications(self._engine, shared)
        self._writer = Writer(self._lock, self._clock, self.notifications)

    def start(self) -> None:
        """Start the writer thread for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._writer.start()
        self.notifications.start()

    async def close(self) -> None:
        """Finish all queued writes and close the database."""
        await self.notifications.close()
        await self._writer.close()
        self._readers.shutdown()
        self._lock.release()
        self._engine.dispose()

    @property
    def queued(self) -> int:
        """The number of jobs in the writer's queue."""
        return self._writer.queued

    @property
    def engine(self) -> sa.Engine:
        """The SQLAlchemy engine, for code that runs on its own threads."""
        return self._engine

    @property
    def connections(self) -> tuple[int, int]:
        """The connections to the database in use, and the idle ones."""
        pool = self._engine.pool
        assert isinstance(pool, sa.QueuePool)
        return pool.checkedout(), pool.checkedin()

    def now(self) -> Timestamp:
        """Return the current time."""
        return self._clock.now()

    @property
    def multi_process(self) -> bool:
        """Whether other processes may change the database too."""
        return self.notifications.multi_process

    # Writing.

    def append(self, changes: Sequence[Change]) -> asyncio.Future[bool]:
        """Append events to a table, and create others with them, all or none.

        Return False if the table has other events by now; then nothing was changed.
        """

        def job(connection: sa.Connection) -> bool:
            return all(table_rows.append(connection, change) for change in changes)

        return self._writer.submit(job, changes)

    async def save(self, table_id: str, saved: SavedSession) -> None:
        """Store a checkpoint that was rebuilt from all events."""
        await self._writer.submit(lambda connection: table_rows.save(connection, table_id, saved))

    async def clear_due(self, table_id: str) -> None:
        """Clear the due times of a table at which no bot or clock can act."""
        nothing = {"due_uptime": None, "due_wall": None}
        forgotten = tables.update().where(tables.c.id == table_id).values(nothing)
        await self._writer.submit(lambda connection: connection.execute(forgotten))

    async def save_uptime(self) -> None:
        """Store the server's uptime, as every commit does."""
        await self._writer.submit(lambda connection: None)

    async def add_record(self, record_id: str, text: str, now: Timestamp) -> str:
        """Store a record and return its id; that of the same text if it is stored already."""
        digest = hashlib.sha256(text.encode()).hexdigest()

        def job(connection: sa.Connection) -> str:
            same = sa.select(records.c.id).where(records.c.digest == digest)
            known: str | None = connection.execute(same).scalar_one_or_none()
            if known is None:
                values = {"id": record_id, "digest": digest, "created": now.wall, "text": text}
                connection.execute(records.insert().values(values))
            return known or record_id

        return await self._writer.submit(job)

    async def delete_unused(self, now: float, age: float, in_memory: Sequence[str]) -> None:
        """Delete tables at which nothing has ever happened, `age` seconds after their last use.

        Those that a process has `in_memory` are in use; those of several accounts and of
        tournaments stay.
        """
        job = partial(unused_tables.delete, now=now, age=age, in_memory=in_memory)
        await self._writer.submit(job)

    async def write(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job that writes, in a transaction; return its result once it is on disk."""
        return await self._writer.submit(job)

    def publish(self, topic: str, items: Sequence[str], to: str | None = None) -> None:
        """Publish items to the other processes, or to one of them, with the next commit."""
        if self.multi_process and items:
            messages = self.notifications.messages(topic, items, to)
            sent = self._writer.submit(lambda _: None, messages=messages)
            sent.add_done_callback(asyncio.Future.exception)  # may fail: subscribers poll too

    # Reading.

    async def load(self, table_id: str) -> LoadedTable | None:
        """Return a table, or None if there is no such table."""
        read = partial(table_rows.load, table_id=table_id)
        return await self.read(read, snapshot=True)  # others may append events meanwhile

    async def events_after(self, table_id: str, seq: int) -> list[LoggedEvent]:
        """Return the events of a table after a sequence number."""
        return await self.read(
            lambda connection: table_rows.events_after(connection, table_id, seq)
        )

    async def events(self, wanted: Iterable[tuple[str, int]]) -> dict[str, list[LoggedEvent]]:
        """Return events of several tables by their numbers, those of each table in order."""
        return await self.read(lambda connection: table_rows.events_by_number(connection, wanted))

    async def last_events(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sequence numbers of the last events of tables."""
        wanted = sa.select(tables.c.id, tables.c.seq).where(tables.c.id.in_(ids))
        return await self.read(
            lambda connection: {row.id: row.seq for row in connection.execute(wanted)}
        )

    async def log(self, table_id: str) -> list[LogRow]:
        """Return all events of a table as they are stored."""
        return await self.read(lambda connection: table_rows.log_rows(connection, table_id))

    async def chat(self, table_id: str, before: int) -> list[ChatMessage]:
        """Return the latest chat messages of a table before a sequence number."""
        return await self.read(lambda connection: table_rows.chat(connection, table_id, before))

    async def stored_tables(self, ids: Sequence[str]) -> dict[str, StoredTable]:
        """Return those of these tables that exist."""

        def job(connection: sa.Connection) -> dict[str, StoredTable]:
            columns = (tables.c.id, tables.c.summary, tables.c.key_hashes, tables.c.updated)
            found = connection.execute(sa.select(*columns).where(tables.c.id.in_(ids)))
            return {
                row.id: StoredTable(
                    json.loads(row.summary), json.loads(row.key_hashes), row.updated
                )
                for row in found
            }

        return await self.read(job)

    async def tables_to_wake(self) -> list[str]:
        """Return the tables at which a bot or a clock may act without anybody being connected."""
        wanted = sa.select(tables.c.id).where(tables.c.wake_on_start.is_(True))
        return await self.read(lambda connection: list(connection.execute(wanted).scalars()))

    async def count_unfinished(self, since: float) -> int:
        """Count the games that are not over and were played on since a time."""
        unfinished = tables.c.over.is_(False) & (tables.c.updated >= since)
        counted = sa.select(sa.func.count()).select_from(tables).where(unfinished)
        return await self.read(lambda connection: connection.execute(counted).scalar_one())

    async def count_records(self) -> int:
        """Count the stored records."""
        counted = sa.select(sa.func.count()).select_from(records)
        return await self.read(lambda connection: connection.execute(counted).scalar_one())

    async def record(self, record_id: str) -> str | None:
        """Return a record's text, or None if there is no such record."""
        wanted = sa.select(records.c.text).where(records.c.id == record_id)
        return await self.read(lambda connection: connection.execute(wanted).scalar_one_or_none())

    async def read(self, job: Callable[[sa.Connection], T], *, snapshot: bool = False) -> T:
        """Run a job that only reads, of one moment if `snapshot`; return its result."""
        engine = self._snapshot if snapshot else self._reading

        def run() -> T:
            for attempt in (1, 2):  # the second one in a new session, if the first was lost
                try:
                    with engine.connect() as connection:
                        return job(connection)
                except sa.exc.DBAPIError as error:
                    if not error.connection_invalidated or attempt == 2:
                        raise store_error(error) from None
            raise AssertionError("unreachable")

        context = contextvars.copy_context()  # the request's, for traces and logs
        return await self._loop.run_in_executor(self._readers, context.run, run)
