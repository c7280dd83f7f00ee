"""Order: blocked and muted players, reports, operators and their commands."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from support.accounts import Browser
from support.servers import ServerProcess, running_server
from websockets.exceptions import ConnectionClosed

import teahouse as th
from teahouse.server.settings import ServerSettings
from teahouse.terminal.commands import main

GAME = th.games()[0]
SEATS = len(th.load(GAME).players)


@pytest.fixture(scope="module")
def server_and_database(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[ServerProcess, str]]:
    """A server with its database."""
    database = str(tmp_path_factory.mktemp("moderation") / "teahouse.db")
    with running_server(database) as server:
        yield server, database


def operate(database: str, *arguments: str, code: int = 0) -> str:
    """Run `teahouse operator`; return what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["teahouse", "operator", *arguments, "--database", database])
        patch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as left:
            main()
    assert left.value.code == code, err.getvalue()
    return out.getvalue() if code == 0 else err.getvalue()


def create_table(first: Browser, *others: Browser) -> str:
    """Create a table and let everybody take a seat of their account."""
    seats = [{"kind": "local"}, *({"kind": "remote"} for _ in range(SEATS - 1))]
    created = first.post("/api/tables", game=GAME, seats=seats)
    secrets = {seat["seat"]: seat["secret"] for seat in created["seats"]}
    for number, browser in enumerate((first, *others)):
        with browser.join(created["id"], *filter(None, [secrets.get(number)])) as client:
            assert client.receive("table")["your_seats"] == [number]
    table: str = created["id"]
    return table


def people(server: ServerProcess, *names: str) -> list[Browser]:
    return [Browser(server).sign_up(name) for name in names]


def test_blocked_players_do_not_meet(server_and_database: tuple[ServerProcess, str]) -> None:
    anna, bert = people(server_and_database[0], "Anna", "Bert")
    assert anna.request("/api/account/relations") == (200, {"blocked": [], "muted": []})
    answer = anna.post("/api/account/relations", account="bert", relation="block")
    assert [one["name"] for one in answer["blocked"]] == ["Bert"]
    challenge = {"game": GAME, "time_control": {"kind": "realtime", "seconds": 300}}
    for one, other in ((anna, "Bert"), (bert, "Anna")):
        status, refused = one.request("/api/challenges", {**challenge, "to": other})
        assert (status, refused["code"]) == (409, "blocked")
    opened = anna.post("/api/challenges", **challenge)
    status, refused = bert.request(f"/api/challenges/{opened['id']}/accept", {})
    assert status == 404
    assert anna.post("/api/account/relations", account="Bert", relation="mute") == {
        "blocked": [],
        "muted": answer["blocked"],
    }
    anna.post("/api/challenges", **{**challenge, "to": "Bert"})
    anna.post("/api/account/relations", account="Bert", relation="none")
    assert anna.request("/api/account/relations")[1] == {"blocked": [], "muted": []}


def test_relations_need_an_account_and_another_one(
    server_and_database: tuple[ServerProcess, str],
) -> None:
    (carl,) = people(server_and_database[0], "Carl")
    body = {"account": "Carl", "relation": "block"}
    assert Browser(server_and_database[0]).request("/api/account/relations", body)[0] == 401
    assert carl.request("/api/account/relations", body)[0] == 422
    assert carl.request("/api/account/relations", {**body, "account": "Nobody at all"})[0] == 404
    assert carl.request("/api/account/relations", {**body, "relation": "hate"})[0] == 422


