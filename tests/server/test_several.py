"""Several processes of a server on one PostgreSQL database."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from support.accounts import Browser
from support.servers import (
    Client,
    Postgres,
    ServerProcess,
    WorkerProcess,
    new_database,
    running_server,
)
from websockets.exceptions import ConnectionClosed

import teahouse as th
from teahouse.server.web.errors import CLOSE_CODE

Pair = tuple[ServerProcess, ServerProcess]
LOCAL = [{"kind": "local"}, {"kind": "local"}]
CONTROL = {"kind": "realtime", "seconds": 600}


@pytest.fixture(scope="module")
def shared_database(postgres_server: Postgres) -> str:
    """The database of all servers."""
    return new_database(postgres_server)


@pytest.fixture(scope="module")
def pair(shared_database: str) -> Iterator[Pair]:
    """Two servers on one database; neither logs an exception."""
    with running_server(shared_database) as first, running_server(shared_database) as second:
        yield first, second


def new_game(server: ServerProcess, name: str, **body: Any) -> tuple[str, list[str], th.Position]:
    """Create a table for two; return its id, its secrets and the start of the game."""
    table, secrets = server.create_table(game=name, seed=1, **{"seats": LOCAL, **body})
    return table, secrets, th.load(name).start(1)


def moves_until(client: Client, seq: int) -> list[str]:
    """Return the moves that a client was told of, once it knows the event `seq`."""
    while not any(message.get("seq", 0) >= seq for message in client.received if _tells(message)):
        client.receive("update")
    told = (message["events"] for message in client.received if message["type"] == "update")
    return [event["move"] for events in told for event in events if event["type"] == "moved"]


def _tells(message: dict[str, Any]) -> bool:
    return message["type"] in ("table", "update")


def test_one_game_through_two_processes(pair: Pair) -> None:
    first, second = pair
    for name in th.games():
        table, secrets, position = new_game(first, name, time_control=CONTROL)
        with first.join(table, secrets[0]) as one, second.join(table, secrets[1]) as other:
            start = one.receive("table")
            assert other.receive("table")["seq"] >= start["seq"]
            for ply in range(6):
                client = (one, other)[position.player]
                move, seat = position.legal[0], position.player
                reply = client.request(type="play", seat=seat, ply=ply, move=move)
                assert reply["type"] == "ack", reply
                position = position.play(move)
                told = [moves_until(player, reply["seq"]) for player in (one, other)]
                assert told[0] == told[1]
                assert told[0][ply:] == [move]
        states = [server.request(f"/api/tables/{table}")[1]["state"] for server in pair]
        clocks = [state["clock"] for state in states]
        assert clocks[0]["running"] == clocks[1]["running"]
        for seat in range(2):
            remaining = [clock["remaining_ms"][seat] for clock in clocks]
            assert abs(remaining[0] - remaining[1]) < 1_000 or seat == clocks[0]["running"]


def test_of_two_moves_at_once_one_is_played(pair: Pair) -> None:
    first, second = pair
    rng = random.Random(1)
    table, secrets, position = new_game(first, th.games()[0])
    with (
        first.join(table, *secrets) as one,
        second.join(table, *secrets) as other,
        ThreadPoolExecutor(2) as threads,
    ):
        clients = (one, other)
        for client in clients:
            client.receive("table")
        played: list[str] = []
        while not position.over and len(played) < 20:
            attempts = [rng.choice(position.legal) for _ in clients]
            request = {"type": "play", "seat": position.player, "ply": len(played)}
            running = [
                threads.submit(client.request, move=move, **request)
                for client, move in zip(clients, attempts, strict=True)
            ]
            replies = [one.result() for one in running]
            accepted = {
                move
                for move, reply in zip(attempts, replies, strict=True)
                if reply["type"] == "ack"
            }
            codes = {reply["code"] for reply in replies if reply["type"] == "error"}
            assert len(accepted) == 1
            assert codes <= {"stale_ply", "game_over", "not_your_turn"}
            played += accepted
            position = position.play(played[-1])
            last = max(reply["seq"] for reply in replies if reply["type"] == "ack")
            assert [moves_until(client, last) for client in clients] == [played, played]


def test_a_worker_plays_for_the_bots_of_a_server(postgres_server: Postgres) -> None:
    database = new_database(postgres_server)
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    with running_server(database, run_jobs=False) as server:
        table, secrets, position = new_game(server, th.games()[0], seats=seats)
        with server.join(table, *secrets) as client:
            client.receive("table")
            first = WorkerProcess(database)
            play_first(client, position)
            position = position_after_bot(client, position)
            play_first(client, position)
            first.stop(signal.SIGKILL)  # the bot may be thinking
            second = WorkerProcess(database)
            position_after_bot(client, position)
            second.stop(signal.SIGTERM)


def play_first(client: Client, position: th.Position) -> None:
    """Play the first legal move of the person."""
    request = {"type": "play", "seat": 0, "ply": position.ply, "move": position.legal[0]}
    reply = client.request(**request)
    assert reply["type"] == "ack", reply


def position_after_bot(client: Client, position: th.Position) -> th.Position:
    """Wait until it is the person's turn again; return the position."""
    start = position.game.start(1)
    while True:
        told = (message.get("events", ()) for message in client.received)
        moves = [event["move"] for events in told for event in events if event["type"] == "moved"]
        found = start
        for move in moves:
            found = found.play(move)
        if found.ply > position.ply and found.player == 0:
            return found
        client.receive("update")


