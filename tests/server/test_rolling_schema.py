"""Versions before and after a migration run on the same database during a rolling restart."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from support.servers import Postgres, ServerProcess, new_database, running_server

import teahouse as th
from teahouse.server.storage import database as schema
from teahouse.server.storage.lock import StartupError

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "9001"
down_revision = {head!r}
{additive}

def upgrade():
    op.add_column("tables", sa.Column("later", sa.Text))
"""


@pytest.fixture
def next_version(tmp_path: Path) -> Iterator[Path]:
    """The folder of migrations of a next version; this version has its own again at the end."""
    folder = tmp_path / "migrations"
    shutil.copytree(schema.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    yield folder
    clear()


def clear() -> None:
    """Forget what is known of the folder of migrations."""
    for cached in (schema.head_revision, schema.known_revisions, schema.oldest_schema):
        cached.cache_clear()


def upgrade(database: str, folder: Path, additive: str) -> None:
    """Migrate a database as the next version does."""
    own = schema.MIGRATIONS
    head = schema.head_revision()
    (folder / "versions" / "9001_next.py").write_text(NEXT.format(head=head, additive=additive))
    engine = schema.connect(database)
    try:
        schema.MIGRATIONS = folder
        clear()
        with engine.begin() as connection:
            schema.migrate(connection)
            assert schema.revision(connection) == "9001"
    finally:
        schema.MIGRATIONS = own
        clear()
        engine.dispose()


def test_a_running_process_bears_the_next_schema(database: str, next_version: Path) -> None:
    """It goes on, is ready, and another process of its version can be started."""
    with running_server(database) as server:
        assert server.request("/readyz")[0] == 200
        if database.startswith("postgresql"):  # with SQLite the next version waits for its end
            upgrade(database, next_version, "additive = True")
            _play(server)
            assert server.request("/readyz") == (200, {"status": "ready"})
    upgrade(database, next_version, "additive = True")
    with running_server(database) as server:
        _play(server)
        assert server.request("/readyz")[0] == 200


def _play(server: ServerProcess) -> None:
    name = th.games()[0]
    table, secrets = server.create_table(
        game=name, seed=1, seats=[{"kind": "local"}, {"kind": "local"}]
    )
    position = th.load(name).start(1)
    with server.join(table, *secrets) as client:
        client.receive("table")
        request = {"type": "play", "seat": position.player, "ply": 0, "move": position.legal[0]}
        assert client.request(**request)["type"] == "ack"


def test_a_schema_that_only_later_versions_bear_is_refused(
    postgres_server: Postgres, next_version: Path
) -> None:
    database = new_database(postgres_server)
    engine = schema.connect(database)
    with engine.begin() as connection:
        schema.migrate(connection)
    upgrade(database, next_version, "")
    with engine.begin() as connection:
        assert not schema.is_compatible(connection)
        oldest = connection.execute(sa.select(schema.server.c.oldest_schema)).scalar()
        assert oldest == "9001"
        with pytest.raises(StartupError, match="later version"):
            schema.migrate(connection)
    engine.dispose()
