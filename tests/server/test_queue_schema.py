"""The schema of the job queue in PostgreSQL follows the installed version of its library."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from procrastinate.schema import SchemaManager
from support.servers import Postgres, new_database

from teahouse.server.storage.database import connect
from teahouse.server.storage.lock import StartupError, acquire_lock
from teahouse.server.storage.queue_schema import JOBS, prepare_queue

NEXT = "99.01.00_01_pre_next.sql"


@contextmanager
def process(database: str) -> Iterator[sa.Engine]:
    """A process that runs on a database."""
    engine = connect(database)
    lock = acquire_lock(engine, shared=True)
    yield engine
    lock.release()
    engine.dispose()


def prepare(engine: sa.Engine) -> tuple[str | None, bool]:
    """Prepare a queue; return the migration in its comment, and whether it has the next one."""
    with engine.begin() as connection:
        prepare_queue(connection)
        inspected = sa.inspect(connection)
        migration = inspected.get_table_comment(JOBS)["text"]
        return migration, inspected.has_table("procrastinate_next")


def test_a_queue_is_created_and_migrated(
    postgres_server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = new_database(postgres_server)
    own = SchemaManager.get_migrations_path()
    latest = max(path.name for path in Path(own).glob("*.sql"))
    folder = tmp_path / "migrations"
    shutil.copytree(own, folder)
    (folder / NEXT).write_text("CREATE TABLE procrastinate_next (id int);")
    with process(database) as engine:
        assert prepare(engine) == prepare(engine) == (latest, False)
        monkeypatch.setattr(SchemaManager, "get_migrations_path", lambda: str(folder))
        with process(database) as other, pytest.raises(StartupError, match=r"migrated to 99\.1\.0"):
            prepare(other)
        with engine.begin() as connection:  # as queues were created before
            connection.execute(sa.text(f"COMMENT ON TABLE {JOBS} IS NULL"))
        assert prepare(engine) == prepare(engine) == (NEXT, True)
        monkeypatch.undo()
        with pytest.raises(StartupError, match="upgrade procrastinate here"):
            prepare(engine)
