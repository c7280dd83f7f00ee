"""A running server through its sockets, with well-behaved clients and others."""

from __future__ import annotations

import json
import os
import signal
import socket as sockets
from pathlib import Path
from typing import Any

import pytest
from support.servers import WAIT, Client, ServerProcess, running_server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

import teahouse as th

REMOTE = [{"kind": "remote"}, {"kind": "remote"}]
SMALL: dict[str, Any] = {"game": "orochi", "options": {"side": 2}, "seats": REMOTE}


@pytest.fixture
def pair(server: ServerProcess) -> Any:
    """A table with a client on each seat."""
    table, secrets = server.create_table(**SMALL)
    with server.join(table, secrets[0]) as white, server.join(table, secrets[1]) as black:
        white.receive("table")
        black.receive("table")
        yield table, secrets, white, black


def play(client: Client, seat: int, ply: int, move: str) -> dict[str, Any]:
    return client.request(type="play", seat=seat, ply=ply, move=move)


def receive_event(client: Client, type_: str) -> dict[str, Any]:
    """Return the next event of a type."""
    while True:
        for event in client.receive("update")["events"]:
            if event["type"] == type_:
                return dict(event)


def test_a_move_is_broadcast_with_a_snapshot(server: ServerProcess) -> None:
    table, secrets = server.create_table(**SMALL)
    with server.join(table, secrets[0]) as white, server.join(table, snapshots=True) as spectator:
        assert white.receive("table")["your_seats"] == [0]
        table_message = spectator.receive("table")
        assert table_message["your_seats"] == []
        assert table_message["snapshot"]["svg"].startswith("<svg")
        assert [one["move"] for one in table_message["snapshot"]["legal"]] == list(
            th.load("orochi", side=2).start().legal
        )
        assert play(white, 0, 0, "wa1")["type"] == "ack"
        event = receive_event(spectator, "moved")
        assert (event["seat"], event["ply"], event["move"]) == (0, 0, "wa1")
        assert event["description"] == th.load("orochi", side=2).start().describe("wa1")
        snapshot = spectator.receive("snapshot")["snapshot"]
        assert (snapshot["ply"], snapshot["last"]["move"], snapshot["player"]) == (1, "wa1", 1)
        assert not any(message["type"] == "snapshot" for message in white.received)
        assert secrets[0] not in json.dumps(spectator.received)
        status, first = server.request(f"/api/tables/{table}/plies/0")
        assert (status, first["ply"], first["last"]) == (200, 0, None)


def test_duplicate_stale_and_foreign_moves_change_nothing(pair: Any) -> None:
    _, _, white, black = pair
    done = play(white, 0, 0, "wa1")
    assert play(white, 0, 0, "wa1") == {**done, "id": 2, "duplicate": True}
    for client, seat, ply, move, code in (
        (white, 0, 0, "wa2", "stale_ply"),
        (white, 0, 1, "wa2", "not_your_turn"),
        (white, 1, 1, "wa2", "not_your_seat"),
        (black, 1, 2, "wa2", "stale_ply"),
        (black, 1, 1, "wa1", "illegal_move"),
        (black, 1, 1, "xyzzy", "illegal_move"),
        (black, 7, 1, "wa2", "not_your_seat"),
    ):
        error = play(client, seat, ply, move)
        assert (error["type"], error["code"]) == ("error", code)
        assert error["message"]
    assert "wa2" in error["allowed"] or error["code"] == "not_your_seat"
    assert play(black, 1, 1, "wa2")["seq"] == done["seq"] + 1


def test_two_tabs_of_one_seat_and_two_moves_at_once(server: ServerProcess) -> None:
    table, secrets = server.create_table(**SMALL)
    with server.join(table, secrets[0]) as one, server.join(table, secrets[0]) as other:
        one.send(type="play", id=1, seat=0, ply=0, move="wa1")
        other.send(type="play", id=1, seat=0, ply=0, move="wa2")
        replies = [client.receive("ack", "error") for client in (one, other)]
        assert sorted(reply["type"] for reply in replies) == ["ack", "error"]
        assert {reply.get("code") for reply in replies} == {None, "stale_ply"}
        events = [
            event["move"]
            for client in (one, other)
            for message in client.received
            for event in message.get("events", ())
            if event["type"] == "moved"
        ]
        assert len(set(events)) == 1


