"""A server under a path of a host: pages, redirects and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from support.in_process import HOST

import teahouse as th
from teahouse.core.errors import OptionError
from teahouse.server.app import create_app
from teahouse.server.operations import base_path
from teahouse.server.settings import ServerSettings

GAME = th.games()[0]


@pytest.fixture(scope="module")
def under_tea(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server under /tea."""
    settings = ServerSettings(
        database=str(tmp_path_factory.mktemp("tea") / "teahouse.db"),
        base_path="/tea/",
        hosts=(HOST,),
        prepare=False,
        request_rate=1e9,
    )
    with TestClient(create_app(settings), base_url=f"http://{HOST}") as client:
        yield client


@pytest.mark.parametrize("prefix", ["/tea", ""], ids=["passed on", "stripped"])
def test_all_links_have_the_base_path(prefix: str, under_tea: TestClient) -> None:
    pages = ["/", "/new", "/learn", "/mine", "/explore", "/sign-in", "/puzzles", "/conduct"]
    pages += ["/waiting", "/account", "/account/security", "/ratings", "/tournaments"]
    pages += [f"/rules/{GAME}", f"/learn/{GAME}", f"/lab/{GAME}", "/nowhere"]
    for page in pages:
        text = under_tea.get(f"{prefix}{page}").text
        links = re.findall(r'(?:href|src|action)="(/[^"]*)"', text)
        assert links, page
        assert not [link for link in links if not link.startswith("/tea/")], page
        assert f"http://{HOST}/tea/pictures/" in text
    assert under_tea.get(f"{prefix}/static/base.css").status_code == 200


def test_redirects_have_the_base_path(under_tea: TestClient) -> None:
    answer = under_tea.get("/tea/puzzles/daily", follow_redirects=False)
    assert answer.headers["Location"].startswith("/tea/puzzles/")
    answer = under_tea.get("/tea/ratings/", follow_redirects=False)
    assert answer.headers["Location"] == f"http://{HOST}/tea/ratings"


def test_paths_that_begin_alike_are_others(under_tea: TestClient) -> None:
    assert under_tea.get("/tea").status_code == 200
    assert under_tea.get("/teapot").status_code == 404


def test_scripts_leave_addresses_to_one_module() -> None:
    """No other module makes an address that would miss the base path."""
    absolute = re.compile(
        r"""location\.(?:href|pathname) = |\.(?:href|src|action) = ["'`]/|fetch\((?!sitePath)"""
        r"""|new WebSocket\((?!socketUrl)|(?:push|replace)State\([^)]*["'`]/|\$\{location\.origin"""
        r"""|setAttribute\("(?:href|src)", ["'`]/"""
    )
    found = {}
    for module in sorted(ServerSettings().static.glob("js/*.js")):
        lines = [line for line in module.read_text().splitlines() if absolute.search(line)]
        complete = [line for line in lines if "sitePath(" in line or "saveRecord(" in line]
        if rest := [line for line in lines if line not in complete]:
            found[module.name] = rest
    # The first one keeps the address of its socket, the second one has that of a record.
    assert {name: len(lines) for name, lines in found.items()} == {
        "connection.js": 1,
        "table-page.js": 1,
    }


@pytest.mark.parametrize("path", ["tea", "/tea pot", "//tea", "/tea/../x", "/tea?x", "/."])
def test_invalid_base_paths_are_refused(path: str) -> None:
    with pytest.raises(OptionError, match="base path"):
        base_path.normalize(path)
