"""The HTTP API: its OpenAPI schema, security headers, and error messages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient
from support.servers import ServerProcess

import teahouse as th
from teahouse.server.app import create_app
from teahouse.server.settings import ServerSettings

SCHEMA = schemathesis.openapi.from_dict(
    create_app(ServerSettings(database="never opened")).openapi()
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The application in this process."""
    settings = ServerSettings(
        database=str(tmp_path_factory.mktemp("app") / "teahouse.db"),
        request_rate=1e9,
        prepare=False,
        hint_seconds=0.05,
        hosts=("testserver",),
    )
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@SCHEMA.parametrize()
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_the_api_conforms_to_its_schema(case: Any, server: ServerProcess) -> None:
    # A text of the right form may still be no legal move or record.
    case.call_and_validate(base_url=server.address, excluded_checks=[positive_data_acceptance])


SEATS = [{"kind": "local", "name": "Anna"}, {"kind": "remote"}]


def error_of(client: TestClient, path: str, body: Any) -> tuple[int, str]:
    response = client.post(path, json=body)
    assert set(response.json()) <= {"code", "message", "allowed"}, response.text
    return response.status_code, response.json()["message"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "Game is missing."),
        ({"game": "chess", "seats": SEATS}, "'chess'"),
        ({"game": "../core", "seats": SEATS}, "Game must be the name of a game"),
        ({"game": "orochi", "options": {"side": 99}, "seats": SEATS}, "from 2 to 8"),
        ({"game": "orochi", "options": {"sides": 4}, "seats": SEATS}, "'sides'"),
        ({"game": "orochi", "seats": SEATS[:1]}, "Orochi has 2 seats here: White, Black."),
        ({"game": "orochi", "seats": []}, "Seats has too few entries"),
        ({"game": "orochi", "seats": SEATS, "start": "x"}, "position"),
        ({"game": "orochi", "seats": SEATS, "seed": -1}, "Seed must be at least 0."),
        ({"game": "orochi", "seats": SEATS, "seed": "1"}, "Seed must be a whole number."),
        (
            {"game": "orochi", "seats": SEATS, "time_control": {"kind": "realtime"}},
            "Seconds is missing.",
        ),
        (
            {"game": "orochi", "seats": SEATS, "time_control": {"kind": "hourglass"}},
            "Clock must have a kind that is one of 'none', 'realtime', 'correspondence'.",
        ),
        (
            {"game": "orochi", "seats": [{"kind": "bot", "level": 9}] * 2},
            "Level of seat 1 must be at most 8.",
        ),
        ({"game": "orochi", "seats": SEATS, "colour": 1}, "Colour is not a known field."),
        ({"game": "fillit", "options": {"layout": "/etc/passwd"}, "seats": SEATS}, "no files are"),
        (
            {"game": "orochi", "seats": [{"kind": "local", "name": "\u0007"}] * 2},
            "Please choose a name without unprintable characters.",
        ),
        (
            {"game": "orochi", "seats": [{"kind": "local", "name": "\u202eannA"}] * 2},
            "Please choose a name without direction-changing characters.",
        ),
        ({"game": "orochi", "seats": [{"kind": "local", "name": "x" * 41}] * 2}, "(limit 40"),
    ],
)
def test_invalid_tables(client: TestClient, body: Any, message: str) -> None:
    status, found = error_of(client, "/api/tables", body)
    assert status == 422
    assert message in found
    assert "Input should" not in found
    assert "Value error" not in found


def test_the_protocol_has_a_version(client: TestClient) -> None:
    assert client.get("/api").json() == {"protocol": 2, "version": version("teahouse")}
    for path in ("/api", "/api/games", "/api/nowhere", "/api/tables/aaaaaaaaaa"):
        assert client.get(path).headers["Teahouse-Protocol"] == "2"
    assert "Teahouse-Protocol" not in client.get("/").headers


def test_exploring_variations_and_records(client: TestClient) -> None:
    body = {"game": "orochi", "options": {"side": 2}, "moves": ["wb2", "BA1"], "ply": 1}
    found = client.post("/api/explore", json=body).json()
    assert [move["move"] for move in found["moves"]] == ["wb2", "ba1"]
    assert (found["ply"], found["snapshot"]["ply"], found["snapshot"]["last"]["move"]) == (
        1,
        1,
        "wb2",
    )
    again = client.post("/api/explore", json={"record": found["record"]}).json()
    assert again["snapshot"]["ply"] == 2
    assert again["moves"] == found["moves"]
    status, message = error_of(client, "/api/explore", {**body, "moves": ["wb2", "wb2"]})
    assert (status, "Move 2" in message) == (409, True)
    assert "line 1" in error_of(client, "/api/explore", {"record": "[Game]"})[1].lower()
    assert "either a game or a record" in error_of(client, "/api/explore", {})[1]
    assert "from 0 to 2" in error_of(client, "/api/explore", {**body, "ply": 3})[1]
    status, message = error_of(client, "/api/records", {"text": "x" * 100_001})
    assert (status, message) == (422, "This record is too long (limit 100,000 characters).")
    hint = client.post("/api/hint", json=body).json()
    assert hint["best"] in th.load("orochi", side=2).start().play("wb2").legal
    stored = client.post("/api/records", json={"text": found["record"]})
    assert stored.status_code == 201
    same = client.post("/api/records", json={"text": found["record"]}).json()
    assert same == stored.json()
    assert client.get(f"/api/records/{same['id']}").text == found["record"]
    assert client.get("/api/records/aaaaaaaaaa").status_code == 404
    assert client.get(f"/records/{same['id']}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/new", "/mine", "/explore", "/api/games", "/nowhere", "/api/nowhere"]
)
def test_security_headers(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == (404 if path.endswith("nowhere") else 200)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Frame-Options"] == "DENY"
    if "html" in response.headers["Content-Type"]:
        for forbidden in ("<script>", "<style", " style=", "onclick=", "javascript:"):
            assert forbidden not in response.text


def test_security_headers_of_static_files(client: TestClient) -> None:
    headers = client.get("/static/js/theme.js").headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("orochi", {}, None),
        ("orochi", {"side": 5, "opening": "swap"}, "Board side 5, Black may swap sides"),
        ("toot", {"most_pieces": False}, "Without progress: Draw"),
    ],
)
def test_a_table_names_options_that_differ(
    client: TestClient, game: str, options: dict[str, Any], words: str | None
) -> None:
    seats = [{"kind": "local"}, {"kind": "local"}]
    wanted = {"game": game, "options": options, "seats": seats}
    table = client.post("/api/tables", json=wanted).json()["id"]
    page = client.get(f"/tables/{table}").text
    assert ('class="options"' in page) == (words is not None)
    assert words is None or f">{words}</span>" in page


