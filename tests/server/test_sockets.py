"""A running house, through its sockets, as pages and ruffians use it."""

from __future__ import annotations

import json
import os
import signal
import socket as sockets
from pathlib import Path
from typing import Any

import pytest
from support.servers import HouseProcess, Player, house
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

import teahouse as th

LINKS = [{"kind": "link"}, {"kind": "link"}]
SMALL: dict[str, Any] = {"game": "orochi", "options": {"side": 2}, "seats": LINKS}


@pytest.fixture
def pair(running: HouseProcess) -> Any:
    """A table and a player on each seat."""
    table, secrets = running.open_table(**SMALL)
    with running.join(table, secrets[0]) as white, running.join(table, secrets[1]) as black:
        white.hear("table")
        black.hear("table")
        yield table, secrets, white, black


def play(player: Player, seat: int, ply: int, move: str) -> dict[str, Any]:
    return player.ask(type="play", seat=seat, ply=ply, move=move)


def hear_event(player: Player, kind: str) -> dict[str, Any]:
    """The next event of a kind that a player hears of."""
    while True:
        for event in player.hear("update")["events"]:
            if event["type"] == kind:
                return dict(event)


def test_a_move_is_told_to_both_and_shown(running: HouseProcess) -> None:
    table, secrets = running.open_table(**SMALL)
    with running.join(table, secrets[0]) as white, running.join(table, views=True) as watcher:
        assert white.hear("table")["yours"] == [0]
        seen = watcher.hear("table")
        assert seen["yours"] == []
        assert seen["view"]["svg"].startswith("<svg")
        assert [one["move"] for one in seen["view"]["legal"]] == list(
            th.load("orochi", side=2).start().legal
        )
        assert play(white, 0, 0, "wa1")["type"] == "done"
        event = hear_event(watcher, "moved")
        assert (event["seat"], event["ply"], event["move"]) == (0, 0, "wa1")
        assert event["says"] == th.load("orochi", side=2).start().describe("wa1")
        view = watcher.hear("view")["view"]
        assert (view["ply"], view["last"]["move"], view["player"]) == (1, "wa1", 1)
        assert not any(message["type"] == "view" for message in white.heard)
        assert secrets[0] not in json.dumps(watcher.heard)
        status, first = running.request(f"/api/tables/{table}/plies/0")
        assert (status, first["ply"], first["last"]) == (200, 0, None)


def test_repeated_late_and_foreign_moves_change_nothing(pair: Any) -> None:
    _, _, white, black = pair
    done = play(white, 0, 0, "wa1")
    assert play(white, 0, 0, "wa1") == {**done, "id": 2, "repeated": True}
    for player, seat, ply, move, code in (
        (white, 0, 0, "wa2", "late"),
        (white, 0, 1, "wa2", "turn"),
        (white, 1, 1, "wa2", "seat"),
        (black, 1, 2, "wa2", "late"),
        (black, 1, 1, "wa1", "illegal"),
        (black, 1, 1, "xyzzy", "illegal"),
        (black, 7, 1, "wa2", "seat"),
    ):
        refused = play(player, seat, ply, move)
        assert (refused["type"], refused["code"]) == ("refused", code)
        assert refused["why"]
    assert "wa2" in refused["allowed"] or refused["code"] == "seat"
    assert play(black, 1, 1, "wa2")["number"] == done["number"] + 1


def test_two_tabs_of_one_seat_and_two_moves_at_once(running: HouseProcess) -> None:
    table, secrets = running.open_table(**SMALL)
    with running.join(table, secrets[0]) as one, running.join(table, secrets[0]) as other:
        one.send(type="play", id=1, seat=0, ply=0, move="wa1")
        other.send(type="play", id=1, seat=0, ply=0, move="wa2")
        answers = [player.hear("done", "refused") for player in (one, other)]
        assert sorted(answer["type"] for answer in answers) == ["done", "refused"]
        assert {answer.get("code") for answer in answers} == {None, "late"}
        told = [
            event["move"]
            for player in (one, other)
            for message in player.heard
            for event in message.get("events", ())
            if event["type"] == "moved"
        ]
        assert len(set(told)) == 1


