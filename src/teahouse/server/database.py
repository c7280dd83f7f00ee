"""The database, SQLite or PostgreSQL: its schema, connections, migrations and the writer's lock."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy as sa

from teahouse.core.errors import OptionError
from teahouse.core.files import try_lock

SCHEMA = sa.MetaData()
tables = sa.Table(
    "tables",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("key_hashes", sa.Text),
    sa.Column("summary", sa.Text),
    sa.Column("seq", sa.Integer),
    sa.Column("over", sa.Boolean),
    sa.Column("wake_on_start", sa.Boolean),
    sa.Column("updated", sa.Double),
    sa.Column("checkpoint", sa.Text),
)
events = sa.Table(
    "events",
    SCHEMA,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("time", sa.Double),
    sa.Column("uptime", sa.Double),
    sa.Column("body", sa.Text),
)
moves = sa.Table(
    "moves",
    SCHEMA,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("player", sa.Integer),
    sa.Column("move", sa.Text),
    sa.Column("description", sa.Text),
    sa.Column("state", sa.LargeBinary),
)
records = sa.Table(
    "records",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("digest", sa.String(64)),
    sa.Column("created", sa.Double),
    sa.Column("text", sa.Text),
)
server = sa.Table("server", SCHEMA, sa.Column("uptime", sa.Double), sa.Column("time", sa.Double))

ADVISORY_LOCK = (
    0x7EA4005E  # an arbitrary key; that of 0.1.0, so that the versions exclude each other
)
LOCK_TIMEOUT = 5.0  # the session of a killed server may linger for a moment


class StartupError(OptionError):
    """The server cannot start; the message gives the reason."""


class Lock(Protocol):
    """The exclusive right to write to a database."""

    def release(self) -> None: ...


def connect(url: str) -> sa.Engine:
    """Return an engine for a URL, or for the path of an SQLite file."""
    try:
        parsed = sa.make_url(url if "://" in url else f"sqlite:///{Path(url).absolute()}")
    except sa.exc.ArgumentError:
        raise StartupError(
            "Invalid database; use a path or a URL such as postgresql://user@host/name."
        ) from None
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    backend = parsed.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise StartupError(f"Unsupported database {backend}; use SQLite or PostgreSQL.")
    if backend == "postgresql":
        try:
            return sa.create_engine(parsed, pool_pre_ping=True, pool_size=4)
        except ModuleNotFoundError:
            raise StartupError("PostgreSQL needs: pip install 'teahouse[postgres]'") from None
    if not parsed.database or parsed.database == ":memory:":
        raise StartupError("SQLite databases must be files, not in memory.")
    Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(parsed)

    @sa.event.listens_for(engine, "connect")
    def _set_pragmas(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # FULL: a commit returns once it is on disk, so it survives a power cut.
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
    """Upgrade the schema to the latest revision."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def acquire_lock(engine: sa.Engine) -> Lock:
    """Acquire the writer's lock; raise `StartupError` if another server holds it."""
    try:
        return _lock_file(engine) if engine.dialect.name == "sqlite" else _AdvisoryLock(engine)
    except (sa.exc.DatabaseError, OSError) as error:
        raise unusable(error) from None


def unusable(error: Exception) -> StartupError:
    """Return the error for a database that cannot be opened."""
    return StartupError(f"The database cannot be used: {getattr(error, 'orig', error)}")


def _in_use(where: str) -> StartupError:
    return StartupError(
        f"Another server is running on {where}; stop it, or choose another --database."
    )


def _lock_file(engine: sa.Engine) -> Lock:
    """Lock a file next to the database; the system releases it when the process ends."""
    lock = try_lock(Path(f"{engine.url.database}.lock"))
    if lock is None:
        raise _in_use(str(engine.url.database))
    return lock


class _AdvisoryLock:
    """An advisory lock of PostgreSQL, held by a connection of its own."""

    def __init__(self, engine: sa.Engine) -> None:
        self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        attempt = sa.select(sa.func.pg_try_advisory_lock(ADVISORY_LOCK))
        deadline = time.monotonic() + LOCK_TIMEOUT
        while not self._connection.execute(attempt).scalar_one():
            if time.monotonic() > deadline:
                self._connection.close()
                raise _in_use(engine.url.render_as_string(hide_password=True))
            time.sleep(0.1)

    def release(self) -> None:
        """Release the lock by closing its connection."""
        self._connection.invalidate()
        self._connection.close()
