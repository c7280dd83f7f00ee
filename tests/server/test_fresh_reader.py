"""What a process keeps in memory never misses a change that it has stored itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import sqlalchemy as sa

from teahouse.server.storage.fresh_reader import FreshReader
from teahouse.server.storage.store import Store


def test_a_change_during_a_read_is_read(tmp_path: Path) -> None:
    begun, stored, calls = Event(), Event(), []

    def job(_: sa.Connection) -> int:
        calls.append(job)
        begun.set()
        assert stored.wait(60)
        return len(calls)

    async def read() -> int:
        store = Store(str(tmp_path / "teahouse.db"))
        store.start()
        try:
            reader = FreshReader(store)
            reading = asyncio.create_task(reader.read(job))
            assert await asyncio.to_thread(begun.wait, 60)
            reader.changed()
            stored.set()
            assert await reading == 2
            return await reader.read(job)  # nothing was stored meanwhile
        finally:
            await store.close()

    assert asyncio.run(read()) == 3
