"""Whatever happens to the server, acknowledged moves are there when it starts again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.kills import kill_repeatedly
from support.servers import Postgres, ServerProcess, running_server
from websockets.exceptions import ConnectionClosed

from teahouse.terminal.commands import main


def test_a_killed_server_loses_nothing(database: str) -> None:
    tally = kill_repeatedly(database, kills=5, seed=1)
    assert tally.lost == 0
    assert tally.acknowledged > 20
    assert tally.pending > 5
    assert tally.resumed > 5


def test_bots_go_on_after_a_kill(database: str) -> None:
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    first = ServerProcess(database)
    table, secrets = first.create_table(game="orochi", options={"side": 2}, seats=seats)
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


def test_two_servers_on_one_database_and_busy_ports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database = str(tmp_path / "teahouse.db")
    with running_server(database) as first:
        second = serve("--database", database, "--port", "0")
        assert second.returncode == 2
        assert "Another server is running on" in second.stderr
        monkeypatch.setattr("sys.argv", _command("--port", first.address.rpartition(":")[2]))
        with pytest.raises(SystemExit) as third:
            main()
        assert third.value.code == 2
        assert "in use" in capsys.readouterr().err
    with running_server(database):
        pass


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://localhost/x", "SQLite or PostgreSQL"),
        ("postgresql://nobody@127.0.0.1:1/x", "cannot be used"),
        ("sqlite:///:memory:", "must be files"),
        ("://", "a path or a URL"),
    ],
)
def test_unusable_databases_are_reported(
    url: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", _command("--database", url, "--port", "0"))
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_a_broken_database_file_is_reported(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("This is not a database, but it is long enough to be read. " * 20)
    done = serve("--database", str(broken), "--port", "0")
    assert done.returncode == 2, done.stderr
    assert "not a database" in done.stderr
    assert "Traceback" not in done.stderr


def _command(*arguments: str) -> list[str]:
    return ["teahouse", "serve", "--no-browser", *arguments]


def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    code = "from teahouse.terminal.commands import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *_command(*arguments)[1:]],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