def test_nothing_is_missed_after_a_lost_connection(pair: Any, server: ServerProcess) -> None:
    table, secrets, white, black = pair
    seq = play(white, 0, 0, "wa1")["seq"]
    white.socket.socket.shutdown(sockets.SHUT_RDWR)
    play(black, 1, 1, "wa2")
    black.request(type="chat", seat=1, text="<b>Where are you?</b>")
    play(black, 1, 2, "bb1")
    with server.join(table, secrets[0], after=seq, snapshots=True) as again:
        update = again.receive("table", "update")
        assert update["type"] == "update"
        assert update["your_seats"] == [0]
        events = [event for event in update["events"] if event["seq"] > seq]
        assert [event["seq"] for event in events] == list(range(seq + 1, seq + 4))
        assert [event["type"] for event in events] == ["moved", "chatted", "moved"]
        assert events[1]["text"] == "<b>Where are you?</b>"
        assert again.receive("snapshot")["seq"] == update["seq"]
        with server.join(table, secrets[0], after=10**6) as confused:
            assert confused.receive("table", "update")["type"] == "table"
    with server.join(table, after=seq) as spectator:
        assert spectator.receive("table", "update")["your_seats"] == []


def test_offers_and_a_rematch_with_sides_changed(pair: Any, server: ServerProcess) -> None:
    table, secrets, white, black = pair
    play(white, 0, 0, "wa1")
    assert white.request(type="offer", seat=0, offer="takeback")["type"] == "ack"
    assert receive_event(black, "offered")["ply"] == 0
    assert black.request(type="respond", seat=1, offer="takeback", accept=True)["type"] == "ack"
    assert receive_event(white, "took_back")["ply"] == 0
    assert white.request(type="offer", seat=0, offer="draw")["type"] == "ack"
    assert black.request(type="respond", seat=1, offer="draw", accept=False)["type"] == "ack"
    assert white.request(type="offer", seat=0, offer="draw")["code"] == "invalid_offer"
    assert white.request(type="offer", seat=0, offer="rematch")["code"] == "invalid_offer"
    assert white.request(type="resign", seat=0)["type"] == "ack"
    update = black.receive("update")
    while update["events"][0]["type"] != "ended":
        update = black.receive("update")
    assert (update["state"]["result"], update["state"]["reason"]) == ("Black", "resigned")
    assert update["state"]["result_text"] == "White resigned. Black wins."
    assert play(white, 0, 0, "wa1")["code"] == "game_over"
    assert white.request(type="offer", seat=0, offer="rematch")["type"] == "ack"
    assert black.request(type="offer", seat=1, offer="rematch")["type"] == "ack"
    following = receive_event(white, "rematched")["table"]
    for secret, seat in ((secrets[0], 1), (secrets[1], 0)):
        with server.join(following, secret) as client:
            assert client.receive("table")["your_seats"] == [seat]
    text = server.request(f"/api/tables/{table}/record")[1]
    assert th.Record.parse(text).result == "Black"
    body = {
        "tables": [{"id": table, "secrets": secrets[:1]}, {"id": following, "secrets": secrets}]
    }
    old, new = server.request("/api/status", body)[1]["tables"]
    assert (old["over"], old["your_turn"], old["rematch"]) == (True, False, following)
    assert (new["your_seats"], new["your_turn"], new["player"]) == ([0, 1], True, 0)


def test_a_rematch_of_three_without_who_declines(server: ServerProcess) -> None:
    seats = [{"kind": "remote"}] * 3
    table, secrets = server.create_table(game="fillit", options={"mode": "3"}, seats=seats)
    with (
        server.join(table, secrets[0]) as red,
        server.join(table, secrets[1]) as yellow,
        server.join(table, secrets[2]) as blue,
    ):
        for seat, client in enumerate((red, yellow, blue)):
            assert client.request(type="resign", seat=seat)["type"] == "ack"
        assert red.request(type="offer", seat=0, offer="rematch")["type"] == "ack"
        receive_event(yellow, "offered")
        answer = {"type": "respond", "offer": "rematch"}
        assert blue.request(seat=2, accept=False, **answer)["type"] == "ack"
        assert yellow.request(seat=1, accept=True, **answer)["type"] == "ack"
        rematched = receive_event(blue, "rematched")
    assert rematched["without"] == [2]
    following = rematched["table"]
    state = server.request(f"/api/tables/{following}")[1]["state"]
    assert [seat["kind"] for seat in state["seats"]] == ["bot", "remote", "remote"]
    for secret, seat in ((secrets[0], 1), (secrets[1], 2)):
        with server.join(following, secret) as client:
            assert client.receive("table")["your_seats"] == [seat]
    with server.join(following, secrets[2]) as client:
        assert client.receive("error")["code"] == "invalid_secret"


