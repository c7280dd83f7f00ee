"""The schema of the job queue in PostgreSQL, created and migrated by the files of Procrastinate.

Procrastinate does not store which of its migrations a database has, so the comment on its table of
jobs names the last one.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from teahouse.server.storage.database import exclusive
from teahouse.server.storage.lock import StartupError, lock_modes
from teahouse.server.storage.lock_keys import LockKey

log = logging.getLogger("teahouse.server.storage.queue_schema")

JOBS = "procrastinate_jobs"
UNNAMED = "03.04.00_50_post_add_retry_failed_job_procedure.sql"
"""The last migration of queues without a comment, which Procrastinate 3.5 to 3.10 have created."""


def prepare_queue(connection: sa.Connection) -> None:
    """Create the tables of the queue, or migrate them to the version that is installed.

    Raise `StartupError` if the stored schema is that of a later version, or if other processes run
    on one that has to be migrated.
    """
    from procrastinate.schema import SchemaManager

    exclusive(connection, LockKey.QUEUE_SCHEMA)
    folder = Path(SchemaManager.get_migrations_path())
    migrations = sorted(path.name for path in folder.glob("*.sql"))
    run: Any = connection.connection.driver_connection
    inspected = sa.inspect(connection)
    if not inspected.has_table(JOBS):
        run.execute(SchemaManager.get_schema())
    else:
        stored = inspected.get_table_comment(JOBS)["text"] or UNNAMED
        if stored == migrations[-1]:
            return
        if stored > migrations[-1]:
            raise StartupError(
                f"The job queue of the database has the schema of Procrastinate {_version(stored)},"
                f" the installed one has {_version(migrations[-1])}; upgrade procrastinate here."
            )
        if len(lock_modes(connection)) > 1:
            raise StartupError(
                f"The job queue of the database has the schema of Procrastinate {_version(stored)}"
                f" and has to be migrated to {_version(migrations[-1])}; stop all other servers and"
                " workers on it, then start this one first."
            )
        for name in (one for one in migrations if one > stored):
            log.info("Migrate the job queue: %s", name)
            run.execute((folder / name).read_text(encoding="utf-8"))
    comment = sa.Table(JOBS, sa.MetaData(), comment=migrations[-1])
    connection.execute(sa.schema.SetTableComment(comment))


def _version(migration: str) -> str:
    """Return the version of a migration: 3.4.0 of `03.04.00_01_pre_name.sql`."""
    return ".".join(str(int(part)) for part in migration.split("_")[0].split("."))