def test_nothing_is_missed_after_a_lost_connection(pair: Any, running: HouseProcess) -> None:
    table, secrets, white, black = pair
    number = play(white, 0, 0, "wa1")["number"]
    white.socket.socket.shutdown(sockets.SHUT_RDWR)
    play(black, 1, 1, "wa2")
    black.ask(type="say", seat=1, text="<b>Where are you?</b>")
    play(black, 1, 2, "bb1")
    with running.join(table, secrets[0], seen=number, views=True) as again:
        update = again.hear("table", "update")
        assert update["type"] == "update"
        told = [event for event in update["events"] if event["number"] > number]
        assert [event["number"] for event in told] == list(range(number + 1, number + 4))
        assert [event["type"] for event in told] == ["moved", "said", "moved"]
        assert told[1]["text"] == "<b>Where are you?</b>"
        assert again.hear("view")["number"] == update["number"]
        with running.join(table, secrets[0], seen=10**6) as confused:
            assert confused.hear("table", "update")["type"] == "table"


def test_offers_and_a_rematch_with_sides_changed(pair: Any, running: HouseProcess) -> None:
    table, secrets, white, black = pair
    play(white, 0, 0, "wa1")
    assert white.ask(type="ask", seat=0, offer="takeback")["type"] == "done"
    assert hear_event(black, "offered")["ply"] == 0
    assert black.ask(type="answer", seat=1, offer="takeback", yes=True)["type"] == "done"
    assert hear_event(white, "taken_back")["ply"] == 0
    assert white.ask(type="ask", seat=0, offer="draw")["type"] == "done"
    assert black.ask(type="answer", seat=1, offer="draw", yes=False)["type"] == "done"
    assert white.ask(type="ask", seat=0, offer="draw")["code"] == "offer"
    assert white.ask(type="ask", seat=0, offer="rematch")["code"] == "offer"
    assert white.ask(type="resign", seat=0)["type"] == "done"
    assert hear_event(black, "ended")["result"] == "Black"
    assert play(white, 0, 0, "wa1")["code"] == "over"
    assert white.ask(type="ask", seat=0, offer="rematch")["type"] == "done"
    assert black.ask(type="ask", seat=1, offer="rematch")["type"] == "done"
    following = hear_event(white, "rematch")["table"]
    for secret, seat in ((secrets[0], 1), (secrets[1], 0)):
        with running.join(following, secret) as player:
            assert player.hear("table")["yours"] == [seat]
    text = running.request(f"/api/tables/{table}/record")[1]
    assert th.Record.parse(text).result == "Black"
    asked = {
        "tables": [{"id": table, "secrets": secrets[:1]}, {"id": following, "secrets": secrets}]
    }
    old, new = running.request("/api/status", asked)[1]["tables"]
    assert (old["over"], old["waits"], old["rematch"]) == (True, False, following)
    assert (new["yours"], new["waits"], new["player"]) == ([0, 1], True, 0)


def test_a_whole_game_against_a_bot_which_crashes(running: HouseProcess) -> None:
    seats = [{"kind": "here", "name": "Anna"}, {"kind": "bot", "level": 1}]
    table, secrets = running.open_table(game="orochi", options={"side": 2}, seats=seats)
    kills = 0
    with running.join(table, *secrets) as player:
        state = player.hear("table")["state"]
        position = th.load("orochi", side=2).start()
        while not state["over"]:
            if state["player"] == 0 and state["ply"] == position.ply:
                player.send(type="play", id=0, seat=0, ply=state["ply"], move=position.legal[0])
                kills += kill_workers(running)
            update = player.hear("update")
            state = update["state"]
            for event in update["events"]:
                if event["type"] == "moved":
                    position = position.play(event["move"])
        assert position.over
        assert kills > 0
        hint = player.ask(type="hint", seat=0, ply=0)
        assert hint["code"] == "over"


def kill_workers(running: HouseProcess) -> int:
    """Kill every process that works for a house."""
    process = running.process.pid
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)
    return len(children)


def test_a_hint_is_told_to_all_and_explained_to_one(pair: Any) -> None:
    _, _, white, black = pair
    hint = white.ask(type="hint", seat=0, ply=0)
    assert hint["type"] == "hint"
    start = th.load("orochi", side=2).start()
    assert hint["best"] in start.legal
    assert hint["says"] == start.describe(hint["best"])
    assert 0 <= hint["value"] <= 1
    assert hear_event(black, "hinted")["seat"] == 0
    assert black.ask(type="hint", seat=1, ply=0)["code"] == "turn"


