"""One server at a time: locks on the database itself, lost and acquired again."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.servers import Postgres

from teahouse.server.storage import lock as database_lock
from teahouse.server.storage import writer
from teahouse.server.storage.database import connect
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.lock import AdvisoryLock, LockLostError, StartupError, acquire_lock
from teahouse.server.storage.store import Store

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs locks of file descriptors")


def same(path: Path) -> Path:
    path.with_name("teahouse.db.lock").unlink()
    return path


def symbolic(path: Path) -> Path:
    (other := path.with_name("symbolic.db")).symlink_to(path)
    return other


def hard(path: Path) -> Path:
    (other := path.with_name("hard.db")).hardlink_to(path)
    return other


@linux
@pytest.mark.parametrize("other", [same, symbolic, hard])
def test_a_file_is_locked_by_whatever_path_it_is_opened(
    tmp_path: Path, other: Callable[[Path], Path]
) -> None:
    """`same` deletes the lock file of old versions; the lock on the database still holds."""
    path = tmp_path / "teahouse.db"

    async def run() -> None:
        store = Store(str(path))
        store.start()
        for _ in range(3):  # connections that SQLite opens and closes do not release it
            await store.add_record("aaaaaaaaaa", "text", store.now())
            await store.count_records()
        store._engine.dispose()
        with pytest.raises(StartupError, match="Another server is running on"):
            acquire_lock(connect(str(other(path))))
        await store.close()

    asyncio.run(run())
    acquire_lock(connect(str(path))).release()


def test_database_files_are_private(tmp_path: Path) -> None:
    path = tmp_path / "data" / "teahouse.db"

    async def run() -> None:
        store = Store(str(path))
        store.start()
        await store.add_record("aaaaaaaaaa", "text", store.now())
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
        assert {"teahouse.db", "teahouse.db-wal", "teahouse.db-shm"} <= set(modes)
        assert set(modes.values()) == {0o600}
        await store.close()

    path.parent.mkdir()
    path.touch()
    os.chmod(path, 0o644)  # as 0.1.0 created it
    asyncio.run(run())


def test_what_a_failed_commit_leaves_is_not_in_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever was told that a change failed must not find it later."""

    async def run() -> None:
        store = Store(str(tmp_path / "teahouse.db"))
        store.start()

        def fail(_: object) -> None:
            raise sqlite3.OperationalError("disk I/O error")

        await store.add_record("aaaaaaaaaa", "before", store.now())
        with monkeypatch.context() as patch, pytest.raises(StoreError, match="disk I/O"):
            patch.setattr(store.engine.dialect, "do_commit", fail)
            await store.add_record("bbbbbbbbbb", "failed", store.now())
        await store.add_record("cccccccccc", "after", store.now())
        found = [await store.record(10 * letter) for letter in "abc"]
        assert found == ["before", None, "after"]
        await store.close()

    asyncio.run(run())


def test_an_advisory_lock_is_acquired_again_and_another_server_is_noticed(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_lock, "LOCK_TIMEOUT", 0.0)
    first, second = connect(postgres_server.address), connect(postgres_server.address)
    lock = acquire_lock(first)
    assert isinstance(lock, AdvisoryLock)
    restart(postgres_server)
    lock.ensure_held()  # notices that the session is lost
    with lock.begin():
        pass
    with pytest.raises(StartupError):
        AdvisoryLock(second)
    restart(postgres_server)
    other = AdvisoryLock(second)
    lock.ensure_held()
    with pytest.raises(LockLostError), lock.begin():
        pass
    other.release()
    with lock.begin():
        pass
    lock.release()
    first.dispose()
    second.dispose()


def test_a_server_that_lost_the_database_writes_nothing(
    postgres_server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LOCK_SECONDS", 1e6)  # else it may be the first to return

    async def run() -> None:
        store = Store(postgres_server.address)
        store.start()
        await store.add_record("aaaaaaaaaa", "text", store.now())
        restart(postgres_server)
        engine = connect(postgres_server.address)
        other = AdvisoryLock(engine)
        with pytest.raises(StoreError, match="Another server holds the lock"):
            await store.add_record("bbbbbbbbbb", "another", store.now())
        assert await store.record("bbbbbbbbbb") is None
        other.release()
        engine.dispose()
        await store.add_record("bbbbbbbbbb", "another", store.now())
        await store.close()

    asyncio.run(run())


def restart(postgres: Postgres) -> None:
    """Stop PostgreSQL, which ends all sessions, and start it again."""
    postgres.stop()
    postgres.start()


def test_the_writer_survives_whatever_a_test_of_the_lock_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "LOCK_SECONDS", 0.01)

    async def run() -> None:
        store = Store(str(tmp_path / "teahouse.db"))
        tested = threading.Event()

        def fail() -> None:
            tested.set()
            raise RuntimeError("unexpected")

        monkeypatch.setattr(store._lock, "ensure_held", fail)
        store.start()
        await asyncio.to_thread(tested.wait)
        async with asyncio.timeout(60):
            await store.save_uptime()
        await store.close()

    asyncio.run(run())
    assert "Checking the database lock failed" in caplog.text