def test_a_game_against_a_bot_whose_worker_crashes(server: ServerProcess) -> None:
    seats = [{"kind": "local", "name": "Anna"}, {"kind": "bot", "level": 1}]
    table, secrets = server.create_table(game="orochi", options={"side": 2}, seats=seats)
    kills = 0
    with server.join(table, *secrets) as client:
        state = client.receive("table")["state"]
        position = th.load("orochi", side=2).start()
        while not state["over"]:
            if state["player"] == 0 and state["ply"] == position.ply:
                client.send(type="play", id=0, seat=0, ply=state["ply"], move=position.legal[0])
                kills += kill_workers(server)
            update = client.receive("update")
            state = update["state"]
            for event in update["events"]:
                if event["type"] == "moved":
                    position = position.play(event["move"])
        assert position.over
        assert kills > 0
        hint = client.request(type="hint", seat=0, ply=0)
        assert hint["code"] == "game_over"


def kill_workers(server: ServerProcess) -> int:
    """Kill every worker process of a server."""
    process = server.process.pid
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    return len(children)


def test_a_hint_goes_to_one_and_is_announced_to_all(server: ServerProcess) -> None:
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    table, secrets = server.create_table(**{**SMALL, "seats": seats})
    with server.join(table, secrets[0]) as white, server.join(table) as spectator:
        assert spectator.receive("table")["state"]["help_allowed"]
        hint = white.request(type="hint", seat=0, ply=0)
        assert hint["type"] == "hint"
        start = th.load("orochi", side=2).start()
        assert hint["best"] in start.legal
        assert hint["description"] == start.describe(hint["best"], "imperative")
        assert 0 <= hint["value"] <= 1
        assert receive_event(spectator, "hint_used")["seat"] == 0
        tried = spectator.request(type="hint", ply=0, moves=["bb2"])  # played at no other table
        assert tried.get("best") in start.play("bb2").legal, tried
        assert receive_event(white, "hint_used")["seat"] is None
        assert spectator.request(type="hint", ply=0, moves=["bb2", "wb2"])["code"] == "illegal_move"
        assert spectator.request(type="hint", ply=1)["code"] == "stale_ply"
        assert spectator.request(type="hint", seat=0, ply=0)["code"] == "not_your_seat"


INVALID_JOINS = [
    "",
    "null",
    "[]",
    "{",
    "{}",
    '"join"',
    '{"type": "join", "secrets": "x"}',
    '{"type": "join", "secrets": [], "admin": true}',
    '{"type": "join", "after": -1}',
    '{"type": "play", "id": 1, "seat": 0, "ply": 0, "move": "wa1"}',
    "[" * 4000,
    '{"a":' * 600,
    "\ud83d" + "é" * 100,
]


@pytest.mark.parametrize("text", INVALID_JOINS)
def test_invalid_join(server: ServerProcess, text: str) -> None:
    table, _ = server.create_table(**SMALL)
    url = f"{server.address.replace('http', 'ws')}/api/tables/{table}/socket"
    with connect(url) as socket:
        socket.send(text.encode("utf-8", "replace").decode())
        assert json.loads(socket.recv(timeout=WAIT))["code"] == "invalid"
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=WAIT)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4400


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("nonsense", "invalid"),
        ('{"type": "play", "id": 9, "seat": "0", "ply": 0, "move": "wa1"}', "invalid"),
        ('{"type": "play", "id": 9, "seat": 0, "ply": 0, "move": "wa1", "x": 1}', "invalid"),
        ('{"type": "chat", "id": 9, "seat": 0, "text": "   "}', "invalid"),
        ('{"type": "chat", "id": 9, "seat": 0, "text": "\\u0000"}', "invalid"),
        ('{"type": "chat", "id": 9, "seat": 0, "text": "' + "x" * 501 + '"}', "invalid"),
        ('{"type": "rename", "id": 9, "seat": 0, "name": "\\u202eannA"}', "invalid"),
        (
            '{"type": "respond", "id": 9, "seat": 0, "offer": "draw", "accept": true}',
            "invalid_offer",
        ),
        ('{"type": "offer", "id": 9, "seat": 0, "offer": "takeback"}', "invalid_offer"),
        ('{"type": "offer", "id": 9, "seat": 0, "offer": "queen"}', "invalid"),
        ('{"type": "dance", "id": 9, "seat": 0}', "invalid"),
        ('{"type": "chat", "id": 9, "seat": 1, "text": "hello"}', "not_your_seat"),
    ],
)
def test_invalid_messages_change_nothing(server: ServerProcess, message: str, code: str) -> None:
    table, secrets = server.create_table(**SMALL)
    with server.join(table, secrets[0]) as white:
        seq = white.receive("table")["seq"]
        white.socket.send(message)
        error = white.receive("error")
        assert error["code"] == code
        assert error["id"] == (9 if message[0] == "{" else None)
        assert white.request(type="ping")["seq"] == seq