GARBAGE = [
    "",
    "null",
    "[]",
    "{",
    "{}",
    '"join"',
    '{"type": "join", "secrets": "x"}',
    '{"type": "join", "secrets": [], "admin": true}',
    '{"type": "join", "seen": -1}',
    '{"type": "play", "id": 1, "seat": 0, "ply": 0, "move": "wa1"}',
    "[" * 4000,
    '{"a":' * 600,
    "\ud83d" + "é" * 100,
]


@pytest.mark.parametrize("text", GARBAGE)
def test_garbage_first(running: HouseProcess, text: str) -> None:
    table, _ = running.open_table(**SMALL)
    url = f"{running.address.replace('http', 'ws')}/api/tables/{table}/socket"
    with connect(url) as socket:
        socket.send(text.encode("utf-8", "replace").decode())
        assert json.loads(socket.recv(timeout=10))["code"] == "invalid"
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=10)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4400


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("nonsense", "invalid"),
        ('{"type": "play", "id": 9, "seat": "0", "ply": 0, "move": "wa1"}', "invalid"),
        ('{"type": "play", "id": 9, "seat": 0, "ply": 0, "move": "wa1", "x": 1}', "invalid"),
        ('{"type": "say", "id": 9, "seat": 0, "text": "   "}', "invalid"),
        ('{"type": "say", "id": 9, "seat": 0, "text": "\\u0000"}', "invalid"),
        ('{"type": "say", "id": 9, "seat": 0, "text": "' + "x" * 501 + '"}', "invalid"),
        ('{"type": "name", "id": 9, "seat": 0, "name": "\\u202eannA"}', "invalid"),
        ('{"type": "answer", "id": 9, "seat": 0, "offer": "draw", "yes": true}', "offer"),
        ('{"type": "ask", "id": 9, "seat": 0, "offer": "takeback"}', "offer"),
        ('{"type": "ask", "id": 9, "seat": 0, "offer": "queen"}', "invalid"),
        ('{"type": "dance", "id": 9, "seat": 0}', "invalid"),
        ('{"type": "say", "id": 9, "seat": 1, "text": "hello"}', "seat"),
    ],
)
def test_garbage_later_changes_nothing(running: HouseProcess, message: str, code: str) -> None:
    table, secrets = running.open_table(**SMALL)
    with running.join(table, secrets[0]) as white:
        number = white.hear("table")["number"]
        white.socket.send(message)
        refused = white.hear("refused")
        assert refused["code"] == code
        assert refused["id"] == (9 if message[0] == "{" else None)
        assert white.ask(type="ping")["number"] == number


def test_large_messages_wrong_secrets_and_unknown_tables(running: HouseProcess) -> None:
    table, secrets = running.open_table(**SMALL)
    with running.join(table, secrets[0]) as white:
        white.hear("table")
        white.socket.send("x" * 100_000)
        assert close_code(white) in (1009, 4413)
    for where, secret, code in (
        (table, "A" * 22, 4403),
        ("aaaaaaaaaa", secrets[0], 4404),
        ("UNKNOWNTAB", secrets[0], 4404),
        (table, secrets[0][:-1], 4400),
    ):
        with running.join(where, secret) as stranger:
            assert close_code(stranger) == code


def close_code(player: Player) -> int:
    """What a socket is closed with."""
    with pytest.raises(ConnectionClosed) as closed:
        player.hear("nothing")
    assert closed.value.rcvd is not None
    return int(closed.value.rcvd.code)


def test_only_the_houses_own_pages_open_sockets(running: HouseProcess) -> None:
    table, _ = running.open_table(**SMALL)
    url = f"{running.address.replace('http', 'ws')}/api/tables/{table}/socket"
    with (
        pytest.raises(InvalidStatus),
        connect(url, origin=Origin("http://evil.example")),
    ):
        pass
    with connect(url, origin=Origin(running.address)):
        pass


def test_limits(tmp_path: Path) -> None:
    limits = {"max_tables": 1, "max_watching": 1, "max_sockets": 2, "message_rate": 10.0}
    with house(str(tmp_path / "house.db"), **limits) as small:
        table, secrets = small.open_table(**SMALL)
        status, refused = small.request("/api/tables", SMALL)
        assert (status, refused["code"]) == (429, "limit")
        with small.join(table, secrets[0]) as white, small.join(table) as watcher:
            watcher.hear("table")
            with small.join(table) as third:
                assert close_code(third) == 4429
            watcher.close()
            for number in range(40):
                white.send(type="ping", id=number)
            assert white.hear("refused")["code"] == "fast"
