"""The analysis board's engine: it deepens, streams its lines, and stops."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.servers import WAIT, ServerProcess, running_server
from websockets.sync.client import ClientConnection, connect

import teahouse as th


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose analyses end soon."""
    folder = tmp_path_factory.mktemp("server")
    with running_server(str(folder / "teahouse.db"), analysis_seconds=0.5) as started:
        yield started


@contextmanager
def engine(analyst: ServerProcess) -> Iterator[ClientConnection]:
    url = f"{analyst.address.replace('http', 'ws')}/api/analysis"
    with connect(url, compression=None, max_size=None) as socket:
        yield socket


def send(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def receive(socket: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(socket.recv(timeout=WAIT))
    return message


def analyse(socket: ClientConnection, position: th.Position, **more: Any) -> None:
    game = {"game": position.game.name, "options": position.game.options}
    send(socket, **{"type": "analyse", "id": 1, **game, "start": str(position), **more})


@pytest.mark.parametrize("game", th.games())
def test_lines_get_deeper(analyst: ServerProcess, game: str) -> None:
    start = th.load(game).start(1)
    with engine(analyst) as socket:
        analyse(socket, start, lines=2)
        found = [receive(socket)]
        while not found[-1]["done"]:
            found.append(receive(socket))
    assert {one["type"] for one in found} == {"analysis"}
    assert len(found) > 1
    last = found[-1]
    assert sum(last["sides"]) == pytest.approx(1)
    assert len(last["sides"]) == len(start.game.teams)
    assert len(last["lines"]) == 2
    for line in last["lines"]:
        assert line["click_path"] == list(start.click_path(line["move"]))
        position = start
        for step in line["line"]:
            assert step["player"] == position.player
            assert step["description"] == position.describe(step["move"], "imperative")
            position = position.play(step["move"])
        assert line["line"][0]["move"] == line["move"]


def test_a_new_position_replaces_the_search(analyst: ServerProcess) -> None:
    start = th.load("orochi", side=2).start()
    with engine(analyst) as socket:
        analyse(socket, start)
        analyse(socket, start, id=2, moves=["wa1"])
        ids = [receive(socket)["id"]]
        while ids[-1] != 2:
            ids.append(receive(socket)["id"])
        send(socket, type="stop", id=3)
        send(socket, type="ping", id=0)
        answers = [receive(socket)]
        while answers[-1]["type"] != "ack":
            answers.append(receive(socket))
        assert answers[-1] == {"type": "ack", "id": 0}
        analyse(socket, start, id=4)
        while receive(socket)["id"] != 4:
            pass


def test_a_proven_position(analyst: ServerProcess) -> None:
    """The search ends once the value is proven, and says in how many moves the game ends."""
    position = th.load("orochi", side=2).start()
    while len(position.legal) > 4:
        position = position.play(position.legal[0])
    with engine(analyst) as socket:
        analyse(socket, position, lines=1)
        found = receive(socket)
        while not found["done"]:
            found = receive(socket)
    assert found["settled"]
    best = found["lines"][0]
    assert best["proof"] in ("win", "loss")
    assert best["plies"] is None or best["plies"] == len(best["line"])
    assert set(found["sides"]) == {0.0, 1.0}


def test_requests_that_cannot_be_answered(analyst: ServerProcess) -> None:
    game = th.load("orochi", side=2)
    over = game.start()
    while not over.over:
        over = over.play(over.legal[0])
    with engine(analyst) as socket:
        for message, code in (
            ("[]", "invalid"),
            ('{"type": "analyse", "id": 1}', "invalid"),
            ('{"type": "dance", "id": 1}', "invalid"),
        ):
            socket.send(message)
            assert receive(socket)["code"] == code
        analyse(socket, over)
        assert receive(socket)["code"] == "game_over"
        analyse(socket, game.start(), moves=["wz9"])
        assert receive(socket)["code"] == "illegal_move"
        analyse(socket, game.start(), start="nothing")
        assert receive(socket)["code"] == "invalid"
        analyse(socket, game.start(), lines=1)
        assert receive(socket)["type"] == "analysis"


def test_no_analysis_of_a_game_between_people(analyst: ServerProcess) -> None:
    start = th.load("orochi", side=2).start()
    table, secrets = analyst.create_table(
        game="orochi", options={"side": 2}, seats=[{"kind": "remote"}, {"kind": "remote"}]
    )
    with analyst.join(table, secrets[0]) as white, engine(analyst) as socket:
        assert white.request(type="play", seat=0, ply=0, move="wd3")["type"] == "error"
        move = start.legal[2]
        assert white.request(type="play", seat=0, ply=0, move=move)["type"] == "ack"
        analyse(socket, start.play(move))
        assert receive(socket)["code"] == "fair_play"
        analyse(socket, start, moves=[move])
        assert receive(socket)["code"] == "fair_play"
        white.request(type="resign", seat=0)
        analyse(socket, start, moves=[move])
        assert receive(socket)["type"] == "analysis"