def test_signing_out_closes_the_sockets_of_all_processes(pair: Pair) -> None:
    first, second = pair
    browser = Browser(first).sign_up("Several")
    table, _, _ = new_game(first, th.games()[0])
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    with second.join(table, headers={"Cookie": cookies, "Origin": second.address}) as client:
        client.receive("table")
        browser.post("/api/account/sign-out")
        with pytest.raises(ConnectionClosed) as closed:
            client.receive("never")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CLOSE_CODE["sign_in_required"]


def test_a_process_that_stops_sends_its_players_to_another(
    pair: Pair, shared_database: str
) -> None:
    leaving = ServerProcess(shared_database)
    table, secrets, position = new_game(leaving, th.games()[0], time_control=CONTROL)
    played: list[str] = []
    with leaving.join(table, *secrets) as client:
        client.receive("table")
        leaving.process.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            while not position.over:  # every acknowledged move counts, until the very last
                move = position.legal[0]
                request = {"type": "play", "seat": position.player, "ply": len(played)}
                reply = client.request(move=move, **request)
                assert reply["type"] == "ack", reply
                played.append(move)
                position = position.play(move)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
    with pair[0].join(table, *secrets) as client:
        message = client.receive("table")
        found = [move["move"] for move in message["moves"]]
        assert found[: len(played)] == played
        assert len(found) <= len(played) + 1
        assert sum(message["state"]["clock"]["remaining_ms"]) > 1_190_000 - 60_000
    assert "Traceback" not in leaving.wait()


def test_a_game_goes_on_when_a_process_is_killed(pair: Pair, shared_database: str) -> None:
    first, second = ServerProcess(shared_database), pair[0]
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    table, secrets, position = new_game(first, th.games()[0], seats=seats, time_control=CONTROL)
    with first.join(table, *secrets) as client:
        client.receive("table")
        move = position.legal[0]
        client.send(type="play", id=1, seat=0, ply=0, move=move)
        client.receive("ack")
        first.kill()
        with suppress(ConnectionClosed):
            client.receive("never")
    with second.join(table, *secrets) as client:
        message = client.receive("table")
        assert message["moves"][0]["move"] == move
        while message["state"]["player"] != 0:
            message = client.receive("update")
        assert 500_000 < message["state"]["clock"]["remaining_ms"][0] <= 600_000
