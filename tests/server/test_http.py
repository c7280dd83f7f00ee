"""The HTTP interface: what its description promises, safety of every answer, refusals in words."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient
from support.servers import HouseProcess, house

import teahouse as th
from teahouse.server.app import create_app
from teahouse.server.settings import Settings

DESCRIBED = schemathesis.openapi.from_dict(create_app(Settings(database="never opened")).openapi())


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HouseProcess]:
    """A running house with bots that think little."""
    folder = tmp_path_factory.mktemp("house")
    with house(str(folder / "house.db"), hint_seconds=0.05, max_body=2_000_000) as running:
        yield running


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The house in this process."""
    settings = Settings(
        database=str(tmp_path_factory.mktemp("house") / "house.db"),
        request_rate=1e9,
        hint_seconds=0.05,
        hosts=("testserver",),
    )
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        yield client


@DESCRIBED.parametrize()
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_the_interface_is_as_described(case: Any, quick: HouseProcess) -> None:
    # A text can have the right form and still be no move or record: that is refused, in words.
    case.call_and_validate(base_url=quick.address, excluded_checks=[positive_data_acceptance])


SEATS = [{"kind": "here", "name": "Anna"}, {"kind": "link"}]


def refusal(client: TestClient, path: str, body: Any) -> tuple[int, str]:
    answer = client.post(path, json=body)
    assert set(answer.json()) <= {"code", "why", "allowed"}, answer.text
    return answer.status_code, answer.json()["why"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({}, "game: Field required"),
        ({"game": "chess", "seats": SEATS}, "Unknown game 'chess'"),
        ({"game": "../core", "seats": SEATS}, "game: String should match"),
        ({"game": "orochi", "options": {"side": 99}, "seats": SEATS}, "from 2 to 8"),
        ({"game": "orochi", "options": {"sides": 4}, "seats": SEATS}, "Unknown option 'sides'"),
        ({"game": "orochi", "seats": SEATS[:1]}, "Orochi has 2 seats here: White, Black"),
        ({"game": "orochi", "seats": SEATS, "start": "x"}, "a position ends with"),
        ({"game": "orochi", "seats": SEATS, "seed": -1}, "seed: Input should be"),
        ({"game": "orochi", "seats": SEATS, "clock": {"kind": "real"}}, "seconds: Field required"),
        ({"game": "orochi", "seats": [{"kind": "bot", "level": 9}] * 2}, "level: Input should be"),
        ({"game": "orochi", "seats": SEATS, "colour": 1}, "colour: Extra inputs"),
        ({"game": "fillit", "options": {"layout": "/etc/passwd"}, "seats": SEATS}, "written out"),
        ({"game": "orochi", "seats": [{"kind": "here", "name": "\u0007"}] * 2}, "letters"),
    ],
)
def test_tables_that_cannot_be(client: TestClient, body: Any, why: str) -> None:
    status, said = refusal(client, "/api/tables", body)
    assert status == 422
    assert why in said


def test_exploring_variations_and_records(client: TestClient) -> None:
    body = {"game": "orochi", "options": {"side": 3}, "moves": ["wc3", "BB2"], "ply": 1}
    found = client.post("/api/explore", json=body).json()
    assert [move["move"] for move in found["moves"]] == ["wc3", "bb2"]
    assert (found["ply"], found["view"]["ply"], found["view"]["last"]["move"]) == (1, 1, "wc3")
    again = client.post("/api/explore", json={"record": found["record"]}).json()
    assert again["view"]["ply"] == 2
    assert again["moves"] == found["moves"]
    status, why = refusal(client, "/api/explore", {**body, "moves": ["wc3", "wc3"]})
    assert (status, "move 2" in why) == (409, True)
    assert refusal(client, "/api/explore", {"record": "[Game]"})[1].startswith("line 1")
    assert "either a game or a record" in refusal(client, "/api/explore", {})[1]
    assert "ply is from 0 to 2" in refusal(client, "/api/explore", {**body, "ply": 3})[1]
    hint = client.post("/api/hint", json=body).json()
    assert hint["best"] in th.load("orochi", side=3).start().play("wc3").legal
    kept = client.post("/api/records", json={"text": found["record"]})
    assert kept.status_code == 201
    same = client.post("/api/records", json={"text": found["record"]}).json()
    assert same == kept.json()
    assert client.get(f"/api/records/{same['id']}").text == found["record"]
    assert client.get("/api/records/aaaaaaaaaa").status_code == 404
    assert client.get(f"/records/{same['id']}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/new", "/mine", "/explore", "/api/games", "/nowhere", "/api/nowhere"]
)
def test_every_answer_is_safe_to_show(client: TestClient, path: str) -> None:
    answer = client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Frame-Options"] == "DENY"
    if "html" in answer.headers["Content-Type"]:
        for forbidden in ("<script>", "<style", " style=", "onclick=", "javascript:"):
            assert forbidden not in answer.text


def test_names_cannot_be_markup(client: TestClient) -> None:
    evil = "<script>alert(1)</script>"
    seats = [{"kind": "here", "name": evil}, {"kind": "link", "name": evil}]
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


def test_foreign_names_and_pages_are_kept_out(client: TestClient) -> None:
    body = {"game": "orochi", "seats": SEATS}
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
    for host in ("localhost:8000", "127.0.0.1", "[::1]:8000", "192.168.0.7:80"):
        assert client.get("/api/games", headers={"Host": host}).status_code == 200
    answer = client.post("/api/tables", json=body, headers={"Origin": "http://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign")
    own = client.post("/api/tables", json=body, headers={"Origin": "http://testserver"})
    assert own.status_code == 201


def test_large_bodies_and_fast_clients_are_refused(client: TestClient) -> None:
    large = client.post("/api/records", json={"text": "x" * 300_000})
    assert large.status_code == 413
    chunks = (b"x" * 10_000 for _ in range(50))
    headers = {"Content-Type": "application/json"}
    assert client.post("/api/records", content=chunks, headers=headers).status_code in (400, 413)
    with tempfile.TemporaryDirectory() as folder:
        slow = Settings(database=f"{folder}/house.db", request_rate=1.0, hosts=("testserver",))
        with TestClient(create_app(slow)) as busy:
            answers = [busy.post("/api/setup", json={"game": "orochi"}) for _ in range(12)]
            assert {answer.status_code for answer in answers} == {200, 429}
            refused = next(answer for answer in answers if answer.status_code == 429)
            assert refused.json()["code"] == "fast"
            assert refused.headers["Retry-After"]


def test_no_secret_is_stored_or_logged(running: HouseProcess) -> None:
    """What is on disk does not open a seat."""
    _, secrets = running.open_table(game="orochi", seats=SEATS)
    files = Path("/proc", str(running.process.pid), "cmdline").read_text()
    folder = Path(files[files.index('"database": "') + 13 :].split('"')[0]).parent
    kept = b"".join(file.read_bytes() for file in folder.iterdir())
    assert secrets[0].encode() not in kept
