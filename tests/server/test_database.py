"""The schema, the migration from 0.1.0, and the store."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import SCHEMA, connect, migrate
from teahouse.server.storage.lock import StartupError
from teahouse.server.storage.store import Store
from teahouse.server.tables.registry import Registry
from teahouse.server.web import messages as ms
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session import commands


def test_migrations_create_the_schema(database: str) -> None:
    """The migrated tables are those the store uses, column by column."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    engine = connect(database)
    with engine.begin() as connection:
        migrate(connection)
        migrate(connection)  # does nothing
        names = {
            name: {column["name"] for column in sa.inspect(connection).get_columns(name)}
            for name in SCHEMA.tables
        }
        assert names == {name: set(table.c.keys()) for name, table in SCHEMA.tables.items()}
        context = MigrationContext.configure(connection)
        changes = [change[0] for change in compare_metadata(context, SCHEMA) if len(change) == 2]
        assert not {"add_table", "add_column"} & set(changes)
    engine.dispose()


def test_a_schema_of_a_later_version_is_refused(database: str) -> None:
    engine = connect(database)
    with engine.begin() as connection:
        migrate(connection)
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
        connection.execute(sa.text("UPDATE server SET oldest_schema = '9999'"))
    engine.dispose()
    with pytest.raises(StartupError, match="9999 of a later version"):
        Store(database)


def test_records_are_stored_once_and_unused_tables_are_deleted(database: str) -> None:
    async def run() -> None:
        store = Store(database)
        store.start()
        chosen = ServerSettings(database=database)
        registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
        first = await store.add_record("aaaaaaaaaa", "text", store.now())
        assert await store.add_record("bbbbbbbbbb", "text", store.now()) == first
        assert await store.record(first) == "text"
        assert await store.record("bbbbbbbbbb") is None
        assert await store.count_records() == 1
        request = ms.NewTableIn.model_validate(
            {"game": "orochi", "seats": [{"kind": "local"}, {"kind": "local"}]}
        )
        kept, _ = await registry.create(request)
        unused, _ = await registry.create(request)
        used, _ = await registry.create(request)
        await (await registry.room(used)).submit(commands.Chat(seat=0, text="hello"))
        now = store.now().wall
        await store.delete_unused(now + 60, 90, [kept])  # nobody has left yet
        assert len(await store.stored_tables([kept, unused, used])) == 3
        await store.delete_unused(now + 100, 90, [])  # another process, which has none in memory
        assert set(await store.stored_tables([kept, unused, used])) == {kept, used}
        assert await store.count_unfinished(0.0) == 2
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()

    asyncio.run(run())