def test_reports_quote_what_was_said(server_and_database: tuple[ServerProcess, str]) -> None:
    """The server looks up the words itself; reporting twice is reporting once."""
    server, database = server_and_database
    dora, emil = people(server, "Dora", "Emil")
    others = people(server, *(f"Extra {number}" for number in range(SEATS - 2)))
    table = create_table(dora, emil, *others)
    with emil.join(table) as client:
        client.receive("table")
        client.send(type="chat", id=1, seat=1, text="You play like a kettle!")
        client.receive("ack")
    chat = server.request(f"/api/tables/{table}/chat?before=1000000")[1]["chat"]
    body = {"subject": "chat", "reason": "abuse", "table": table, "seq": chat[-1]["seq"]}
    first = dora.post("/api/reports", **body, text="Not [b]nice[/b].")
    assert dora.post("/api/reports", **body) == first
    guest = Browser(server)
    guest.post("/api/reports", subject="name", reason="name", table=table, seat=1)
    guest.post("/api/reports", subject="name", reason="name", account="EMIL")
    guest.post("/api/reports", subject="table", reason="stalling", table=table)
    found = {one["id"]: one for one in json.loads(operate(database, "reports", "--json"))}
    assert len(found) == 4
    reported = found[first["id"]]
    assert (reported["quote"], reported["text"]) == ("You play like a kettle!", "Not [b]nice[/b].")
    assert (reported["account"], reported["reporter"]) == ("Emil", "Dora")
    listed = operate(database, "reports")
    assert listed.count("Emil") >= 2 and "Not [b]nice[/b]." in listed
    for report_id in found:
        assert operate(database, "close-report", report_id) == "The report is closed.\n"
    assert json.loads(operate(database, "reports", "--json")) == []
    assert len(json.loads(operate(database, "reports", "--closed", "--json"))) == 4
    assert dora.post("/api/reports", **body) != first  # it was closed: this is another one


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"subject": "chat", "reason": "abuse", "table": "aaaaaaaaaa", "seq": 1}, 404),
        ({"subject": "name", "reason": "name"}, 422),
        ({"subject": "name", "reason": "name", "account": "Nobody here"}, 404),
        ({"subject": "table", "reason": "boredom", "table": "aaaaaaaaaa"}, 422),
        ({"subject": "name", "reason": "name", "account": "Anna", "text": "a\u202eb"}, 422),
        ({"subject": "name", "reason": "name", "account": "Anna", "text": "x" * 501}, 422),
        ({"subject": "name", "reason": "name", "account": "Anna", "quote": "hello"}, 422),
    ],
)
def test_invalid_reports_are_refused(
    server_and_database: tuple[ServerProcess, str], body: dict[str, Any], status: int
) -> None:
    assert Browser(server_and_database[0]).request("/api/reports", body)[0] == status


def test_reports_of_an_account_are_limited(server_and_database: tuple[ServerProcess, str]) -> None:
    fritz, gerd = people(server_and_database[0], "Fritz", "Gerd")
    body = {"subject": "name", "reason": "name", "account": "Gerd"}
    limit = ServerSettings().max_reports_a_day
    statuses = [fritz.request("/api/reports", body)[0] for _ in range(limit + 1)]
    assert statuses == [201] * limit + [429]
    assert gerd.request("/api/reports", {**body, "account": "Fritz"})[0] == 201


def test_suspended_account_reads_why_and_does_not_play(
    server_and_database: tuple[ServerProcess, str],
) -> None:
    """Its open sockets notice at once, its programs too; the end of the suspension is the end."""
    server, database = server_and_database
    hans, ines = people(server, "Hans", "Ines")
    others = people(server, *(f"More {number}" for number in range(SEATS - 2)))
    table = create_table(hans, ines, *others)
    robot = hans.post("/api/account/bots", name="Hans's robot")
    with hans.join(table) as client:
        assert client.receive("table")["your_seats"] == [0]
        said = operate(database, "suspend", "hans", "--days", "3", "--because", "Rude words.")
        assert said.startswith("Hans is suspended until ")
        with pytest.raises(ConnectionClosed) as closed:
            client.receive("none")
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
    account = hans.request("/api/account")[1]["account"]
    assert "Rude words." in account["suspension"]
    assert account["suspended_until"] > account["created"]
    with hans.join(table) as client:
        error = client.receive("error")
        assert error["code"] == "suspended" and "Reason: Rude words." in error["message"]
        assert client.receive("table")["your_seats"] == []
    challenge = {"game": GAME, "time_control": {"kind": "realtime", "seconds": 300}}
    assert hans.request("/api/challenges", challenge)[0] == 403
    assert ines.request("/api/challenges", {**challenge, "to": robot["name"]})[0] == 403
    operate(database, "unsuspend", "Hans")
    with hans.join(table) as client:
        assert client.receive("table")["your_seats"] == [0]
    assert operate(database, "suspend", "Hans", "--because", "Again.") == (
        "Hans is suspended permanently.\n"
    )
    assert hans.request("/api/account")[1]["account"]["suspension"].startswith(
        "Your account is suspended permanently"
    )


