"""Reaching the database, SQLite or PostgreSQL: its tables, migrations, a lock for one house."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO, Any, Protocol

import sqlalchemy as sa

from teahouse.core.errors import OptionError

TABLES = sa.MetaData()
sa.Table(
    "tables",
    TABLES,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("hashes", sa.Text),
    sa.Column("summary", sa.Text),
    sa.Column("number", sa.Integer),
    sa.Column("over", sa.Boolean),
    sa.Column("alarm", sa.Boolean),
    sa.Column("changed", sa.Double),
)
sa.Table(
    "events",
    TABLES,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("wall", sa.Double),
    sa.Column("open", sa.Double),
    sa.Column("body", sa.Text),
)
sa.Table(
    "records",
    TABLES,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("digest", sa.String(64)),
    sa.Column("wall", sa.Double),
    sa.Column("text", sa.Text),
)
sa.Table("house", TABLES, sa.Column("open", sa.Double))

HOUSE_LOCK = 0x7EA4005E  # a number for PostgreSQL's advisory locks
LOCK_SECONDS = 5.0  # a killed house's session may linger for a moment


class HouseError(OptionError):
    """The house cannot be opened so; says why."""


class Lock(Protocol):
    """Held by the one house that may write."""

    def release(self) -> None: ...


def connect(url: str) -> sa.Engine:
    """An engine for this address; a plain path is a SQLite file."""
    try:
        parsed = sa.make_url(url if "://" in url else f"sqlite:///{Path(url).absolute()}")
    except sa.exc.ArgumentError:
        raise HouseError(
            "the database is a path or an address such as postgresql://user@host/name"
        ) from None
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise HouseError(f"the database is SQLite or PostgreSQL, not {parsed.get_backend_name()}")
    if parsed.get_backend_name() == "postgresql":
        try:
            return sa.create_engine(parsed, pool_pre_ping=True, pool_size=4)
        except ModuleNotFoundError:
            raise HouseError("for PostgreSQL: pip install 'teahouse[postgres]'") from None
    if not parsed.database or parsed.database == ":memory:":
        raise HouseError("the house keeps its games in a file, not in memory")
    Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(parsed)

    @sa.event.listens_for(engine, "connect")
    def _tune(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # FULL: a commit comes back when it is on the disk, whatever happens to us afterwards.
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "busy_timeout=10000",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine


def migrate(connection: sa.Connection) -> None:
    """Bring the database's tables up to date."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def take(engine: sa.Engine) -> Lock:
    """The right to write, which only one house can have; a HouseError if another one has it."""
    try:
        return _FileLock(engine) if engine.dialect.name == "sqlite" else _ServerLock(engine)
    except (sa.exc.DatabaseError, OSError) as error:
        raise unusable(error) from None


def unusable(error: Exception) -> HouseError:
    """Why a database cannot be used."""
    return HouseError(f"the database cannot be used: {getattr(error, 'orig', error)}")


def _taken(where: str) -> HouseError:
    return HouseError(
        f"another house is open on {where}; close it, or name another database (--database)"
    )


class _FileLock:
    """A locked file beside the database; the system unlocks it however the house ends."""

    def __init__(self, engine: sa.Engine) -> None:
        path = f"{engine.url.database}.lock"
        self._file: IO[str] = Path(path).open("a")  # noqa: SIM115 - held as long as the house is open
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise _taken(str(engine.url.database)) from None
        os.set_inheritable(self._file.fileno(), False)

    def release(self) -> None:
        """Let another house in."""
        self._file.close()


class _ServerLock:
    """An advisory lock of PostgreSQL, held by a connection of its own."""

    def __init__(self, engine: sa.Engine) -> None:
        self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        wanted = sa.select(sa.func.pg_try_advisory_lock(HOUSE_LOCK))
        deadline = time.monotonic() + LOCK_SECONDS
        while not self._connection.execute(wanted).scalar_one():
            if time.monotonic() > deadline:
                self._connection.close()
                raise _taken(engine.url.render_as_string(hide_password=True))
            time.sleep(0.1)

    def release(self) -> None:
        """Let another house in."""
        self._connection.invalidate()
        self._connection.close()
