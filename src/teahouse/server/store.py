"""The house's memory: tables, events and records in SQLite or PostgreSQL.

One thread writes. What waits while it commits is committed together next time, so that many tables
share the wait for the disk. Nobody is told of anything before its commit has come back.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

import sqlalchemy as sa

from teahouse.server.database import TABLES, connect, migrate, take, unusable
from teahouse.server.events import Happened, Now, event

T = TypeVar("T")
MAX_TOGETHER = 500

tables = TABLES.tables["tables"]
events = TABLES.tables["events"]
records = TABLES.tables["records"]
house = TABLES.tables["house"]


class StoreError(RuntimeError):
    """The database does not do what it should; nothing was changed as far as is known."""


@dataclass(frozen=True)
class Row:
    """What is kept of a table beside its events, to look at it without playing it through."""

    id: str
    summary: dict[str, Any]
    over: bool
    alarm: bool
    """Whether a bot or a clock may act here without anybody being connected."""
    keys: list[str | None]
    """For every seat the hash of its secret."""


Job = Callable[[sa.Connection], Any]
Change = tuple[Sequence[Happened], Row, bool]
"""Events of a table, what is kept beside them, and whether the table is new."""


class Store:
    """Where a house keeps everything; one house at a time."""

    def __init__(self, url: str) -> None:
        self._engine = connect(url)
        self._jobs: SimpleQueue[tuple[Job, asyncio.Future[Any]] | None] = SimpleQueue()
        self._readers = ThreadPoolExecutor(2, "store-reader")
        self._lock = take(self._engine)
        try:
            with self._engine.begin() as connection:
                migrate(connection)
                self._open_before: float = connection.execute(sa.select(house.c.open)).scalar_one()
        except BaseException as error:
            self._lock.release()
            self._engine.dispose()
            if isinstance(error, sa.exc.DatabaseError):
                raise unusable(error) from None
            raise
        self._opened = time.monotonic()
        self._writer = threading.Thread(target=self._write, name="store-writer", daemon=True)

    def start(self) -> None:
        """Begin to write, for the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._writer.start()

    async def close(self) -> None:
        """Write what waits, then let go of the database."""
        self._jobs.put(None)
        await asyncio.to_thread(self._writer.join)
        self._readers.shutdown()
        self._lock.release()
        self._engine.dispose()

    def now(self) -> Now:
        """This moment."""
        return Now(time.time(), self._open_before + time.monotonic() - self._opened)

    # Writing.

    def append(self, changes: Sequence[Change]) -> asyncio.Future[None]:
        """Add events to tables, all or none; an error leaves everything as it was."""

        def job(connection: sa.Connection) -> None:
            for happened, row, new in changes:
                _append(connection, happened, row, new)

        return self._do(job)

    async def beat(self) -> None:
        """Remember how long the house has been open, as every commit does."""
        await self._do(lambda connection: None)

    async def keep_record(self, record_id: str, text: str, now: Now) -> str:
        """Keep a record's text; its id, which is the old one if it was kept before."""
        digest = hashlib.sha256(text.encode()).hexdigest()

        def job(connection: sa.Connection) -> str:
            same = sa.select(records.c.id).where(records.c.digest == digest)
            known: str | None = connection.execute(same).scalar_one_or_none()
            if known is None:
                values = {"id": record_id, "digest": digest, "wall": now.wall, "text": text}
                connection.execute(records.insert().values(values))
            return known or record_id

        return await self._do(job)

    async def sweep(self, before: float, keep: Sequence[str]) -> None:
        """Forget tables opened before then at which nothing ever happened."""

        def job(connection: sa.Connection) -> None:
            stale = (tables.c.number == 1) & (tables.c.changed < before)
            found = set(connection.execute(sa.select(tables.c.id).where(stale)).scalars())
            for table_id in found.difference(keep):
                connection.execute(events.delete().where(events.c.table_id == table_id))
                connection.execute(tables.delete().where(tables.c.id == table_id))

        await self._do(job)

    def _do(self, job: Callable[[sa.Connection], T]) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((job, future))
        return future

    def _write(self) -> None:
        """The writing thread: whatever waits, in one commit."""
        while True:
            first = self._jobs.get()
            waiting = [first]
            while not self._jobs.empty() and len(waiting) < MAX_TOGETHER:
                waiting.append(self._jobs.get())
            batch = [job for job in waiting if job is not None]
            try:
                self._commit(batch)
            except Exception:
                for job in batch:
                    try:
                        self._commit([job])
                    except Exception as error:
                        self._loop.call_soon_threadsafe(_fail, job[1], error)
            if None in waiting:
                return

    def _commit(self, batch: list[tuple[Job, asyncio.Future[Any]]]) -> None:
        if not batch:
            return
        with self._engine.begin() as connection:
            results = [job(connection) for job, _ in batch]
            connection.execute(house.update().values(open=self.now().open))
        outcomes = [(future, result) for (_, future), result in zip(batch, results, strict=True)]
        self._loop.call_soon_threadsafe(_tell_all, outcomes)

    # Reading.

    async def load(self, table_id: str) -> tuple[list[str | None], list[Happened]] | None:
        """A table's hashed secrets and all its events."""
        return await self._read(lambda connection: _load(connection, table_id))

    async def rows(
        self, ids: Sequence[str]
    ) -> dict[str, tuple[dict[str, Any], list[str | None], float]]:
        """Summaries, hashed secrets and times of last change."""

        def job(
            connection: sa.Connection,
        ) -> dict[str, tuple[dict[str, Any], list[str | None], float]]:
            wanted = sa.select(tables.c.id, tables.c.summary, tables.c.hashes, tables.c.changed)
            found = connection.execute(wanted.where(tables.c.id.in_(ids)))
            return {
                row.id: (json.loads(row.summary), json.loads(row.hashes), row.changed)
                for row in found
            }

        return await self._read(job)

    async def alarmed(self) -> list[str]:
        """Tables at which a bot or a clock may act without anybody being connected."""
        wanted = sa.select(tables.c.id).where(tables.c.alarm.is_(True))
        return await self._read(lambda connection: list(connection.execute(wanted).scalars()))

    async def count_open(self, since: float) -> int:
        """How many games are not over and have gone on since then."""
        still = tables.c.over.is_(False) & (tables.c.changed >= since)
        counted = sa.select(sa.func.count()).select_from(tables).where(still)
        return await self._read(lambda connection: connection.execute(counted).scalar_one())

    async def count_records(self) -> int:
        """How many records are kept."""
        counted = sa.select(sa.func.count()).select_from(records)
        return await self._read(lambda connection: connection.execute(counted).scalar_one())

    async def record(self, record_id: str) -> str | None:
        """A kept record's text."""
        wanted = sa.select(records.c.text).where(records.c.id == record_id)
        return await self._read(lambda connection: connection.execute(wanted).scalar_one_or_none())

    async def _read(self, job: Callable[[sa.Connection], T]) -> T:
        def run() -> T:
            try:
                with self._engine.connect() as connection:
                    return job(connection)
            except sa.exc.DBAPIError as error:
                raise _trouble(error) from None

        return await self._loop.run_in_executor(self._readers, run)


