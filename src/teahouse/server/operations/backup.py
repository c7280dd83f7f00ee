"""Backup and restore of a server's database, while the server runs.

A backup is an SQLite file, whichever database it comes from, so it can be restored to either one.
It is one consistent snapshot, and lists how many rows each table has, with their digest. Both ways
what was written is compared with that list, row for row.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from teahouse.core.errors import OptionError
from teahouse.core.files import check_writable
from teahouse.server.operations.table_digest import TableDigest, batches, digest_tables
from teahouse.server.storage.database import connect, known_revisions, migrate, revision
from teahouse.server.storage.lock import OWNER_ONLY, unusable

if sys.platform != "win32":
    import fcntl

MANIFEST = sa.Table(
    "backup_manifest",
    sa.MetaData(),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
)
MOMENTARY = ("lobby_messages", "lobby_visitors", "seeks")
"""State of live connections; messages may contain the secrets of seats."""
QUEUE = "procrastinate_"
"""Tables of the job queue, which is rebuilt from the due times of tables."""
OWN_TABLES = ("alembic_version", MANIFEST.name, *MOMENTARY)
"""Tables that are not backed up."""
PARTS = f".*.{'[0-9a-f]' * 8}.part"
"""Temporary files: being written, or abandoned by killed processes."""
ABANDONED_SECONDS = 60.0
"""Age of an abandoned file: a file created just now may not be locked yet."""


class BackupError(OptionError):
    """A backup cannot be written, read or restored; the message gives the reason."""


@dataclass(frozen=True)
class BackupReport:
    """What a backup has."""

    revision: str
    tables: Mapping[str, TableDigest]

    @property
    def rows(self) -> int:
        """The number of rows of all tables."""
        return sum(digest.rows for digest in self.tables.values())


def back_up(database: str, file: Path) -> BackupReport:
    """Write a snapshot of a database to a new file; raise `BackupError`."""
    source = _open_existing(database)
    try:
        with _new_file(file) as part:
            if source.dialect.name == "sqlite":
                _copy_sqlite(source, part)
            else:
                _export(source, part)
            report = check(part)
    except sa.exc.DBAPIError as error:
        raise unusable(error) from None
    except (sqlite3.Error, OSError) as error:
        raise BackupError(f"Cannot write {file}: {error}.") from None
    finally:
        source.dispose()
    return report


def restore(file: Path, database: str) -> BackupReport:
    """Fill an empty database from a backup; raise `BackupError` if it has anything in it."""
    report = check(file)
    target = connect(database, create=True)
    try:
        if target.dialect.name == "sqlite":
            path = Path(str(target.url.database))
            _refuse_logs(path)
            with _new_file(path) as part:
                _restore_sqlite(file, part, report)
        else:
            _restore_tables(file, target, report)
    except sa.exc.DBAPIError as error:
        raise unusable(error) from None
    except (sqlite3.Error, OSError) as error:
        raise BackupError(f"Cannot write {target.url.database}: {error}.") from None
    finally:
        target.dispose()
    return report


def check(file: Path) -> BackupReport:
    """Return what a backup has, after comparing every row with its list; raise `BackupError`."""
    if not file.is_file():
        raise BackupError(f"There is no backup {file}.")
    with _reading(file) as connection:
        try:
            problem = connection.execute(sa.text("PRAGMA integrity_check")).scalar()
            listed = _read_manifest(connection)
            stored = revision(connection)
            found = digest_tables(connection, _content(connection))
        except sa.exc.DatabaseError:
            raise BackupError(f"{file} is not a Teahouse backup, or it is damaged.") from None
    if problem != "ok":
        raise BackupError(f"{file} is damaged: {problem}")
    if stored is None or stored not in known_revisions():
        raise BackupError(f"{file} is of another version: its schema {stored} is not known.")
    _compare(listed, found, file)
    return BackupReport(stored, found)


def _compare(
    wanted: Mapping[str, TableDigest], found: Mapping[str, TableDigest], where: object
) -> None:
    different = [name for name in sorted({*wanted, *found}) if wanted.get(name) != found.get(name)]
    if different:
        raise BackupError(f"{where} differs from what was backed up in: {', '.join(different)}.")


def _open_existing(database: str) -> sa.Engine:
    engine = connect(database)
    if engine.dialect.name == "sqlite" and not Path(str(engine.url.database)).is_file():
        raise BackupError(f"There is no database {engine.url.database}.")
    try:
        with engine.connect() as connection:
            stored = revision(connection)
    except sa.exc.DBAPIError as error:
        raise unusable(error) from None
    if stored not in known_revisions():
        raise BackupError(
            f"The database has the schema {stored}, which this version does not know."
        )
    return engine


def _refuse_logs(path: Path) -> None:
    """Raise `BackupError` if logs of another database lie here: SQLite would apply them."""
    for log in (Path(f"{path}-wal"), Path(f"{path}-journal")):
        if log.exists():
            raise BackupError(
                f"{log} belongs to another database that was here; move or delete it first."
            )


@contextmanager
def _new_file(file: Path) -> Iterator[Path]:
    """Yield a file to write; it gets its name once all is written, and never replaces another."""
    if file.exists():
        raise BackupError(f"{file} exists already; choose another name, or move it away.")
    check_writable(file)
    _delete_abandoned(file.parent)
    part = file.with_name(f".{file.name}.{os.urandom(4).hex()}.part")
    held = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY)
    try:
        _hold(held)
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        try:
            os.link(part, file)
        except FileExistsError:
            raise BackupError(f"{file} exists already; choose another name.") from None
    finally:
        os.close(held)
        _delete(part)


def _delete(part: Path) -> None:
    for suffix in ("-journal", "-wal", "-shm", ""):
        Path(f"{part}{suffix}").unlink(missing_ok=True)


def _hold(descriptor: int) -> bool:
    """Lock a temporary file until it is closed; return False if another process holds it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _delete_abandoned(folder: Path) -> None:
    """Delete temporary files that killed processes have left in a folder."""
    for part in folder.glob(PARTS):
        with suppress(OSError):  # of another user, or gone by now
            held = os.open(part, os.O_RDWR)
            try:
                old = time.time() - part.stat().st_mtime > ABANDONED_SECONDS
                if old and _hold(held):
                    _delete(part)
            finally:
                os.close(held)


