"""Static files: types, revalidation, compression, and nothing outside their folder."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from teahouse.server.web.static_files import StaticFiles

TEXT = "export const answer = 42;\n" * 100


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    folder = tmp_path / "static"
    (folder / "js").mkdir(parents=True)
    (folder / "js/answer.js").write_text(TEXT)
    (folder / "small.css").write_text("a {}")
    (tmp_path / "secret").write_text("secret")
    with TestClient(Starlette(routes=[Mount("/static", StaticFiles(folder))])) as client:
        yield client


def test_files_are_typed_compressed_and_revalidated(client: TestClient) -> None:
    found = client.get("/static/js/answer.js", headers={"Accept-Encoding": "gzip"})
    assert (found.status_code, found.text) == (200, TEXT)
    assert found.headers["Content-Encoding"] == "gzip"
    assert found.headers["Content-Type"].startswith("text/javascript")
    assert int(found.headers["Content-Length"]) == len(gzip.compress(TEXT.encode(), mtime=0))
    plain = client.get("/static/js/answer.js", headers={"Accept-Encoding": "identity"})
    assert (plain.text, "Content-Encoding" in plain.headers) == (TEXT, False)
    etag = {"If-None-Match": found.headers["ETag"]}
    assert client.get("/static/js/answer.js", headers=etag).status_code == 304
    small = client.get("/static/small.css", headers=etag)
    assert (small.status_code, small.text) == (200, "a {}")


@pytest.mark.parametrize(
    "path", ["", "js", "js/", "no.js", "../secret", "%2e%2e/secret", "js/../../secret", "/secret"]
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def test_files_cannot_be_changed(client: TestClient) -> None:
    response = client.post("/static/small.css", content=b"x")
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
