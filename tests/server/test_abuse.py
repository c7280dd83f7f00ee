"""What one visitor sends must not stall the event loop; the fixture fails if it does.

`benchmarks/abuse.py` measures what others feel of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.servers import ServerProcess, assert_no_stall, running_server

import teahouse as th

PEOPLE = [{"kind": "local"}, {"kind": "local"}]
OROCHI = '[Game "orochi"]\n'
TEXTS = {
    "unclosed comments": OROCHI + "{" * 90_000,
    "many comments": OROCHI + "{a}" * 30_000,
    "escapes": OROCHI + "{\\" * 45_000,
    "many lines": OROCHI + "\n" * 90_000 + "{",
    "many numbers": OROCHI + "1. " * 30_000,
    "many tags": "".join(f'[A{number} "a"]\n' for number in range(8_000)),
    "long tag": f'[Game "{"a" * 90_000}"]',
    "long move": OROCHI + "w" * 90_000,
}


@pytest.fixture(scope="module")
def server_to_attack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server of its own, since what is measured includes everything that it did."""
    database = tmp_path_factory.mktemp("attacked") / "teahouse.db"
    with running_server(str(database), hint_seconds=0.05) as server:
        yield server


@pytest.fixture
def attacked_server(server_to_attack: ServerProcess) -> Iterator[ServerProcess]:
    """A server whose event loop must not stall during a test."""
    yield server_to_attack
    assert_no_stall(server_to_attack)


def long_record() -> str:
    """Return a record of a long game with a comment at every move."""
    record = th.Record.new(th.load("orochi", side=8))
    rng = random.Random(1)
    while not record.position.over:
        record.comments[len(record.moves)] = "x" * 200
        record.play(rng.choice(record.position.legal))
    return record.text()


def big_position() -> tuple[dict[str, Any], str]:
    """Return options and a position of Toot with thousands of legal moves."""
    game = th.load("toot", tiles=20, pieces=10)
    found = game.start()
    for seed in range(3):
        rng, position = random.Random(seed), game.start()
        while not position.over:
            found = max(found, position, key=lambda one: len(one.legal))
            position = position.play(rng.choice(position.legal))
    assert len(found.legal) > 1_000
    return game.options, str(found)


def test_adversarial_records_and_positions(attacked_server: ServerProcess) -> None:
    server = attacked_server
    for name, text in TEXTS.items():
        for path, body in (
            ("/api/records", {"text": text}),
            ("/api/explore", {"record": text}),
            ("/api/hint", {"record": text}),
        ):
            status, answer = server.request(path, body)
            assert status in (200, 201, 422), (name, path, answer)
    start = f"k12:{'1' * 4_000}x b - 5,5 0,0 - 0 0 0"
    for path, extra in (("/api/tables", {"seats": PEOPLE}), ("/api/explore", {})):
        status, answer = server.request(path, {"game": "toot", "start": start, **extra})
        assert (status, "may have only" in answer["message"]) == (422, True)


def test_record_pages(attacked_server: ServerProcess) -> None:
    server = attacked_server
    status, created = server.request("/api/records", {"text": long_record()})
    assert status == 201
    page = f"/records/{created['id']}"
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: server.request(page), range(40)))
    assert {status for status, _ in answers} == {200}
    with ThreadPoolExecutor(8) as pool:
        body = {"record": long_record()}
        explored = list(pool.map(lambda _: server.request("/api/explore", body), range(8)))
    assert {status for status, _ in explored} == {200}


def test_takebacks_chat_and_loading(tmp_path: Path) -> None:
    database = str(tmp_path / "attacked.db")
    position = th.load("orochi", side=5).start()
    rng = random.Random(1)
    with running_server(database) as first:
        table, secrets = first.create_table(game="orochi", options={"side": 5}, seats=PEOPLE)
        with first.join(table, *secrets) as client:
            while position.ply < 30:
                move = rng.choice(position.legal)
                request = {"type": "play", "seat": position.player, "ply": position.ply}
                assert client.request(**request, move=move)["type"] == "ack"
                seat, position, last = position.player, position.play(move), (position, move)
            for number in range(30):
                reply = client.request(type="offer", seat=seat, offer="takeback")
                assert reply["type"] == "ack", reply
                request = {"type": "play", "seat": seat, "ply": last[0].ply, "move": last[1]}
                assert client.request(**request)["type"] == "ack"
                client.request(type="chat", seat=0, text=f"{number} " * 100)
        before = first.request(f"/api/tables/{table}")[1]
        assert_no_stall(first)
    with running_server(database) as second:
        after = second.request(f"/api/tables/{table}")[1]
        assert (after["moves"], after["chat"]) == (before["moves"], before["chat"])
        assert_no_stall(second)


def test_views_with_thousands_of_moves(attacked_server: ServerProcess) -> None:
    server = attacked_server
    options, start = big_position()
    table, secrets = server.create_table(game="toot", options=options, start=start, seats=PEOPLE)
    with ThreadPoolExecutor(8) as pool:
        paths = [f"/api/tables/{table}", f"/tables/{table}", f"/api/tables/{table}/plies/0"] * 10
        answers = list(pool.map(server.request, paths))
    assert {status for status, _ in answers} == {200}
    snapshot = answers[0][1]["snapshot"]
    assert snapshot["legal"] == []
    moves, trees = [], [snapshot["click_tree"]]
    while trees:
        for below in trees.pop().values():
            if isinstance(below, str):
                moves.append(below)
            else:
                trees.append(below)
    position = th.load("toot", **options).position(start)
    assert sorted(moves) == sorted(position.legal)
    with server.join(table, *secrets, snapshots=True) as client:
        assert client.receive("table")["snapshot"]["click_tree"] == snapshot["click_tree"]
