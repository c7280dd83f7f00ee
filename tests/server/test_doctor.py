"""The diagnosis of a server: `teahouse doctor`."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.in_process import open_app

from teahouse.server.operations.doctor import diagnose
from teahouse.server.operations.doctor_postgres import check_processes
from teahouse.server.operations.finding import Finding
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import connect, migrate
from teahouse.server.storage.lock import acquire_lock


def found(database: str, **settings: Any) -> dict[str, Finding]:
    chosen = replace(ServerSettings(), database=database, **settings)
    return {one.name: one for one in diagnose(chosen, port=0)}


def test_the_doctor_of_a_healthy_server(tmp_path: Path) -> None:
    database = tmp_path / "teahouse.db"
    engine = connect(str(database))
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()
    database.chmod(0o600)
    findings = found(str(database))
    problems = [one for one in findings.values() if one.status == "problem"]
    assert not problems
    assert {
        "dependencies",
        "schema",
        "integrity",
        "cache",
        "tablebases",
        "compiler",
        "clock",
    } <= set(findings)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_the_doctor_of_several_processes(database: str) -> None:
    """It counts who shares the database, and misses somebody who plays for bots."""
    engine = connect(database)

    def processes() -> dict[str, Finding]:
        with engine.connect() as connection:
            return {one.name: one for one in check_processes(connection)}

    assert processes()["processes"].detail.startswith("No server")
    lock = acquire_lock(connect(database), shared=True)
    with open_app(database):
        while processes()["jobs"].status != "ok":  # its first heartbeat
            pass
        findings = processes()
        assert findings["processes"].detail == "2 servers and workers running"
        assert findings["jobs"].detail == "1 process plays for bots; 0 jobs wait"
    findings = processes()
    assert findings["processes"].detail == "1 server or worker running"
    assert findings["jobs"].status == "problem"
    lock.release()
    alone = acquire_lock(connect(database))
    assert processes()["processes"].status == "warning"
    alone.release()
    engine.dispose()
    findings = found(database)
    assert findings["permissions"].status == findings["schema"].status == "ok"
    assert findings["clock of the database"].status == "ok"
    assert findings["durability"].status == "warning"  # as tests start PostgreSQL


def test_the_doctor_lists_kernels_while_they_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept.bin").write_bytes(b"kernel")
    (tmp_path / "deleted.bin").symlink_to(tmp_path / "nowhere")
    monkeypatch.setenv("TEAHOUSE_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    cache = found(str(tmp_path / "teahouse.db"))["cache"]
    assert cache.status == "ok"
    assert cache.detail.startswith("1 compiled kernel,")


def test_the_doctor_creates_no_folder(tmp_path: Path) -> None:
    missing = tmp_path / "new" / "teahouse.db"
    assert "does not exist yet" in found(str(missing))["database"].detail
    assert not missing.parent.exists()


def test_the_doctor_says_what_to_do(tmp_path: Path) -> None:
    database = tmp_path / "teahouse.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    connection.close()
    database.chmod(0o644)
    findings = found(str(database), smtp_host="mail.example.org")
    assert findings["schema"].status == findings["e-mail"].status == "problem"
    assert findings["permissions"].status == "warning"
    assert findings["permissions"].advice == f"chmod 600 {database}"
    database.write_text("no database")
    assert found(str(database))["database"].status == "problem"
