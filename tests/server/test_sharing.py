"""Previews of links, boards in frames of other sites, games to watch, odd requests for pages."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import teahouse as th
from teahouse.core.options import option_text
from teahouse.server.app import create_app
from teahouse.server.settings import ServerSettings

GAME = th.games()[0]
PEOPLE = [{"kind": "local", "name": "Anna"}, {"kind": "remote"}]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application in this process."""
    settings = ServerSettings(
        database=str(tmp_path_factory.mktemp("app") / "teahouse.db"),
        request_rate=1e9,
        prepare=False,
        hosts=("testserver", "tea.example"),
        trusted_proxies=("10.0.0.1",),
    )
    app = create_app(settings)
    with TestClient(app, raise_server_exceptions=False, client=("10.0.0.1", 1)) as client:
        yield client


@pytest.fixture(scope="module")
def record(client: TestClient) -> str:
    """The id of a stored record of a finished game."""
    played = th.Record.new(th.load(GAME), 1)
    while not played.position.over:
        played.play(played.position.legal[0])
    return str(client.post("/api/records", json={"text": played.text()}).json()["id"])


@pytest.fixture(scope="module")
def table(client: TestClient) -> str:
    """The id of a table."""
    return str(client.post("/api/tables", json={"game": GAME, "seats": PEOPLE}).json()["id"])


def meta(page: str) -> dict[str, str]:
    """Return the descriptions of a page by name."""
    pattern = r'<meta (?:name|property)="([^"]+)" content="([^"]*)">'
    return dict(re.findall(pattern, page))


