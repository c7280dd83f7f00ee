"""Whatever happens to the server, acknowledged moves are there when it starts again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.kills import kill_repeatedly
from support.servers import Postgres, ServerProcess, running_server
from websockets.exceptions import ConnectionClosed


def test_a_killed_server_loses_nothing(database: str) -> None:
    tally = kill_repeatedly(database, kills=5, seed=1)
    assert tally.lost == 0
    assert tally.acknowledged > 20
    assert tally.pending > 5
    assert tally.resumed > 5


def test_bots_go_on_after_a_kill(database: str) -> None:
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    first = ServerProcess(database)
    table, secrets = first.create_table(game="orochi", options={"side": 3}, seats=seats)
    with first.join(table, *secrets) as client:
        seq = client.receive("table")["seq"]
        client.send(type="play", id=1, seat=0, ply=0, move="wa1")
        client.receive("ack")
        first.kill()
    with running_server(database) as second:
        while True:  # nobody is connected, and the bot plays
            status, found = second.request(f"/api/tables/{table}")
            assert status == 200
            if found["state"]["player"] == 0:
                break
        assert found["seq"] >= seq + 2
        assert found["moves"][0]["move"] == "wa1"


def test_the_database_may_be_unavailable_for_a_while(postgres_server: Postgres) -> None:
    server = ServerProcess(postgres_server.address)
    seats = [{"kind": "local"}, {"kind": "local"}]
    table, secrets = server.create_table(game="orochi", options={"side": 2}, seats=seats)
    with server.join(table, *secrets) as client:
        seq = client.request(type="play", seat=0, ply=0, move="wa1")["seq"]
        postgres_server.stop()
        with pytest.raises(ConnectionClosed):
            client.request(type="play", seat=1, ply=1, move="wa2")
    assert server.request(f"/api/tables/{table}")[0] == 503
    with pytest.raises(ConnectionClosed), server.join(table, *secrets) as client:
        client.receive("table")
    postgres_server.start()
    with server.join(table, *secrets, after=seq) as client:
        assert client.receive("update")["events"] == []
        assert client.request(type="play", seat=1, ply=1, move="wa2")["seq"] == seq + 1
    assert "Traceback" not in server.stop()


def test_time_runs_out_by_itself(tmp_path: Path) -> None:
    with running_server(str(tmp_path / "teahouse.db")) as server:
        seats = [{"kind": "local"}, {"kind": "local"}]
        control = {"kind": "realtime", "seconds": 10}
        table, _ = server.create_table(game="orochi", seats=seats, time_control=control)
        with server.join(table) as watcher:
            ended = watcher.receive("update")["events"][0]
        assert (ended["type"], ended["result"], ended["reason"]) == ("ended", "Black", "timeout")
        row = server.request("/api/status", {"tables": [{"id": table}]})[1]["tables"][0]
        assert (row["over"], row["result"], row["reason"]) == (True, "Black", "timeout")


def test_two_servers_on_one_database_and_busy_ports(database: str) -> None:
    with running_server(database) as first:
        second = _serve("--database", database, "--port", "0")
        assert second.returncode == 2
        assert "Another server is running on" in second.stderr
        third = _serve("--database", database + "x", "--port", first.address.rpartition(":")[2])
        assert third.returncode == 2
        assert "in use" in third.stderr
    with running_server(database):
        pass


def test_unusable_databases_are_reported(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("This is not a database, but it is long enough to look at. " * 20)
    for url, message in (
        ("mysql://localhost/x", "SQLite or PostgreSQL"),
        ("postgresql://nobody@127.0.0.1:1/x", "cannot be used"),
        (str(broken), "not a database"),
        ("://", "a path or a URL"),
    ):
        done = _serve("--database", url, "--port", "0")
        assert done.returncode == 2, done.stderr
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def _serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from teahouse.terminal.commands import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "serve", "--no-browser", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