def test_names_cannot_be_markup(client: TestClient) -> None:
    evil = "<script>alert(1)</script>"
    seats = [{"kind": "local", "name": evil}, {"kind": "remote", "name": evil}]
    table = client.post("/api/tables", json={"game": "orochi", "seats": seats}).json()["id"]
    page = client.get(f"/tables/{table}")
    assert page.status_code == 200
    assert evil not in page.text


@pytest.mark.parametrize("game", th.games())
def test_rules_pages(client: TestClient, game: str) -> None:
    page = client.get(f"/rules/{game}")
    assert page.status_code == 200
    assert th.load(game).title in page.text
    assert client.get("/rules/chess").status_code == 404


def test_foreign_hosts_and_origins_are_rejected(client: TestClient) -> None:
    body = {"game": "orochi", "seats": SEATS}
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
    for host in ("localhost:8000", "127.0.0.1", "[::1]:8000", "192.168.0.7:80"):
        assert client.get("/api/games", headers={"Host": host}).status_code == 200
    response = client.post("/api/tables", json=body, headers={"Origin": "http://evil.example"})
    assert (response.status_code, response.json()["code"]) == (403, "forbidden_origin")
    own = client.post("/api/tables", json=body, headers={"Origin": "http://testserver"})
    assert own.status_code == 201


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe\x00", b"[" * 100_000])
def test_bodies_that_are_not_json_are_refused_in_words(client: TestClient, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    response = client.post("/api/tables", content=body, headers=headers)
    assert response.status_code == 422
    assert response.json() == {"code": "invalid", "message": "The message is not valid JSON."}


@pytest.mark.parametrize("path", ["/puzzles/orochi/999999", "/puzzles/orochi/x", "/puzzles/%00/1"])
def test_pages_of_impossible_addresses_are_not_found(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert "<h1>Page not found</h1>" in response.text
    assert client.get(f"/api{path}").status_code == 422


def test_large_bodies_and_fast_clients_are_rejected(client: TestClient) -> None:
    large = client.post("/api/records", json={"text": "x" * 300_000})
    assert large.status_code == 413
    chunks = (b"x" * 10_000 for _ in range(50))
    headers = {"Content-Type": "application/json"}
    assert client.post("/api/records", content=chunks, headers=headers).status_code in (400, 413)
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/teahouse.db"
        slow = ServerSettings(
            database=database, request_rate=0.4, prepare=False, hosts=("testserver",)
        )
        with TestClient(create_app(slow)) as busy:
            responses = [busy.post("/api/setup", json={"game": "orochi"}) for _ in range(7)]
            assert {response.status_code for response in responses} == {200, 429}
            limited = next(one for one in responses if one.status_code == 429)
            assert limited.json()["code"] == "rate_limited"
            assert limited.headers["Retry-After"]


def test_no_secret_is_stored(server: ServerProcess) -> None:
    _, secrets = server.create_table(game="orochi", seats=SEATS)
    command = Path("/proc", str(server.process.pid), "cmdline").read_text()
    folder = Path(command[command.index('"database": "') + 13 :].split('"')[0]).parent
    stored = b"".join(file.read_bytes() for file in folder.iterdir())
    assert secrets[0].encode() not in stored


def test_pages_over_the_rate_are_refused_in_words(tmp_path: Path) -> None:
    slow = ServerSettings(
        database=str(tmp_path / "teahouse.db"),
        request_rate=0.05,
        prepare=False,
        hosts=("testserver",),
    )
    with TestClient(create_app(slow)) as client:
        assert client.get("/rules/orochi").status_code == 200
        refused = client.head("/tables/aaaaaaaaaa")
        assert (refused.status_code, refused.text) == (429, "")
        assert int(refused.headers["Retry-After"]) >= 1
        assert client.get("/explore").text.endswith("Please slow down.")


def test_the_api_describes_itself(server: ServerProcess) -> None:
    assert server.request("/api/openapi.json")[1]["paths"] == SCHEMA.raw_schema["paths"]
