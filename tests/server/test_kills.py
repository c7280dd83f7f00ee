"""Whatever happens to the house, what it has acknowledged is there when it opens again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.kills import kill_often
from support.servers import HouseProcess, Postgres, house
from websockets.exceptions import ConnectionClosed


def test_a_killed_house_has_lost_nothing(database: str) -> None:
    tally = kill_often(database, kills=5, seed=1)
    assert tally.lost == 0
    assert tally.acknowledged > 20
    assert tally.pending > 5
    assert tally.resumed > 5


def test_bots_go_on_after_a_kill(database: str) -> None:
    seats = [{"kind": "here"}, {"kind": "bot", "level": 1}]
    first = HouseProcess(database)
    table, secrets = first.open_table(game="orochi", options={"side": 3}, seats=seats)
    with first.join(table, *secrets) as player:
        number = player.hear("table")["number"]
        player.send(type="play", id=1, seat=0, ply=0, move="wa1")
        player.hear("done")
        first.kill()
    with house(database) as second:
        while True:  # nobody is connected: the bot plays by itself
            status, found = second.request(f"/api/tables/{table}")
            assert status == 200
            if found["state"]["player"] == 0:
                break
        assert found["number"] >= number + 2
        assert found["moves"][0]["move"] == "wa1"


def test_the_database_may_be_away_for_a_while(postgres_server: Postgres) -> None:
    running = HouseProcess(postgres_server.address)
    seats = [{"kind": "here"}, {"kind": "here"}]
    table, secrets = running.open_table(game="orochi", options={"side": 2}, seats=seats)
    with running.join(table, *secrets) as player:
        number = player.ask(type="play", seat=0, ply=0, move="wa1")["number"]
        postgres_server.stop()
        with pytest.raises(ConnectionClosed):
            player.ask(type="play", seat=1, ply=1, move="wa2")
    assert running.request(f"/api/tables/{table}")[0] == 503
    with pytest.raises(ConnectionClosed), running.join(table, *secrets) as player:
        player.hear("table")
    postgres_server.start()
    with running.join(table, *secrets, seen=number) as player:
        assert player.hear("update")["events"] == []
        assert player.ask(type="play", seat=1, ply=1, move="wa2")["number"] == number + 1
    assert "Traceback" not in running.stop()


def test_time_runs_out_by_itself(tmp_path: Path) -> None:
    with house(str(tmp_path / "house.db")) as running:
        seats = [{"kind": "here"}, {"kind": "here"}]
        clock = {"kind": "real", "seconds": 10}
        table, _ = running.open_table(game="orochi", seats=seats, clock=clock)
        with running.join(table) as watcher:
            ended = watcher.hear("update")["events"][0]
        assert (ended["type"], ended["result"], ended["how"]) == ("ended", "Black", "time")
        row = running.request("/api/status", {"tables": [{"id": table}]})[1]["tables"][0]
        assert (row["over"], row["result"], row["how"]) == (True, "Black", "time")


def test_two_houses_on_one_database_and_busy_ports(database: str) -> None:
    with house(database) as first:
        second = _serve("--database", database, "--port", "0")
        assert second.returncode == 2
        assert "another house is open on" in second.stderr
        third = _serve("--database", database + "x", "--port", first.address.rpartition(":")[2])
        assert third.returncode == 2
        assert "in use" in third.stderr
    with house(database):
        pass


def test_what_cannot_be_a_database_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("This is not a database, but it is long enough to look at. " * 20)
    for address, why in (
        ("mysql://localhost/x", "SQLite or PostgreSQL"),
        ("postgresql://nobody@127.0.0.1:1/x", "cannot be used"),
        (str(broken), "not a database"),
        ("://", "a path or an address"),
    ):
        done = _serve("--database", address, "--port", "0")
        assert done.returncode == 2, done.stderr
        assert why in done.stderr
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
