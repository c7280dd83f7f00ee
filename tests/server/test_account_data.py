"""One's own data: all of it is exported, and after a deletion nothing of it is left."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from support.accounts import PASSWORD
from support.in_process import HOST, ORIGIN, Browser, InProcessApp, open_app

import teahouse as th
from teahouse.server.accounts import deletion, rows
from teahouse.server.accounts.anonymous import DELETED_TEXT
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.correspondence import rows as correspondence_rows
from teahouse.server.lobby import shared_rows
from teahouse.server.moderation.rows import operator_actions
from teahouse.server.ratings.pools import pool_of
from teahouse.server.ratings.recompute import recompute
from teahouse.server.storage.database import SCHEMA

NAME = "Zerlinda Quux"
PROGRAM = "Zerlinda's program"
EMAIL = "zerlinda@mail.example.org"
CHAT = "Zerlinda wrote this."
GAME = next(
    name for name in th.games() if len(th.load(name).players) == 2 and pool_of(th.load(name))
)


class Table:
    """A game of two accounts."""

    def __init__(self, one: Browser, other: Browser, **challenge: Any) -> None:
        body = {"game": GAME, "seat": 0, "to": other.name, **challenge}
        created = one.client.post("/api/challenges", json=body)
        assert created.status_code == 201, created.text
        path = f"/api/challenges/{created.json()['id']}/accept"
        self.id: str = other.client.post(path, json={}).json()["table"]
        self.players = (one, other)
        self.moves: list[str] = []
        with self.joined(other):
            pass
        with self.joined(one) as (_, table):
            self.position = th.load(GAME).start(table["table"]["seed"])

    @contextmanager
    def joined(self, browser: Browser) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Join as a player; yield the socket and the table."""
        path = f"ws://{HOST}/api/tables/{self.id}/socket"
        with browser.client.websocket_connect(path) as socket:
            socket.send_json({"type": "join", "protocol": 2, "snapshots": False})
            yield socket, socket.receive_json()

    def send(self, seat: int, **message: Any) -> None:
        """Send a message of a player and wait for the acknowledgement."""
        with self.joined(self.players[seat]) as (socket, _):
            socket.send_json({"id": 1, "seat": seat, **message})
            while (answer := socket.receive_json())["type"] not in ("ack", "error"):
                pass
        assert answer["type"] == "ack", answer

    def play(self) -> None:
        """Play the first legal move."""
        move = self.position.legal[0]
        self.send(self.position.player, type="play", ply=len(self.moves), move=move)
        self.moves.append(move)
        self.position = self.position.play(move)


def id_of(browser: Browser) -> str:
    account = browser.account
    assert account is not None
    return str(account["id"])


def posted(browser: Browser, path: str, **body: Any) -> Any:
    """Return the answer to a request that must succeed."""
    response = browser.client.post(path, json=body)
    assert response.status_code in (200, 201), (path, response.text)
    return response.json()


def live(app: InProcessApp, anna: Browser, bob: Browser) -> list[Table]:
    """Let an account do all that accounts can do; return its games."""
    passkey = anna.add_passkey()
    codes = anna.done("/recovery-codes")["codes"]
    phone = app.browser()
    options = phone.done("/sign-in/passkey/options")
    phone.done("/sign-in/passkey", {"answer": passkey.assertion(options, ORIGIN)})
    app.browser().done("/sign-in/recovery", {"name": NAME, "code": codes[0]})
    anna.done("/tokens", {"name": "Reader", "scopes": ["read"]})
    program = anna.done("/bots", {"name": PROGRAM})
    anna.done("/tokens", {"name": "Player", "scopes": ["play"], "account": program["id"]})

    rated = Table(anna, bob, rated=True, time_control={"kind": "realtime", "seconds": 600})
    for seat in (0, 1):
        while rated.position.player == seat:
            rated.play()
    rated.send(0, type="chat", text=CHAT)
    rated.send(1, type="chat", text="Good game.")
    rated.send(1, type="resign")
    slow = Table(anna, bob, time_control={"kind": "correspondence", "days": 3})
    while slow.position.player == 0:
        slow.play()
    line: list[str] = []
    expected = slow.position
    for seat in (1, 0):  # what the opponent may play, and the whole answer to it
        while expected.player == seat:
            line.append(expected.legal[0])
            expected = expected.play(line[-1])
    posted(
        *(anna, f"/api/tables/{slow.id}/conditional"),
        seat=0,
        ply=len(slow.moves),
        lines=[line],
    )
    guest = app.browser()
    seats = [{"kind": "local", "name": "A guest"}, {"kind": "remote"}]
    table = posted(guest, "/api/tables", game=GAME, seats=seats)
    secret = table["seats"][0]["secret"]
    anna.done("/claim", {"tables": [{"id": table["id"], "secrets": [secret]}]})

    days = {"kind": "correspondence", "days": 2}
    posted(anna, "/api/challenges", game=GAME, time_control=days)
    posted(bob, "/api/challenges", game=GAME, time_control=days, to=NAME)
    cup = posted(
        *(anna, "/api/tournaments"),
        name="Cup",
        game=GAME,
        time_control=days,
        starts_with=8,
        format={"kind": "round_robin"},
    )
    for player in (anna, bob):
        posted(player, f"/api/tournaments/{cup['tournament']['id']}/join")

    start = str(th.load(GAME).start(1))
    study = posted(anna, "/api/studies", game=GAME, start=start, comment=CHAT)
    data = {"studies": {study["id"]: study["key"]}, "puzzles": {"streak": 3}}
    anna.done("/data", {"changed": data})
    posted(anna, "/api/vacation", days=2)
    record = anna.client.get(f"/api/tables/{rated.id}/record").text
    posted(bob, "/api/records", text=record)
    for one, other in ((anna, bob), (bob, anna)):
        posted(one, "/api/account/relations", account=other.name, relation="mute")
        posted(one, "/api/reports", subject="name", reason="name", account=other.name)
    _insert_what_only_the_server_writes(app, id_of(anna))
    return [rated, slow]