def png_size(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def test_every_page_describes_itself(client: TestClient, record: str, table: str) -> None:
    pages = {
        "/": "/pictures/teahouse.png",
        "/learn": "/pictures/teahouse.png",
        f"/learn/{GAME}": f"/pictures/games/{GAME}.png",
        f"/rules/{GAME}": f"/pictures/games/{GAME}.png",
        f"/tables/{table}": f"/pictures/tables/{table}.png",
        f"/records/{record}": f"/pictures/records/{record}.png",
    }
    headers = {"Host": "tea.example", "X-Forwarded-Proto": "https"}
    for path, picture in pages.items():
        page = client.get(path, headers=headers)
        assert page.status_code == 200, path
        found = meta(page.text)
        assert found["og:image"] == f"https://tea.example{picture}"
        assert len(found["description"]) > 30
        assert found["og:description"] == found["description"]
        assert found["og:title"].endswith("Teahouse")
        assert ("robots" in found) == path.startswith("/tables/")
        drawn = client.get(picture)
        assert drawn.headers["Content-Type"] == "image/png"
        assert png_size(drawn.content) == (1200, 630)
        again = client.get(picture, headers={"If-None-Match": drawn.headers["ETag"]})
        assert again.status_code == 304
    # The same page under another address has other links.
    assert meta(client.get("/").text)["og:image"].startswith("http://testserver/")


@pytest.mark.parametrize("path", ["games/chess", "tables/aaaaaaaaaa", "records/aaaaaaaaaa"])
def test_missing_pictures(client: TestClient, path: str) -> None:
    assert client.get(f"/pictures/{path}.png").status_code == 404


def test_only_boards_may_be_embedded(client: TestClient, record: str, table: str) -> None:
    for path in (f"/embed/{record}", f"/embed/{table}?theme=dark"):
        page = client.get(path)
        assert page.status_code == 200
        assert "frame-ancestors *" in page.headers["Content-Security-Policy"]
        assert "X-Frame-Options" not in page.headers
        assert 'class="board"' in page.text
        assert "Anna" in page.text or record in path
    for path in ("/", f"/tables/{table}", f"/records/{record}", "/embed"):
        page = client.get(path)
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
        assert page.headers["X-Frame-Options"] == "DENY"
    missing = client.get("/embed/aaaaaaaaaa")
    assert missing.status_code == 404
    assert "There is no such game." in missing.text
    start = client.get(f"/api/records/{record}/plies/0").json()
    assert (start["ply"], start["last"]) == (0, None)
    assert client.get(f"/api/records/{record}/plies/99999").status_code == 422


def test_only_listed_games_are_shown_to_everybody(client: TestClient) -> None:
    ids = {}
    for listed in (True, False):
        seats = [{"kind": "local", "name": "Anna"}, {"kind": "local"}]
        body = {"game": GAME, "seats": seats, "listed": listed}
        created = client.post("/api/tables", json=body).json()
        ids[listed] = created["id"]
        secrets = [seat["secret"] for seat in created["seats"]]
        with client.websocket_connect(f"/api/tables/{created['id']}/socket") as socket:
            socket.send_json({"type": "join", "secrets": secrets})
            joined = socket.receive_json()
            assert joined["table"]["listed"] is listed
            move = joined["snapshot"]["legal"][0]["move"]
            socket.send_json({"type": "play", "id": 1, "seat": 0, "ply": 0, "move": move})
            while socket.receive_json()["type"] != "ack":
                pass
    shown = client.get("/api/live").json()["games"]
    assert [game["id"] for game in shown] == [ids[True]]
    assert shown[0]["names"][0] == "Anna"
    assert shown[0]["ply"] == 1
    assert shown[0]["svg"].startswith("<svg")


def test_every_page_answers_head(client: TestClient, record: str, table: str) -> None:
    paths = ["/", "/learn", "/new", "/mine", "/explore", f"/rules/{GAME}", f"/learn/{GAME}"]
    paths += [f"/tables/{table}", f"/records/{record}", f"/embed/{record}", "/board.css"]
    paths += ["/favicon.ico", "/robots.txt", "/static/base.css", "/api/games", "/puzzles"]
    for path in paths:
        head = client.head(path)
        assert (head.status_code, head.content) == (200, b""), path


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/records/aaaaaaaaaa", "There is no such record."),
        ("/records/x", "There is no such record."),
        ("/api/records/X!", "There is no such record."),
        ("/tables/x", "There is no such table."),
        ("/api/tables/X!", "There is no such table."),
        ("/pictures/records/x.png", "There is no such record."),
    ],
)
def test_words_for_what_is_missing(client: TestClient, path: str, message: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert message in response.text


def test_names_in_stored_records_are_checked(client: TestClient) -> None:
    text = th.Record.new(th.load(GAME), 1).text()
    player = th.load(GAME).players[0]

    def store(name: str) -> Any:
        named = text.replace("[Game", f'[{player} "{name}"]\n[Game', 1)
        return client.post("/api/records", json={"text": named})

    assert store("Anna").status_code == 201
    assert "direction-changing" in store("a\u202eb").json()["message"]
    assert "limit 40" in store("x" * 41).json()["message"]


def test_choices_that_do_not_fit_are_left_out(client: TestClient) -> None:
    """A game's choices, such as the first player, depend on other options, such as the players."""
    tested = 0
    for game in client.get("/api/games").json():
        choices = [option for option in game["options"] if option["kind"] == "choice"]
        for option in choices:
            for choice in option["choices"]:
                body = {"game": game["name"], "options": {option["name"]: choice}}
                strict = client.post("/api/setup", json=body)
                found = client.post("/api/setup", json={**body, "adjust": True}).json()
                chosen = option_text(found["options"][option["name"]])
                assert chosen in found["choices"][option["name"]]
                if strict.status_code == 422:
                    tested += 1
                    assert choice not in found["choices"][option["name"]]
    assert tested


def test_the_draft_of_a_drawing_stands_for_the_same_board(client: TestClient) -> None:
    drafts = 0
    for name in th.games():
        setup = client.post("/api/setup", json={"game": name}).json()
        for option, lines in setup["drawings"].items():
            body = {"game": name, "options": {option: f"{lines}\n"}}
            drawn = client.post("/api/setup", json=body).json()
            assert drawn["snapshot"]["position"] == setup["snapshot"]["position"]
            broken = client.post("/api/setup", json={**body, "options": {option: f"{lines}\n?"}})
            assert broken.status_code == 422
            drafts += 1
    assert drafts