def test_operators_act_on_their_page(server_and_database: tuple[ServerProcess, str]) -> None:
    """Only those whom the command line has made operators; what they do is logged."""
    server, database = server_and_database
    jana, kurt = people(server, "Jana", "Kurt")
    others = people(server, *(f"Third {number}" for number in range(SEATS - 2)))
    assert Browser(server).request("/api/operator")[0] == 401
    assert jana.request("/api/operator")[0] == 403
    action = {"action": "rename", "account": "Kurt", "reason": "This name insults."}
    assert jana.request("/api/operator/actions", action)[0] == 403
    grants = [{"action": one, "account": "Jana", "reason": "x"} for one in ("grant", "revoke")]
    assert operate(database, "grant", "Jana") == "Jana is an operator now.\n"
    for one in grants:
        assert jana.request("/api/operator/actions", one)[0] == 422
    assert jana.request("/api/account")[1]["account"]["role"] == "operator"
    table = create_table(jana, kurt, *others)
    kurt.post("/api/reports", subject="table", reason="other", table=table)
    with jana.join(table) as client:
        client.receive("table")
        jana.post("/api/operator/actions", **action)
        renamed = kurt.request("/api/account")[1]["account"]["name"]
        assert renamed.startswith("Player ")
        seats = client.receive("update")["state"]["seats"]
        assert seats[1]["name"] == renamed
        closing = {"action": "close-table", "table": table, "reason": "Private data."}
        jana.post("/api/operator/actions", **closing)
        state = client.receive("update")["state"]
        assert state["over"] and state["result"] == "*" and state["reason"] == "closed"
        assert state["result_text"] == "An operator closed this game: Private data."
    status, refused = jana.request("/api/operator/actions", closing)
    assert (status, refused["code"]) == (409, "game_over")
    seen = jana.request("/api/operator")[1]
    report = next(one for one in seen["reports"] if one["table_id"] == table)
    jana.post(f"/api/operator/reports/{report['id']}/close", note="Closed the table.")
    seen = jana.request("/api/operator")[1]
    assert report["id"] not in [one["id"] for one in seen["reports"]]
    logged = [(one["operator"], one["action"], one["reason"]) for one in seen["actions"]]
    assert logged[:3] == [
        ("Jana", "close-report", "Closed the table."),
        ("Jana", "close-table", "Private data."),
        ("Jana", "rename", "This name insults."),
    ]
    assert ("command line", "grant", "") in logged
    assert "Kurt is called Player" in operate(database, "log")
    for name in ("Jana", "Nobody else"):
        body = {"action": "suspend", "account": name, "reason": "Why not."}
        assert jana.request("/api/operator/actions", body)[0] in (403, 404)
    operate(database, "revoke", "Jana")
    assert jana.request("/api/operator")[0] == 403


def test_errors_of_the_command_line(
    server_and_database: tuple[ServerProcess, str], tmp_path: Path
) -> None:
    database = server_and_database[1]
    assert "no account" in operate(database, "suspend", "Nobody 1", "--because", "x", code=2)
    assert "no such table" in operate(
        database, "close-table", "aaaaaaaaaa", "--because", "x", code=2
    )
    assert "no such report" in operate(database, "close-report", "aaaaaaaaaa", code=2)
    people(server_and_database[0], "Lara", "Mona")
    renaming = ("rename", "Lara", "--because", "x", "--to")
    assert "taken" in operate(database, *renaming, "M0na", code=2)
    assert "name" in operate(database, *renaming, "a\u202eb", code=2)
    assert operate(database, *renaming, "Lena") == "Lara is called Lena now.\n"
    missing = str(tmp_path / "missing.db")
    assert "There is no database" in operate(missing, "reports", code=2)
    assert not Path(missing).exists()
    empty = tmp_path / "empty.db"
    sqlite3.connect(empty).close()
    empty.touch()
    assert "another schema version" in operate(str(empty), "reports", code=2)


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
def test_commands_without_a_server_are_completed_by_the_next_one(database: str) -> None:
    """On both kinds of databases; a game is closed and a seat renamed when the server starts."""
    with running_server(database) as server:
        browsers = people(server, *(f"Seat {number}" for number in range(SEATS)))
        table = create_table(*browsers)
    said = operate(database, "close-table", table, "--because", "Spam.")
    closed = f"The game at table {table} is closed."
    assert said == f"{closed} Tables are updated when the server starts.\n"
    operate(database, "rename", "Seat 0", "--because", "Silly.", "--to", "Nora")
    operate(database, "suspend", "Seat 1", "--because", "Spam.")
    with running_server(database) as server:
        with server.join(table) as client:
            state = client.receive("table")["state"]
            while not (state["over"] and state["seats"][0]["name"] == "Nora"):
                state = client.receive("update")["state"]
        assert state["result_text"] == "An operator closed this game: Spam."
        seat = Browser(server).sign_in("Seat 1")
        assert seat.request("/api/account")[1]["account"]["suspension"]
