"""Backups are consistent while a server writes, complete, and restored row for row."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from support.in_process import HOST, InProcessApp, open_app
from support.servers import Postgres

import teahouse as th
from teahouse.core.errors import OptionError
from teahouse.server.operations import backup
from teahouse.server.operations.backup import BackupError
from teahouse.server.storage.database import connect, migrate
from teahouse.terminal.commands import command_line
from teahouse.terminal.commands.backup import backup as backup_command
from teahouse.terminal.commands.restore import restore as restore_command

GAME = th.games()[0]


def play(database: str, during: Callable[[], object]) -> None:
    """Play six moves on a server; do something after the third."""
    game = th.load(GAME)
    position = game.start(1)
    body = {"game": GAME, "seed": 1, "seats": [{"kind": "local"} for _ in game.players]}
    with open_app(database) as application:
        client = InProcessApp(application).browser().client
        table = client.post("/api/tables", json=body).json()
        keys = [seat["secret"] for seat in table["seats"]]
        url = f"ws://{HOST}/api/tables/{table['id']}/socket"
        with client.websocket_connect(url) as socket:
            socket.send_json({"type": "join", "protocol": 2, "secrets": keys})
            for ply in range(6):
                move = {"type": "play", "id": ply, "seat": position.player, "ply": ply}
                socket.send_json({**move, "move": position.legal[0]})
                while socket.receive_json()["type"] != "ack":
                    pass
                position = position.play(position.legal[0])
                if ply == 2:
                    during()


def create(database: str) -> None:
    """Create an empty database."""
    engine = connect(database)
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()


def rows(database: str) -> dict[str, list[str]]:
    """Return all rows of a database, as texts that do not depend on its kind."""
    engine = connect(database)
    found = {}
    with engine.connect() as connection:
        reflected = sa.MetaData()
        reflected.reflect(connection)
        for table in reflected.sorted_tables:
            if table.name.startswith(backup.QUEUE):
                continue
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


def test_a_backup_moves_to_postgresql(postgres_server: Postgres, tmp_path: Path) -> None:
    """A backup of SQLite fills PostgreSQL; numbers go on after those that are taken."""
    source = str(tmp_path / "teahouse.db")
    create(source)
    with sqlite3.connect(source) as connection:
        connection.execute(
            "INSERT INTO notices (id, account_id, key, kind, created, title, text, path, mailed)"
            " VALUES (7, 'a', 'b', 'turn', 1.5, 'ä', 'x', '/', 1)"
        )
        connection.execute(
            "INSERT INTO tables (id, key_hashes, summary, seq, over, wake_on_start,"
            " updated, counted, rated, listed) VALUES ('t', '[]', '{}', 1, 1, 0, 2.5, 0, 0, 1)"
        )
        connection.execute(
            "INSERT INTO moves (table_id, ply, player, move, description, state)"
            " VALUES ('t', 0, 1, 'a1', 'd', X'00FF')"
        )
    connection.close()
    backup.back_up(source, tmp_path / "tea.backup")
    address = postgres_server.address
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
    create(database)
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
    create(database)
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


def test_what_a_killed_backup_left_is_deleted(tmp_path: Path) -> None:
    """By the next one in that folder, unless another process still writes it."""
    database = str(tmp_path / "teahouse.db")
    create(database)
    left = [tmp_path / f".a.backup.0123456{number}.part" for number in range(3)]
    for part in left:
        part.write_text("a part")
    for part in left[:2]:
        os.utime(part, (1.0, 1.0))
    with left[1].open("r+") as writing:
        assert backup._hold(writing.fileno())
        backup.back_up(database, tmp_path / "b.backup")
    assert [part.exists() for part in left] == [False, True, True]  # the last one is new


def test_nothing_is_created_to_read_a_database(tmp_path: Path) -> None:
    missing = tmp_path / "new" / "teahouse.db"
    with pytest.raises(BackupError, match="There is no database"):
        backup.back_up(str(missing), tmp_path / "tea.backup")
    assert not missing.parent.exists()


def test_logs_of_another_database_are_not_applied(tmp_path: Path) -> None:
    """A database that was moved away after a crash has left its log behind."""
    database, file = str(tmp_path / "teahouse.db"), tmp_path / "tea.backup"
    create(database)
    backup.back_up(database, file)
    target = tmp_path / "restored.db"
    log = tmp_path / "restored.db-wal"
    log.write_bytes(b"changes")
    with pytest.raises(BackupError, match="move or delete it first"):
        backup.restore(file, str(target))
    assert not target.exists()
    assert log.read_bytes() == b"changes"


def test_a_backup_that_became_a_database_is_backed_up(tmp_path: Path) -> None:
    database, file = str(tmp_path / "teahouse.db"), tmp_path / "tea.backup"
    create(database)
    backup.back_up(database, file)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE server SET uptime = 1e6")
    connection.close()
    backup.back_up(str(file), tmp_path / "again.backup")
    assert backup.check(tmp_path / "again.backup").rows == 1


def test_commands_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database, file = str(tmp_path / "teahouse.db"), tmp_path / "tea.backup"
    create(database)
    backup_command(file, database, as_json=True)
    backup_command(file, database, check=True, as_json=True)
    restore_command(file, str(tmp_path / "copy.db"), as_json=True)
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(reports) == 3 and all(report == reports[0] for report in reports)
    assert reports[0]["rows"] == sum(reports[0]["tables"].values())


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    database, file = str(tmp_path / "teahouse.db"), tmp_path / "tea.backup"
    create(database)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, old[1]))
    try:
        with pytest.raises(BackupError, match=f"Cannot write {file}"):
            backup.back_up(database, file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert not list(tmp_path.glob("*tea.backup*"))


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Back up, check, restore, and refuse to overwrite, as typed."""
    source, file, target = (str(tmp_path / name) for name in ("a.db", "a.backup", "b.db"))
    create(source)

    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            command_line([arguments[0]])(list(arguments))
        return int(ended.value.code or 0), capsys.readouterr().out

    assert run("backup", file, "--database", source)[1].startswith("Backed up 1 row in ")
    assert "is intact: 1 row" in run("backup", "--check", file)[1]
    assert run("restore", file, "--database", target)[1].startswith("Restored 1 row")
    assert rows(target) == rows(source)
    with pytest.raises(BackupError, match="exists already"):
        command_line(["restore"])(["restore", file, "--database", target])
    with pytest.raises(OptionError, match="there is no folder"):
        backup.back_up(source, tmp_path / "nowhere" / "a.backup")