def test_large_messages_wrong_secrets_and_unknown_tables(server: ServerProcess) -> None:
    table, secrets = server.create_table(**SMALL)
    with server.join(table, secrets[0]) as white:
        white.receive("table")
        white.socket.send("x" * 100_000)
        assert close_code(white) in (1009, 4413)
    for where, secret, code in (
        (table, "A" * 22, 4403),
        ("aaaaaaaaaa", secrets[0], 4404),
        ("UNKNOWNTAB", secrets[0], 4404),
        (table, secrets[0][:-1], 4400),
    ):
        with server.join(where, secret) as stranger:
            assert close_code(stranger) == code


@pytest.mark.parametrize(
    "join",
    [
        {"type": "join", "protocol": 1},
        {"type": "join", "secrets": [], "seen": 0},  # as pages of 0.1.0 send it
        {"type": "join", "protocol": 3, "unheard": "of"},
    ],
)
def test_another_protocol_is_rejected(server: ServerProcess, join: dict[str, Any]) -> None:
    table, _ = server.create_table(**SMALL)
    url = f"{server.address.replace('http', 'ws')}/api/tables/{table}/socket"
    with connect(url) as socket:
        socket.send(json.dumps(join))
        error = json.loads(socket.recv(timeout=WAIT))
        assert (error["code"], error["allowed"]) == ("unsupported_protocol", ["2"])
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=WAIT)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4406


def close_code(client: Client) -> int:
    """Return the code a socket is closed with."""
    with pytest.raises(ConnectionClosed) as closed:
        client.receive("nothing")
    assert closed.value.rcvd is not None
    return int(closed.value.rcvd.code)


def test_foreign_pages_cannot_open_sockets(server: ServerProcess) -> None:
    table, _ = server.create_table(**SMALL)
    url = f"{server.address.replace('http', 'ws')}/api/tables/{table}/socket"
    with (
        pytest.raises(InvalidStatus),
        connect(url, origin=Origin("http://evil.example")),
    ):
        pass
    with connect(url, origin=Origin(server.address)):
        pass


def test_limits(tmp_path: Path) -> None:
    limits = {"max_tables": 1, "max_spectators": 1, "max_connections": 2, "message_rate": 10.0}
    with running_server(str(tmp_path / "teahouse.db"), **limits) as small:
        table, secrets = small.create_table(**SMALL)
        status, error = small.request("/api/tables", SMALL)
        assert (status, error["code"]) == (429, "at_capacity")
        with small.join(table, secrets[0]) as white, small.join(table) as spectator:
            spectator.receive("table")
            with small.join(table) as third:
                assert close_code(third) == 4429
            spectator.close()
            for number in range(40):
                white.send(type="ping", id=number)
            assert white.receive("error")["code"] == "rate_limited"


def test_time_runs_out_without_anybody_at_the_table(
    server: ServerProcess, clock_spectator: Client
) -> None:
    table = clock_spectator.receive("table")["table"]["id"]
    ended = clock_spectator.receive("update")["events"][0]
    assert (ended["type"], ended["result"], ended["reason"]) == ("ended", "Black", "timeout")
    row = server.request("/api/status", {"tables": [{"id": table}]})[1]["tables"][0]
    assert (row["over"], row["result"], row["reason"]) == (True, "Black", "timeout")
