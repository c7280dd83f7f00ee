"""A database of version 0.1.0 opens: finished and unfinished games, offers, clocks and records.

`data/0.1.0.sql` was written by a server of 0.1.0; `data/0.1.0.json` is what that server answered.
"""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from support.servers import ServerProcess, running_server

import teahouse as th
from teahouse.server.storage import database as db

DATA = Path(__file__).parent / "data"
OLD: dict[str, Any] = json.loads((DATA / "0.1.0.json").read_text(encoding="utf-8"))
KINDS = {"here": "local", "link": "remote", "bot": "bot"}
CONTROLS = {"none": "none", "real": "realtime", "days": "correspondence"}
REASONS = {None: None, "resigned": "resigned", "agreed": "agreed", "time": "timeout"}
RESULT_TEXTS = {
    "finished": "White wins: ",
    "resigned": "Black resigned. Green wins.",
    "timeout": "White's time ran out. Black wins.",
    "agreed": "Draw agreed.",
}


def load_old(url: str) -> None:
    """Fill an empty database with that of 0.1.0, with times as if it was written just now."""
    old = sqlite3.connect(":memory:")
    old.executescript((DATA / "0.1.0.sql").read_text(encoding="utf-8"))
    (last,) = old.execute("SELECT MAX(wall) FROM events").fetchone()
    shift = time.time() - last
    old.execute("UPDATE events SET wall = wall + ?", (shift,))
    old.execute("UPDATE tables SET changed = changed + ?", (shift,))
    engine = db.connect(url)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(db.MIGRATIONS))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "first")
        connection.execute(sa.text("DELETE FROM house"))
        booleans = {"over", "alarm"}
        for table in ("tables", "events", "records", "house"):
            rows = old.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in rows.description]
            insert = sa.text(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES (:{', :'.join(names)})"
            )
            for row in rows:
                values = dict(zip(names, row, strict=True))
                connection.execute(
                    insert, {k: bool(v) if k in booleans else v for k, v in values.items()}
                )
    engine.dispose()
    old.close()


def check_table(server: ServerProcess, name: str) -> None:
    """Compare a table with the answer of 0.1.0."""
    old = OLD["tables"][name]
    status, new = server.request(f"/api/tables/{old['id']}")
    assert status == 200
    state = new["state"]
    assert new["seq"] == old["seq"]
    assert (new["table"]["game"], new["table"]["options"]) == (old["game"], old["options"])
    assert new["table"]["time_control"]["kind"] == CONTROLS[old["clock"]["kind"]]
    assert [[move["move"], move["player"]] for move in new["moves"]] == old["moves"]
    assert all(move["description"] for move in new["moves"])
    assert [[chat["seat"], chat["text"]] for chat in new["chat"]] == old["chat"]
    assert [[s["kind"], s["name"], s["level"], s["joined"]] for s in state["seats"]] == [
        [KINDS[kind], *rest] for kind, *rest in old["seats"]
    ]
    assert (state["player"], state["result"]) == (old["player"], old["result"])
    assert state["reason"] == REASONS[old["how"]]
    assert [offer["offer"] for offer in state["offers"]] == old["offers"]
    assert state["rematch"] == old["rematch"]
    assert new["snapshot"]["position"] == old["position"]
    text = RESULT_TEXTS.get(name)
    assert state["result_text"] == text or (text and state["result_text"].startswith(text))
    if old["left"] is not None:
        for before, now in zip(old["left"], state["clock"]["remaining_ms"], strict=True):
            assert (before is None) == (now is None)
            assert before is None or before - 60_000 <= now <= before + 1_000


def check_status(server: ServerProcess, name: str) -> None:
    """Compare a summary, which the migration has rewritten."""
    old = OLD["tables"][name]
    body = {"tables": [{"id": old["id"], "secrets": old["secrets"]}]}
    (new,) = server.request("/api/status", body)[1]["tables"]
    before = old["status"]
    for key in ("over", "result", "names", "ply"):
        assert new[key] == before[key]
    assert new["reason"] == REASONS[before["how"]]
    assert (new["your_seats"], new["your_turn"]) == (before["yours"], before["waits"])
    assert "awaiting" not in new


def play_on(server: ServerProcess, name: str) -> None:
    """Play a legal move at an unfinished table with the secrets of 0.1.0."""
    old = OLD["tables"][name]
    with server.join(old["id"], *old["secrets"], snapshots=True) as client:
        table = client.receive("table")
        seat, ply = table["state"]["player"], table["state"]["ply"]
        move = table["snapshot"]["legal"][0]["move"]
        reply = client.request(type="play", seat=seat, ply=ply, move=move)
        assert reply["type"] == "ack", reply


def test_a_database_of_0_1_0_opens(database: str) -> None:
    load_old(database)
    with running_server(database) as server:
        for name in OLD["tables"]:
            check_status(server, name)
            check_table(server, name)
        text = server.request(f"/api/records/{OLD['record']['id']}")[1]
        assert text == OLD["record"]["text"]
        assert th.Record.parse(text).moves == ("wa1",)
        for name in ("rematch", "three", "bot"):
            play_on(server, name)
        days = OLD["tables"]["days"]
        with server.join(days["id"], *days["secrets"]) as client:
            reply = client.request(type="respond", seat=1, offer="draw", accept=True)
            assert reply["type"] == "ack"
        resigned = OLD["tables"]["resigned"]
        text = server.request(f"/api/tables/{resigned['id']}/record")[1]
        assert th.Record.parse(text).result == "Green"


@pytest.mark.parametrize("name", ["hashes", "number", "wall"])
def test_columns_of_0_1_0_are_gone(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / "old.db")
    load_old(path)
    engine = db.connect(path)
    with engine.begin() as connection:
        db.migrate(connection)
        inspector = sa.inspect(connection)
        for table in inspector.get_table_names():
            assert name not in {column["name"] for column in inspector.get_columns(table)}
    engine.dispose()