def _insert_what_only_the_server_writes(app: InProcessApp, anna: str) -> None:
    notice = {"key": "k", "kind": "turn", "created": 0.0, "path": "/", "mailed": False}
    texts = {"title": f"Your turn against {NAME}", "text": f"{NAME} moved."}
    app.write(correspondence_rows.notices.insert().values(account_id=anna, **notice, **texts))
    app.write(
        correspondence_rows.notification_settings.insert().values(
            account_id=anna,
            email=EMAIL,
            verified=True,
            unsubscribe_key="u",
            mail_kinds="[]",
            mail_minutes=5,
        )
    )
    app.write(
        correspondence_rows.outbox.insert().values(
            account_id=anna,
            recipient=EMAIL,
            subject="Your turn",
            body=f"Hello {NAME}",
            message_id="m",
            created=0.0,
            due=1e12,
            attempts=0,
        )
    )
    app.write(
        operator_actions.insert().values(
            id="o",
            created=0.0,
            operator="command line",
            action="rename",
            account_id=anna,
            reason="x",
            name=NAME,
            answer=f"Renamed to {NAME}.",
            finished=True,
        )
    )


def traces(app: InProcessApp, *words: str) -> dict[str, list[str]]:
    """Return the columns of all tables in which one of these words stands anywhere."""
    found: dict[str, list[str]] = {}
    with app.state.registry.store._engine.connect() as connection:
        for table in SCHEMA.sorted_tables:
            for row in connection.execute(sa.select(table)).all():
                for column, value in row._mapping.items():
                    if any(word in str(value) for word in words):
                        found.setdefault(table.name, []).append(f"{column}: {value}")
    return found


@pytest.fixture
def app(database: str) -> Iterator[InProcessApp]:
    """The application on a database of either kind."""
    with open_app(database) as client:
        yield InProcessApp(client)


def look_for_opponents(app: InProcessApp, account: str) -> None:
    """Store the seek of an account, as several processes do."""
    numbers = dict.fromkeys(("rating", "deviation", "since", "seen"), 1.0)
    texts = {"game": GAME, "pace": "none", "refused": "[]", "process": "p"}
    seek = {"visitor": f"account:{account}", "account_id": account, "name": NAME}
    app.write(shared_rows.seeks.insert().values({**seek, **texts, **numbers}))


def test_everything_is_exported_and_deleted(app: InProcessApp) -> None:
    anna, bob = app.browser().sign_up(NAME), app.browser().sign_up("Bob Tanaka")
    games = live(app, anna, bob)
    app.settle()
    own = id_of(anna)
    look_for_opponents(app, own)
    personal = {one.name for one in SCHEMA.sorted_tables if "account_id" in one.c}
    filled = traces(app, own)
    assert set(filled) >= personal - {deletion.departures.name}, "the test covers every table"

    exported = anna.client.get("/api/account/export")
    assert exported.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    texts = " ".join(files.values())
    for expected in (NAME, EMAIL, CHAT, "Reader", "Cup", '"streak": 3', "rating_changes"):
        assert expected in texts, expected
    assert sum(name.startswith("games/") for name in files) == 3
    assert NAME in files[f"games/{GAME}-{games[0].id}.txt"]
    assert "Good game." not in files["chat.json"]
    for name in ("account_sessions", "api_tokens", "recovery_codes"):
        for row in json.loads(files[f"{name}.json"]):
            assert not any(column.endswith("_hash") for column in row), name

    with games[1].joined(bob) as (socket, _):
        anna.done("/confirm", {"password": PASSWORD})
        anna.done("/delete")
        while (told := socket.receive_json())["type"] != "update":
            pass  # who is online
        assert told["state"]["reason"] == "resigned"
    assert anna.account is None
    left = traces(app, own, NAME, PROGRAM, EMAIL, CHAT)
    assert left == {}
    assert set(traces(app, DELETED_NAME)) >= {"accounts", "events", "records", "tables"}
    for game in games:
        with game.joined(bob) as (_, table):
            seat = table["state"]["seats"][0]
            assert (seat["name"], seat["account"]) == (DELETED_NAME, None)
            assert table["state"]["over"]
    with games[0].joined(bob) as (_, table):
        assert [one["text"] for one in table["chat"]] == [DELETED_TEXT, "Good game."]
    assert app.browser().sign_up(NAME).account  # the name is free again
    with app.state.registry.store._engine.connect() as connection:
        rated_again = recompute(connection)  # the anonymous account keeps the ratings of others
        assert not rated_again.differences


def test_a_deletion_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    """A server that was killed after the first step ends the deletion at its next start."""
    database = str(tmp_path / "teahouse.db")
    with open_app(database) as client:
        app = InProcessApp(client)
        anna, bob = app.browser().sign_up(NAME), app.browser().sign_up("Bob Tanaka")
        table = Table(anna, bob, time_control={"kind": "realtime", "seconds": 600})
        own = id_of(anna)
        with app.state.registry.store._engine.begin() as connection:
            account = rows.get(connection, own)
            assert account is not None
            deletion._begin(connection, [account], now=0.0)
        assert anna.account is None
    with open_app(database) as client:
        app = InProcessApp(client)
        assert client.portal is not None
        while traces(app, own):
            client.portal.call(asyncio.sleep, 0.01)
        assert traces(app, NAME) == {}
        bob = app.browser().sign_in("Bob Tanaka")
        with table.joined(bob) as (_, shown):
            assert shown["state"]["reason"] == "resigned"
