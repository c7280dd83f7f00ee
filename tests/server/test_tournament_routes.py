"""Tournaments over HTTP and their socket, and requests that are refused."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from support.accounts import Browser
from support.servers import ServerProcess
from support.tournament_requests import new_tournament
from support.variants import variants
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import teahouse as th
from teahouse.server.ratings.pools import pool_of
from teahouse.server.tournaments.messages import NewTournamentIn
from teahouse.server.web.errors import ApiError

WAIT = 60.0


def test_the_api(server: ServerProcess) -> None:
    anna = Browser(server).sign_up("Anna Api")
    ben = Browser(server).sign_up("Ben Api")
    guest = Browser(server)
    later = time.time() + 3_600
    assert guest.request("/api/tournaments", new_tournament(starts_at=later))[0] == 401
    public = anna.post("/api/tournaments", **new_tournament(starts_at=later, name="Public"))
    closed = anna.post(
        "/api/tournaments",
        **new_tournament(starts_at=later, private=True, password="tea", name="Closed"),
    )
    assert "tea" not in json.dumps(closed)
    number, secret = public["tournament"]["id"], closed["tournament"]["id"]
    lists = guest.request("/api/tournaments")[1]
    names = [one["name"] for one in lists["open"]]
    assert "Public" in names
    assert "Closed" not in names
    assert lists["mine"] == []
    own = anna.request("/api/tournaments")[1]["mine"]
    assert {one["name"] for one in own} == {"Public", "Closed"}
    assert guest.request(f"/api/tournaments/{secret}")[1]["tournament"]["password"] is True
    for given in ({}, {"password": "coffee"}):
        status, error = ben.request(f"/api/tournaments/{secret}/join", given)
        assert (status, error["code"]) == (403, "wrong_password")
    joined = ben.post(f"/api/tournaments/{secret}/join", password="tea")
    assert [line["name"] for line in joined["standings"]] == ["Ben Api"]
    assert guest.request(f"/api/tournaments/{number}/join", {})[0] == 401
    assert ben.request(f"/api/tournaments/{number}/cancel", {})[0] == 403
    cancelled = anna.post(f"/api/tournaments/{number}/cancel")
    assert cancelled["state"]["message"] == "Its creator cancelled the tournament."
    assert ben.request(f"/api/tournaments/{number}/join", {})[1]["code"] == "tournament_closed"
    assert guest.request("/api/tournaments/0000000000")[0] == 404
    assert guest.request(f"/api/tournaments/{secret}/rounds/1")[0] == 404
    assert guest.request(f"/tournaments/{secret}")[0] == 200
    assert 'content="noindex"' in guest.request(f"/tournaments/{secret}")[1]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"name": "\u202eCup"}, "direction-changing"),
        ({"starts_at": 1.0}, "in the past"),
        ({"starts_at": 9e9}, "within 60 days"),
        ({"starts_with": 4}, "Choose when it starts"),
        ({"starts_at": None}, "Choose when it starts"),
        ({"starts_at": None, "starts_with": 9, "max_players": 8}, "at most 8 may join"),
        ({"format": {"kind": "round_robin"}, "max_players": 21}, "at most 20 players"),
        (
            {
                "format": {"kind": "arena", "minutes": 9},
                "time_control": {"kind": "correspondence", "days": 1},
            },
            "at most 30 minutes",
        ),
        ({"format": {"kind": "knockout"}}, "kind"),
        ({"bots": {"level": 1, "players": 9}, "max_players": 8}, "at most 8 may play"),
        ({"options": {"nonsense": 1}}, "nknown option"),
        ({"surprise": 1}, "urprise"),
    ],
)
def test_bad_tournaments_are_rejected(more: dict[str, Any], message: str) -> None:
    try:
        NewTournamentIn.model_validate(new_tournament(**more)).rules(time.time())
    except (ApiError, ValueError) as error:
        assert message in str(error)
    else:
        pytest.fail("accepted")


def test_rated_tournaments_need_a_game_with_ratings() -> None:
    for name in th.games():
        for game in variants(name):
            body = new_tournament(game=name, options=game.options, rated=True)
            if len(game.players) != 2 or pool_of(game) is not None:
                continue
            with pytest.raises(ApiError, match="no ratings with these options"):
                NewTournamentIn.model_validate(body).rules(time.time())


def test_tournaments_are_for_two_sides() -> None:
    modes = [
        (name, game.options)
        for name in th.games()
        for game in variants(name)
        if len(game.players) > 2
    ]
    assert modes
    for name, options in modes:
        body = new_tournament(game=name, options=options)
        with pytest.raises(ApiError, match="Tournaments are for two sides"):
            NewTournamentIn.model_validate(body).rules(time.time())


def test_the_socket(server: ServerProcess) -> None:
    anna = Browser(server).sign_up("Anna Socket")
    created = anna.post("/api/tournaments", **new_tournament(starts_at=time.time() + 3_600))
    number = created["tournament"]["id"]
    address = f"{server.address.replace('http', 'ws')}/api/tournaments"
    with connect(f"{address}/{number}/socket") as socket:
        first = json.loads(socket.recv(timeout=WAIT))
        assert (first["type"], first["standings"]) == ("tournament", [])
        socket.send('{"type": "ping", "id": 7}')
        assert json.loads(socket.recv(timeout=WAIT)) == {"type": "ack", "id": 7}
        for nonsense in ("{", '{"type": "join"}', "[" * 3_000):
            socket.send(nonsense)
            assert json.loads(socket.recv(timeout=WAIT))["code"] == "invalid"
        anna.post(f"/api/tournaments/{number}/join")
        joined = json.loads(socket.recv(timeout=WAIT))
        assert [line["name"] for line in joined["standings"]] == ["Anna Socket"]
        assert joined["seq"] == first["seq"] + 1
    for unknown in ("0000000000", "..", "x" * 99):
        with (
            connect(f"{address}/{unknown}/socket") as socket,
            pytest.raises(ConnectionClosed) as end,
        ):
            assert json.loads(socket.recv(timeout=WAIT))["code"] == "not_found"
            socket.recv(timeout=WAIT)
        assert end.value.rcvd is not None
        assert end.value.rcvd.code == 4404