@contextmanager
def _reading(file: Path) -> Iterator[sa.Connection]:
    """Open a backup, which is not changed."""
    engine = sa.create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True),
        poolclass=sa.pool.NullPool,
    )
    with engine.connect() as connection:
        yield connection


@contextmanager
def _writing(file: Path) -> Iterator[sa.Connection]:
    """Write to an SQLite file without a log beside it."""
    engine = sa.create_engine(f"sqlite:///{file.absolute()}", poolclass=sa.pool.NullPool)
    with engine.begin() as connection:
        yield connection


def _content(connection: sa.Connection) -> list[sa.Table]:
    """Return the tables of a database, those that others refer to first."""
    reflected = sa.MetaData()
    reflected.reflect(connection)
    return [
        table
        for table in reflected.sorted_tables
        if table.name not in OWN_TABLES and not table.name.startswith(QUEUE)
    ]


def _read_manifest(connection: sa.Connection) -> dict[str, TableDigest]:
    rows = connection.execute(sa.select(MANIFEST)).all()
    return {row.name: TableDigest(row.rows, row.digest) for row in rows}


def _write_manifest(connection: sa.Connection, digests: Mapping[str, TableDigest]) -> None:
    MANIFEST.drop(connection, checkfirst=True)  # of a backup that was used as a database
    MANIFEST.create(connection)
    listed = [
        {"name": name, "rows": one.rows, "digest": one.digest} for name, one in digests.items()
    ]
    connection.execute(MANIFEST.insert(), listed)


def _copy_sqlite(source: sa.Engine, part: Path) -> None:
    """Copy an SQLite database by its backup interface; writers are not blocked."""
    with source.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        digests = digest_tables(connection, _content(connection))  # holds the snapshot
        original = connection.connection.driver_connection
        assert isinstance(original, sqlite3.Connection)
        with closing(sqlite3.connect(part)) as copy:
            original.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
    with _writing(part) as connection:
        _write_manifest(connection, digests)


def _export(source: sa.Engine, part: Path) -> None:
    """Copy all tables of PostgreSQL as one transaction sees them."""
    snapshot = source.execution_options(isolation_level="REPEATABLE READ")
    with snapshot.connect() as connection, _writing(part) as copy:
        connection.execute(sa.text("SET TRANSACTION READ ONLY"))
        migrate(copy, revision(connection))
        _write_manifest(copy, _copy_tables(connection, copy))


def _copy_tables(source: sa.Connection, target: sa.Connection) -> dict[str, TableDigest]:
    """Replace the content of all tables that the target has; return digests of the source."""
    from_tables = {table.name: table for table in _content(source)}
    digests = {}
    for table in _content(target):
        target.execute(table.delete())  # migrations add some rows
        digest = TableDigest()
        origin = from_tables[table.name]
        for rows in batches(source, origin):
            digest = digest.add(rows)
            target.execute(table.insert(), [row._asdict() for row in rows])
        digests[table.name] = digest
    return digests


def _restore_sqlite(file: Path, part: Path, report: BackupReport) -> None:
    with (
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as original,
        closing(sqlite3.connect(part)) as copy,
    ):
        original.backup(copy)
        copy.execute(f"DROP TABLE {MANIFEST.name}")
        copy.commit()
    with _reading(part) as connection:
        _compare(report.tables, digest_tables(connection, _content(connection)), "The copy")


def _restore_tables(file: Path, target: sa.Engine, report: BackupReport) -> None:
    """Create the tables of PostgreSQL as they were, fill them, and compare; all or nothing."""
    with _reading(file) as backup, target.begin() as connection:
        if sa.inspect(connection).get_table_names():
            raise BackupError("The database is not empty; restore to a new one.")
        migrate(connection, report.revision)
        _copy_tables(backup, connection)
        _continue_numbers(connection)
        restored = digest_tables(connection, _content(connection))
        _compare(report.tables, {name: restored[name] for name in report.tables}, "The database")


def _continue_numbers(connection: sa.Connection) -> None:
    """Advance the sequences of PostgreSQL past the ids in use."""
    for table in _content(connection):
        for column in table.primary_key:
            if not isinstance(column.type, sa.Integer):
                continue
            named = sa.func.pg_get_serial_sequence(table.name, column.name)
            sequence = connection.execute(sa.select(named)).scalar()
            last = connection.execute(sa.select(sa.func.max(column))).scalar()
            if sequence is not None and last is not None:
                connection.execute(sa.select(sa.func.setval(sequence, last)))
