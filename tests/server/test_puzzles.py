"""Puzzles over HTTP: no solution before an answer, verdicts, hints, bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.servers import ServerProcess

import teahouse as th

GAMES = [name for name in th.games() if th.puzzles(name)]
MEMBERS = {"game", "title", "number", "count", "rating", "difficulty", "task", "options"} | {
    *("players", "player", "snapshot", "variant")
}


@pytest.mark.parametrize("name", GAMES)
def test_a_puzzle_is_solved(server: ServerProcess, name: str) -> None:
    puzzle = next(one for one in th.puzzles(name) if len(one.line) == 1)
    address = f"/api/puzzles/{name}/{puzzle.number}"
    status, found = server.request(address)
    assert status == 200
    assert set(found) == MEMBERS, "nothing that gives the solution away"
    assert found["snapshot"]["position"] == puzzle.start
    assert found["task"] == puzzle.task
    wrong = next(move for move in puzzle.position.legal if move != puzzle.line[0])
    status, verdict = server.request(address, {"moves": [wrong]})
    assert (status, verdict["right"], verdict["solved"]) == (200, False, False)
    assert verdict["snapshots"][0]["last"]["move"] == wrong
    status, verdict = server.request(address, {"moves": list(puzzle.line)})
    assert (status, verdict["right"], verdict["solved"]) == (200, True, True)
    status, hint = server.request(f"{address}/hint", {"moves": []})
    assert status == 200
    assert hint["say"]
    status, solution = server.request(f"{address}/solution")
    assert [move["move"] for move in solution["moves"]] == [*puzzle.line, *puzzle.then]
    assert solution["asked"] == len(puzzle.line)


def test_lists_and_pages(server: ServerProcess) -> None:
    status, overview = server.request("/api/puzzles")
    assert status == 200
    assert overview["games"] == GAMES
    daily = overview["daily"]
    assert daily["game"] in GAMES
    status, listed = server.request(f"/api/puzzles/{daily['game']}")
    assert status == 200
    assert len(listed["puzzles"]) == len(th.puzzles(daily["game"]))
    assert set(listed["puzzles"][0]) == {"number", "rating", "themes"}
    for path in ("/puzzles", "/puzzles/daily", f"/puzzles/{GAMES[0]}", f"/puzzles/{GAMES[0]}/1"):
        status, page = server.request(path)
        assert status == 200, path
        assert th.puzzles(GAMES[0])[0].line[0] not in json.dumps(page).split("<main")[-1][:2000]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/puzzles/nothing", None, 404),
        ("/api/puzzles/NO!", None, 422),
        (f"/api/puzzles/{GAMES[0]}/9999", None, 404),
        (f"/api/puzzles/{GAMES[0]}/0", None, 422),
        (f"/api/puzzles/{GAMES[0]}/x", None, 422),
        (f"/api/puzzles/{GAMES[0]}/1", {"moves": []}, 422),
        (f"/api/puzzles/{GAMES[0]}/1", {"moves": ["zz"] * 21}, 422),
        (f"/api/puzzles/{GAMES[0]}/1", {"moves": ["zz"]}, 409),
        (f"/api/puzzles/{GAMES[0]}/1", {"moves": 3}, 422),
        (f"/api/puzzles/{GAMES[0]}/1/hint", {"moves": ["zz"]}, 409),
        ("/puzzles/nothing", None, 404),
        (f"/puzzles/{GAMES[0]}/9999", None, 404),
    ],
)
def test_bad_input(server: ServerProcess, path: str, body: Any, status: int) -> None:
    found, answer = server.request(path, body)
    assert found == status, answer
