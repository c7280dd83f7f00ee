"""Conditional moves on a server: private, checked, played once, also after a kill."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.accounts import Browser
from support.servers import Client, ServerProcess, running_server

import teahouse as th

NAME = th.games()[0]
GAME = th.load(NAME)


def create(server: ServerProcess, **more: Any) -> tuple[str, list[str]]:
    control = {"kind": "correspondence", "days": 3}
    seats = [{"kind": "remote"} for _ in GAME.players]
    return server.create_table(
        **{"game": NAME, "seed": 1, "seats": seats, "time_control": control, **more}
    )


def planned_line(turns: int = 1) -> tuple[list[str], int, list[int]]:
    """Return a line from the start, the seat that answers, and who plays its moves."""
    position = GAME.start(1)
    seat = (position.player + 1) % len(GAME.players)
    moves: list[str] = []
    players: list[int] = []
    answers = 0
    while answers < turns:
        players.append(position.player)
        moves.append(position.legal[len(moves) % len(position.legal)])
        position = position.play(moves[-1])
        answers += players[-1] == seat and position.player != seat
    return moves, seat, players


def set_plan(server: ServerProcess, table: str, secret: str, seat: int, **body: Any) -> Any:
    given = {"seat": seat, "secrets": [secret], **body}
    return server.request(f"/api/tables/{table}/conditional", given)


def played(server: ServerProcess, table: str) -> list[str]:
    return [move["move"] for move in server.request(f"/api/tables/{table}")[1]["moves"]]


def wait_for_moves(server: ServerProcess, table: str, count: int) -> list[str]:
    """Return the moves once there are enough of them."""
    deadline = time.monotonic() + 60
    while len(found := played(server, table)) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def play(client: Client, ply: int, seat: int, move: str) -> None:
    reply = client.request(type="play", seat=seat, ply=ply, move=move)
    assert reply["type"] == "ack", reply


def test_answers_are_played_for_their_owner_only(server: ServerProcess) -> None:
    moves, seat, players = planned_line(turns=2)
    table, secrets = create(server)
    others = [secret for number, secret in enumerate(secrets) if number != seat]
    status, answer = set_plan(server, table, secrets[seat], seat, ply=0, lines=[moves])
    assert (status, answer["lines"], answer["played"]) == (200, [moves], [])
    assert answer["players"] == [players]
    for given in (others, []):
        body = {"seat": seat, "secrets": given}
        status, refused = server.request(f"/api/tables/{table}/conditional", body)
        assert (status, refused["code"]) == (409, "not_your_seat")
    with server.join(table, *others) as client, server.join(table, secrets[seat]) as owner:
        client.receive("table")
        owner.receive("table")
        for ply, (move, player) in enumerate(zip(moves, players, strict=True)):
            if player != seat:
                play(client, ply, player, move)
            else:
                while len(played(server, table)) <= ply:  # before the other one goes on
                    owner.receive("update")
    assert played(server, table) == moves
    own = [ply for ply, player in enumerate(players) if player == seat]
    assert set_plan(server, table, secrets[seat], seat)[1]["played"] == own
    assert "lines" not in server.request(f"/api/tables/{table}")[1]


def test_lines_are_checked(server: ServerProcess) -> None:
    moves, seat, _ = planned_line()
    table, secrets = create(server)
    for body, code in (
        ({"ply": 0, "lines": [["nonsense"]]}, "illegal_move"),
        ({"ply": 0, "lines": [moves[:1]]}, "invalid"),
        ({"ply": 3, "lines": [moves]}, "stale_ply"),
        ({"lines": [moves]}, "invalid"),
        ({"ply": 0, "lines": [[]]}, "invalid"),
        ({"ply": 0, "lines": [moves[:1] * 60] * 50}, "invalid"),
        ({"ply": 0, "lines": "x"}, "invalid"),
    ):
        status, answer = set_plan(server, table, secrets[seat], seat, **body)
        assert (status >= 400, answer["code"]) == (True, code), body
    mover = GAME.start(1).player
    answer = set_plan(server, table, secrets[mover], mover, ply=0, lines=[moves])[1]
    assert "It is your turn" in answer["message"]
    quick, keys = create(server, time_control={"kind": "realtime", "seconds": 600})
    answer = set_plan(server, quick, keys[seat], seat, ply=0, lines=[moves])[1]
    assert "a correspondence game" in answer["message"]
    set_plan(server, table, secrets[seat], seat, ply=0, lines=[moves])
    assert set_plan(server, table, secrets[seat], seat, ply=0, lines=[])[1]["lines"] == []


def test_a_takeback_ends_a_plan(server: ServerProcess) -> None:
    moves, seat, players = planned_line()
    table, secrets = create(server, time_control={"kind": "none"})
    set_plan(server, table, secrets[seat], seat, ply=0, lines=[moves])
    with server.join(table, *secrets) as client:
        client.receive("table")
        for ply, player in enumerate(players):
            if player != seat:
                play(client, ply, player, moves[ply])
        wait_for_moves(server, table, len(moves))
        first = players.index(seat)
        client.request(type="offer", seat=seat, offer="takeback", ply=first)
        for other in range(len(GAME.players)):
            if other != seat:
                client.request(type="respond", seat=other, offer="takeback", accept=True)
        assert played(server, table) == moves[:first]
        client.request(type="chat", seat=seat, text="I think again.")  # another commit
        assert played(server, table) == moves[:first]
    assert set_plan(server, table, secrets[seat], seat)[1]["lines"] == []


@pytest.mark.long
def test_a_kill_neither_loses_nor_doubles_an_answer(tmp_path: Path) -> None:
    moves, seat, players = planned_line()
    database = str(tmp_path / "teahouse.db")
    first = ServerProcess(database)
    tables = [create(first) for _ in range(3)]
    for table, secrets in tables:
        set_plan(first, table, secrets[seat], seat, ply=0, lines=[moves])

    def play_condition(server: ServerProcess, table: str, secrets: list[str]) -> None:
        with server.join(table, *secrets) as client:
            client.receive("table")
            for ply in range(players.index(seat)):
                play(client, ply, players[ply], moves[ply])

    play_condition(first, *tables[0])
    wait_for_moves(first, tables[0][0], len(moves))
    play_condition(first, *tables[1])
    anna = Browser(first).sign_up("Anna")
    seats = [{"kind": "local"}, *({"kind": "remote"} for _ in GAME.players[1:])]
    account_table = anna.post("/api/tables", game=NAME, seats=seats)["id"]
    first.kill()  # the answer at the second table may or may not have been played
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM notices")  # as if it had been killed before they were there
    with running_server(database) as second:
        play_condition(second, *tables[2])
        for table, _ in tables:
            assert wait_for_moves(second, table, len(moves)) == moves
        found: list[tuple[str, str]] = []
        deadline = time.monotonic() + 60
        while not found and time.monotonic() < deadline:
            with closing(sqlite3.connect(database)) as connection:
                found = connection.execute("SELECT kind, path FROM notices").fetchall()
    assert found == [("turn", f"/tables/{account_table}")]
