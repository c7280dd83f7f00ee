"""Backups are consistent while a server writes, complete, and restored row for row."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from support.servers import running_server

import teahouse as th
from teahouse.server.database import connect
from teahouse.server.operations import backup
from teahouse.server.operations.backup import BackupError
from teahouse.server.store import Store

GAME = th.games()[0]


def play(database: str, during: object = None) -> None:
    """Play some moves on a server while a backup is made."""
    seats = [{"kind": "local"} for _ in th.load(GAME).players]
    with running_server(database) as server:
        table, keys = server.create_table(game=GAME, seats=seats, seed=1)
        position = th.load(GAME).start(1)
        with server.join(table, *keys) as client:
            client.receive("table")
            for ply in range(6):
                move = position.legal[0]
                answer = client.request(type="play", seat=position.player, ply=ply, move=move)
                assert answer["type"] == "ack", answer
                position = position.play(move)
                if ply == 2 and callable(during):
                    during()


def rows(database: str) -> dict[str, list[str]]:
    """Return all rows of a database, as texts that do not depend on its kind."""
    engine = connect(database)
    found = {}
    with engine.connect() as connection:
        reflected = sa.MetaData()
        reflected.reflect(connection)
        for table in reflected.sorted_tables:
            names = sorted(table.c.keys())
            values = connection.execute(sa.select(*(table.c[name] for name in names)))
            found[table.name] = sorted(
                json.dumps([bytes(v).hex() if isinstance(v, bytes) else v for v in row])
                for row in values
            )
    engine.dispose()
    return found


def test_a_backup_of_a_running_server_is_restored(database: str, tmp_path: Path) -> None:
    """The snapshot has what was acknowledged before it; it is restored to SQLite, and back."""
    early, late = tmp_path / "early.backup", tmp_path / "late.backup"
    play(database, during=lambda: backup.back_up(database, early))
    assert backup.check(early).tables["moves"].rows == 3
    report = backup.back_up(database, late)
    assert report.tables["moves"].rows == 6
    copy = str(tmp_path / "copy.db")
    assert backup.restore(late, copy) == report == backup.check(late)
    assert rows(copy) == rows(database)
    assert Path(copy).stat().st_mode & 0o777 == 0o600
    with pytest.raises(BackupError, match="exists already"):
        backup.back_up(database, late)
    with pytest.raises(BackupError, match=r"exists already|not empty"):
        backup.restore(late, database)
    play(copy)  # a server goes on with it


def test_a_backup_moves_to_postgresql(postgres_server: object, tmp_path: Path) -> None:
    """A backup of SQLite fills PostgreSQL; numbers go on after those that are taken."""
    source = str(tmp_path / "teahouse.db")
    play(source)
    with sqlite3.connect(source) as connection:
        connection.execute(
            "INSERT INTO notices (id, account_id, key, kind, created, title, text, path, mailed)"
            " VALUES (7, 'a', 'b', 'turn', 1.5, 't', 'x', '/', 0)"
        )
    connection.close()
    backup.back_up(source, tmp_path / "tea.backup")
    address: str = postgres_server.address  # type: ignore[attr-defined]
    engine = sa.create_engine(
        address.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as admin:
        admin.execute(sa.text("CREATE DATABASE restored"))
    engine.dispose()
    target = address.replace("/postgres?", "/restored?")
    backup.restore(tmp_path / "tea.backup", target)
    assert rows(target) == rows(source)
    engine = connect(target)
    with engine.begin() as moved:
        following = moved.execute(sa.text("SELECT nextval('notices_id_seq')")).scalar()
    engine.dispose()
    assert following == 8
    backup.back_up(target, tmp_path / "again.backup")
    assert backup.check(tmp_path / "again.backup") == backup.check(tmp_path / "tea.backup")


def test_a_backup_while_many_write(tmp_path: Path) -> None:
    """A snapshot never has a part of a transaction."""
    database = str(tmp_path / "teahouse.db")
    store = Store(database)
    store._lock.release()
    store._engine.dispose()
    stop = threading.Event()

    def write() -> None:
        with sqlite3.connect(database, timeout=30) as connection:
            number = 0
            while not stop.is_set():
                number += 1
                for part in "ab":
                    connection.execute(
                        "INSERT INTO records (id, digest, created, text) VALUES (?, ?, 0, '')",
                        (f"{number}{part}", f"{number}{part}"),
                    )
                connection.commit()
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = [
            backup.back_up(database, tmp_path / f"{one}.backup").tables["records"].rows
            for one in range(5)
        ]
    finally:
        stop.set()
        writer.join()
    assert all(count % 2 == 0 for count in counts)
    assert counts == sorted(counts)


@pytest.mark.parametrize("damage", ["cut", "changed", "text", "missing", "version"])
def test_damaged_backups_are_refused(damage: str, tmp_path: Path) -> None:
    database, file = str(tmp_path / "teahouse.db"), tmp_path / "tea.backup"
    store = Store(database)
    store._lock.release()
    store._engine.dispose()
    if damage != "missing":
        backup.back_up(database, file)
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:20_000])
    elif damage == "text":
        file.write_text("no backup")
    elif damage in ("changed", "version"):
        statement = "UPDATE server SET uptime = 1e6"
        if damage == "version":
            statement = "UPDATE alembic_version SET version_num = '9999'"
        with sqlite3.connect(file) as connection:
            connection.execute(statement)
        connection.close()
    target = tmp_path / "restored.db"
    with pytest.raises(BackupError):
        backup.restore(file, str(target))
    assert not target.exists()
    assert not list(tmp_path.glob(".*"))
