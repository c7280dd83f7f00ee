"""The lobby of a real server: its socket and its requests, with what clients get wrong."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.servers import WAIT, ServerProcess
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import teahouse as th

GAME = th.games()[0]


class LobbyClient:
    """A socket of the lobby."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def receive(self, kind: str) -> dict[str, Any]:
        """Return the next message of a kind."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout=WAIT))
            if message["type"] == kind:
                return message


@contextmanager
def in_lobby(server: ServerProcess, **enter: Any) -> Iterator[LobbyClient]:
    url = f"{server.address.replace('http', 'ws')}/api/lobby/socket"
    with connect(url, compression=None, max_size=None) as socket:
        client = LobbyClient(socket)
        client.send(type="enter", protocol=2, boards=False, **enter)
        yield client


def guest(name: str) -> dict[str, str]:
    return {"key": secrets.token_urlsafe(16), "name": name}


def test_a_challenge_over_http_and_the_socket(server: ServerProcess) -> None:
    anna, ben = guest("Anna"), guest("Ben")
    with in_lobby(server, **anna) as lobby:
        assert lobby.receive("welcome")["you"] == {"name": "Anna", "account": None}
        assert lobby.receive("lobby")["protocol"] == 2
        body = {"game": GAME, "guest": anna}
        status, challenge = server.request("/api/challenges", body)
        assert status == 201
        assert lobby.receive("own_challenge")["challenge"] == challenge
        path = f"/api/challenges/{challenge['id']}"
        assert server.request(path) == (200, challenge)
        listed = server.request("/api/lobby")[1]["challenges"]
        assert challenge in listed
        status, refused = server.request(f"{path}/accept", {"guest": anna})
        assert (status, refused["code"]) == (409, "own_challenge")
        status, seat = server.request(f"{path}/accept", {"guest": ben})
        assert status == 200
        paired = lobby.receive("paired")
        assert paired["table"] == seat["table"]
        assert paired["secret"] != seat["secret"]
        status, gone = server.request(f"{path}/accept", {"guest": guest("Cleo")})
        assert (status, gone["message"]) == (409, "Somebody else accepted this challenge first.")
    with server.join(seat["table"], seat["secret"]) as player:
        assert player.receive("table")["your_seats"] == [seat["seat"]]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"game": GAME}, 422, "invalid"),  # no key
        ({"game": GAME, "guest": {"key": "short"}}, 422, "invalid"),
        ({"game": "nothing", "guest": guest("A")}, 422, "invalid"),
        ({"game": GAME, "seat": 7, "guest": guest("A")}, 422, "invalid"),
        ({"game": GAME, "rating_range": [900, 400], "guest": guest("A")}, 422, "invalid"),
        ({"game": GAME, "guest": {**guest("A"), "name": "\u202egnirts"}}, 422, "invalid"),
        (
            {"game": GAME, "bots": [{"seat": 0, "level": 1}] * 2, "guest": guest("A")},
            422,
            "invalid",
        ),
        ({"game": GAME, "rated": True, "guest": guest("A")}, 409, "not_rateable"),
        ({"game": GAME, "to": "Anna", "guest": guest("A")}, 401, "sign_in_required"),
    ],
)
def test_challenges_that_are_not_possible(
    server: ServerProcess, body: dict[str, Any], status: int, code: str
) -> None:
    answer = server.request("/api/challenges", body)
    assert (answer[0], answer[1]["code"]) == (status, code)


def test_unknown_challenges(server: ServerProcess) -> None:
    body = {"guest": guest("Anna")}
    for path in ("/api/challenges/aaaaaaaaaa/accept", "/api/challenges/aaaaaaaaaa/cancel"):
        assert server.request(path, body)[0] == 404
    assert server.request("/api/challenges/aaaaaaaaaa")[0] == 404


def test_messages_that_are_not_of_the_lobby(server: ServerProcess) -> None:
    with in_lobby(server, key=secrets.token_urlsafe(16)) as lobby:
        lobby.send(type="seek", id=1, game="nothing")
        assert lobby.receive("error")["id"] == 1
        lobby.send(type="play", id=2)
        assert lobby.receive("error")["code"] == "invalid"
        lobby.send(type="ping", id=3)
        assert lobby.receive("ack")["id"] == 3
    for first, code in (({"protocol": 1}, 4406), ({"key": "?"}, 4400)):
        url = f"{server.address.replace('http', 'ws')}/api/lobby/socket"
        with connect(url) as socket:
            socket.send(json.dumps({"type": "enter", **first}))
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    socket.recv(timeout=WAIT)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == code


def test_strangers_are_paired_once(server: ServerProcess) -> None:
    with in_lobby(server, **guest("Anna")) as anna, in_lobby(server, **guest("Ben")) as ben:
        for one in (anna, ben):
            one.send(type="seek", id=1, game=GAME, pace="none")
        seats = [one.receive("paired") for one in (anna, ben)]
        assert seats[0]["table"] == seats[1]["table"]
        assert {one["seat"] for one in seats} == {0, 1}
        table = server.request(f"/api/tables/{seats[0]['table']}")[1]
        assert table["state"]["start"]["awaiting"] == [0, 1]
        assert [one["name"] for one in table["state"]["seats"]].count("Anna") == 1
