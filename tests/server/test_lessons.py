"""Lessons and the coach over HTTP."""

from __future__ import annotations

from typing import Any

import pytest
from support.servers import ServerProcess

import teahouse as th
from teahouse.core.lesson import lesson_minutes, read_lesson

TAUGHT = [name for name in th.games() if lesson_minutes(name) is not None]


@pytest.mark.parametrize("name", TAUGHT)
def test_steps_answer_every_legal_move(server: ServerProcess, name: str) -> None:
    lesson = read_lesson(name)
    assert lesson is not None
    for step in lesson.steps:
        status, found = server.request(f"/api/lessons/{name}/{step.number}")
        assert status == 200
        assert found["snapshot"]["position"] == str(step.position)
        answered = {move: one for one in found["answers"] for move in one["moves"]}
        for move in step.position.legal:
            answer = step.answer(move)
            said = answered.get(move, {"right": False, "say": found["otherwise"]})
            assert (said["right"], said["say"]) == (answer.right, answer.say)
        for move, snapshots in found["prepared"].items():
            assert [one["position"] for one in snapshots] == list(map(str, step.line(move)))


@pytest.mark.parametrize(
    ("path", "status"),
    [("chess/1", 404), (f"{TAUGHT[0]}/99", 404), (f"{TAUGHT[0]}/0", 422), ("<b>/1", 422)],
)
def test_missing_steps(server: ServerProcess, path: str, status: int) -> None:
    assert server.request(f"/api/lessons/{path}")[0] == status


def coach_request(start: th.Position, **more: Any) -> dict[str, Any]:
    game = start.game
    body = {"game": game.name, "options": game.options, "position": str(start), "player": 0}
    return {**body, **more}


@pytest.mark.parametrize("name", th.games())
def test_the_coach_of_a_whole_turn(server: ServerProcess, name: str) -> None:
    start = position = th.load(name).start(seed=1)
    moves: list[str] = []
    while not moves or position.player != start.player:
        moves.append(position.legal[0])
        position = position.play(moves[-1])
    body = coach_request(start, moves=moves)
    status, found = server.request("/api/coach", body)
    assert status == 200
    assert found["advice"]
    other = server.request("/api/coach", {**body, "moves": [], "player": 1})
    assert other == (200, {"remarks": [], "advice": ""})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"moves": ["nonsense"]}, "Illegal move 'nonsense'"),
        ({"player": 7}, "There is no player 7."),
        ({"player": "x"}, "layer"),
        ({"moves": ["-"] * 61}, "limit 60"),
        ({"position": "nonsense"}, "position"),
    ],
)
def test_bad_requests_to_the_coach(
    server: ServerProcess, more: dict[str, Any], message: str
) -> None:
    status, found = server.request("/api/coach", coach_request(th.load(TAUGHT[0]).start(), **more))
    assert status in (400, 409, 422)
    assert message in found["message"]
