"""Studies: stored, shared, changed by their owner alone; positions set up with a palette."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import teahouse as th
from teahouse.server.app import create_app
from teahouse.server.settings import ServerSettings


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A client of a server for studies."""
    return _client(tmp_path_factory.mktemp("studies"), max_studies=8)


def _client(folder: Path, **settings: Any) -> Any:
    chosen = {"workers": 1, "prepare": False, "request_rate": 1e6, **settings}
    app = create_app(ServerSettings(database=str(folder / "teahouse.db"), **chosen))
    return TestClient(app, base_url="http://localhost")


@pytest.fixture(autouse=True, scope="module")
def running(client: Any) -> Any:
    """Start and stop the server."""
    with client:
        yield


def study(game: str, **more: Any) -> dict[str, Any]:
    """Return a study with a variation of the first move."""
    start = th.load(game).start(1)
    first = start.legal[0]
    nodes = [
        {"parent": -1, "move": first, "comment": "The main line.\nWith two lines."},
        {"parent": -1, "move": start.legal[-1]},
        {"parent": 0, "move": start.play(first).legal[0]},
    ]
    return {"game": game, "start": str(start), "title": "Trial", "nodes": nodes, **more}


@pytest.mark.parametrize("game", th.games())
def test_a_study_is_stored_and_described(client: Any, game: str) -> None:
    created = client.post("/api/studies", json=study(game))
    assert created.status_code == 201
    found = client.get(f"/api/studies/{created.json()['id']}").json()
    start = th.load(game).start(1)
    assert found["start"] == str(start)
    first = found["nodes"][0]
    assert first["description"] == start.describe(first["move"])
    assert first["player"] == start.player
    assert first["comment"] == "The main line.\nWith two lines."
    assert [node["parent"] for node in found["nodes"]] == [-1, -1, 0]
    page = client.get(f"/studies/{created.json()['id']}")
    assert page.status_code == 200
    assert "Trial" in page.text


def test_only_its_key_changes_a_study(client: Any) -> None:
    game = th.games()[0]
    created = client.post("/api/studies", json=study(game)).json()
    path = f"/api/studies/{created['id']}"
    changed = study(game, title="Changed")
    stolen = client.post(path, json={"key": "x" * 22, "study": changed})
    assert stolen.status_code == 403
    assert client.get(path).json()["title"] == "Trial"
    assert client.post(path, json={"key": created["key"], "study": changed}).status_code == 200
    assert client.get(path).json()["title"] == "Changed"
    assert created["key"] not in client.get(path).text


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"nodes": [{"parent": -1, "move": "nonsense"}]}, "illegal_move"),
        ({"nodes": [{"parent": 0, "move": "nonsense"}]}, "invalid"),
        ({"nodes": [{"parent": -2, "move": "x"}]}, "invalid"),
        ({"start": "nonsense"}, "invalid"),
        ({"title": "x" * 101}, "invalid"),
        ({"comment": "x" * 2_001}, "invalid"),
        ({"comment": "a\u202eb"}, "invalid"),
        ({"nodes": [{"parent": -1, "move": "x"}] * 1_001}, "invalid"),
        ({"game": "chess"}, "invalid"),
    ],
)
def test_bad_studies(client: Any, change: dict[str, Any], code: str) -> None:
    for path in ("/api/studies", "/api/study"):
        answer = client.post(path, json={**study(th.games()[0]), **change})
        assert answer.status_code in (409, 422)
        assert answer.json()["code"] == code


def test_missing_studies(client: Any) -> None:
    for path in ("/api/studies/aaaaaaaaaa", "/studies/aaaaaaaaaa", "/studies/x"):
        assert client.get(path).status_code == 404
    body = {"key": "x" * 22, "study": study(th.games()[0])}
    assert client.post("/api/studies/aaaaaaaaaa", json=body).status_code == 404


def test_the_server_is_full(client: Any) -> None:
    for _ in range(9):
        answer = client.post("/api/studies", json=study(th.games()[0]))
    assert answer.json()["code"] == "at_capacity"


@pytest.mark.parametrize("game", th.games())
def test_palettes(client: Any, game: str) -> None:
    start = str(th.load(game).start(1))
    found = client.post("/api/edit", json={"game": game, "position": start}).json()
    assert found["snapshot"]["position"] == start
    for tool in found["palette"]:
        spots = ["nowhere"] * tool["clicks"]
        body = {"game": game, "position": start, "tool": tool["name"], "spots": spots}
        answer = client.post("/api/edit", json=body)
        if spots:
            assert answer.json()["code"] == "illegal_position"
        else:
            assert answer.status_code in (200, 409)


def test_a_broken_record_is_shown_up_to_where_it_breaks(client: Any) -> None:
    game = th.games()[0]
    record = th.Record.new(th.load(game), 1)
    for _ in range(3):
        record.play(record.position.legal[0])
    text = record.text()
    broken = text.replace("*\n", "nonsense *\n").replace("3.", "{good} 3.")
    answer = client.post("/api/explore", json={"record": broken, "partial": True}).json()
    assert len(answer["moves"]) == 3
    assert answer["comments"] == {"2": "good"}
    assert answer["broken"]["ply"] == 4
    assert answer["broken"]["line"] == len(text.splitlines())
    assert "nonsense" in answer["broken"]["reason"]
    assert client.post("/api/explore", json={"record": broken}).status_code == 422
    unclosed = text.replace("*\n", "{never closed")
    answer = client.post("/api/explore", json={"record": unclosed, "partial": True}).json()
    assert len(answer["moves"]) == 3
    assert "comment" in answer["broken"]["reason"]
    whole = client.post("/api/explore", json={"record": text, "partial": True}).json()
    assert whole["broken"] is None
    lost = client.post("/api/explore", json={"record": "[Game", "partial": True})
    assert lost.status_code == 422