def _append(connection: sa.Connection, happened: Sequence[Happened], row: Row, new: bool) -> None:
    last = happened[-1]
    values = {
        "summary": json.dumps(row.summary),
        "number": last.number,
        "over": row.over,
        "alarm": row.alarm,
        "changed": last.now.wall,
    }
    if new:
        keys = json.dumps(row.keys)
        connection.execute(tables.insert().values(id=row.id, hashes=keys, **values))
    else:
        due = (tables.c.id == row.id) & (tables.c.number == happened[0].number - 1)
        if connection.execute(tables.update().where(due).values(values)).rowcount != 1:
            raise StoreError("the table has changed behind this house's back")
    connection.execute(
        events.insert(),
        [
            {
                "table_id": row.id,
                "number": one.number,
                "wall": one.now.wall,
                "open": one.now.open,
                "body": one.event.model_dump_json(),
            }
            for one in happened
        ],
    )


def _load(
    connection: sa.Connection, table_id: str
) -> tuple[list[str | None], list[Happened]] | None:
    keys = connection.execute(
        sa.select(tables.c.hashes).where(tables.c.id == table_id)
    ).scalar_one_or_none()
    if keys is None:
        return None
    found = connection.execute(
        sa.select(events).where(events.c.table_id == table_id).order_by(events.c.number)
    )
    happened = [
        Happened(row.number, Now(row.wall, row.open), event.validate_json(row.body))
        for row in found
    ]
    return json.loads(keys), happened


def _tell_all(outcomes: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in outcomes:
        if not future.done():
            future.set_result(result)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(_trouble(error))


def _trouble(error: Exception) -> Exception:
    """A database's complaint in one line."""
    return StoreError(str(error.orig).strip()) if isinstance(error, sa.exc.DBAPIError) else error
