"""The database, SQLite or PostgreSQL: its schema, connections and migrations."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from teahouse.core.extras import install_command
from teahouse.server.storage.lock import StartupError
from teahouse.server.storage.lock_keys import LockKey

if TYPE_CHECKING:
    from alembic.config import Config

log = logging.getLogger("teahouse.server.storage.database")

MIGRATIONS = Path(__file__).parents[1] / "migrations"

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
    sa.Column("counted", sa.Boolean),
    sa.Column("rated", sa.Boolean),
    sa.Column("listed", sa.Boolean),
    sa.Column("due_uptime", sa.Double),
    sa.Column("due_wall", sa.Double),
)
"""`due_*`: from when on something has to happen without a player's doing, by either clock."""
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
reviews = sa.Table(
    "reviews",
    SCHEMA,
    sa.Column("record_id", sa.String(10), primary_key=True),
    sa.Column("created", sa.Double),
    sa.Column("method", sa.Integer),
    sa.Column("finished", sa.Boolean),
    sa.Column("process", sa.String(20)),
    sa.Column("claimed", sa.Double),
)
evaluations = sa.Table(
    "evaluations",
    SCHEMA,
    sa.Column("record_id", sa.String(10), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("stage", sa.Integer),
    sa.Column("body", sa.Text),
)
studies = sa.Table(
    "studies",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("key_hash", sa.String(64)),
    sa.Column("created", sa.Double),
    sa.Column("updated", sa.Double),
    sa.Column("body", sa.Text),
)
opening_moves = sa.Table(
    "opening_moves",
    SCHEMA,
    sa.Column("game", sa.String(40), primary_key=True),
    sa.Column("options", sa.String(64), primary_key=True),
    sa.Column("position", sa.String(12), primary_key=True),
    sa.Column("after", sa.String(12), primary_key=True),
    sa.Column("outcome", sa.Integer, primary_key=True),
    sa.Column("games", sa.Integer),
)
table_seats = sa.Table(
    "table_seats",
    SCHEMA,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("created", sa.Double),
    sa.Column("game", sa.String(40)),
    sa.Column("pool", sa.String(100)),
    sa.Column("outcome", sa.String(5)),
    sa.Column("against_level", sa.Integer),
)
"""The seats that accounts play or have played, with the results of finished games."""
server = sa.Table(
    "server",
    SCHEMA,
    sa.Column("uptime", sa.Double),
    sa.Column("time", sa.Double),
    sa.Column("oldest_schema", sa.String(32)),
)
"""`oldest_schema`: versions that have this schema or a later one can run on the one that is stored.
"""


def connect(url: str, *, create: bool = False) -> sa.Engine:
    """Return an engine for a URL, or for the path of an SQLite file.

    With `create`, the folder of an SQLite file is created.
    """
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
            return sa.create_engine(parsed, hide_parameters=True, pool_size=4)
        except ModuleNotFoundError:
            raise StartupError(f"PostgreSQL needs: {install_command('postgres')}") from None
    if not parsed.database or parsed.database == ":memory:":
        raise StartupError("SQLite databases must be files, not in memory.")
    if create:
        Path(parsed.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sa.create_engine(parsed, hide_parameters=True)  # some are secrets: not in logs

    @sa.event.listens_for(engine, "connect")
    def _set_pragmas(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        # FULL: a commit returns once it is on disk, so it survives a power cut. Pages that many
        # moves change are copied from the log to the database once in 4,000 pages (16 MB).
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "wal_autocheckpoint=4000",
            "foreign_keys=ON",
            "busy_timeout=10000",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine


def exclusive(connection: sa.Connection, key: LockKey) -> None:
    """Take a transaction-level advisory lock; SQLite has a single writer and needs none."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int(key))))


def migrate(connection: sa.Connection, to: str | None = None) -> None:
    """Upgrade the schema to a revision, by default the latest; one process at a time.

    A later schema that is compatible with this version is left as it is. Raise `StartupError` for
    any other.
    """
    from alembic import command

    exclusive(connection, LockKey.MIGRATION)
    stored = revision(connection)
    if stored is not None and stored not in known_revisions():
        if is_compatible(connection):
            log.info("The database has schema %s of a later, compatible version.", stored)
            return
        raise StartupError(
            f"The database has the schema {stored} of a later version of Teahouse; install that "
            "version, or choose another --database."
        )
    config = _migrations()
    config.attributes["connection"] = connection
    command.upgrade(config, to or "head")
    if to is None:
        connection.execute(server.update().values(oldest_schema=oldest_schema()))


def _migrations() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return config


@cache
def head_revision() -> str | None:
    """Return the revision of the schema that this version has."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_migrations()).get_current_head()


@cache
def known_revisions() -> frozenset[str]:
    """Return all revisions of the schema up to this version's."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_migrations())
    return frozenset(script.revision for script in scripts.walk_revisions())


@cache
def oldest_schema() -> str:
    """Return the oldest revision whose versions can run on this version's schema.

    A migration that older versions can ignore declares `additive = True`.
    """
    from alembic.script import ScriptDirectory

    found = ""
    for script in ScriptDirectory.from_config(_migrations()).walk_revisions():  # the latest first
        found = script.revision
        if not getattr(script.module, "additive", False):
            break
    return found


def is_compatible(connection: sa.Connection) -> bool:
    """Return whether this version can run on a database's schema: its own or a later one."""
    if revision(connection) == head_revision():
        return True
    columns = {column["name"] for column in sa.inspect(connection).get_columns("server")}
    if "oldest_schema" not in columns or revision(connection) in known_revisions():
        return False
    return connection.execute(sa.select(server.c.oldest_schema)).scalar() in known_revisions()


def revision(connection: sa.Connection) -> str | None:
    """Return the revision of a database's schema, or None if it is empty."""
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()
