"""A server behind a proxy with TLS, under a path of a host."""

from __future__ import annotations

import random
from pathlib import Path

from playwright.sync_api import Browser, expect
from support.accounts import PASSWORD
from support.browser import User
from support.proxy import running_proxy
from support.servers import running_server

import teahouse as th

BASE = "/tea"
GAME = th.games()[0]
TIMEOUT_MS = 60_000


def test_a_journey_under_a_base_path(browser: Browser, tmp_path: Path) -> None:
    """A visitor plays, copies a link and signs up; no request leaves the path."""
    database = str(tmp_path / "teahouse.db")
    settings = {"base_path": BASE, "trusted_proxies": ["127.0.0.1"]}
    with (
        running_server(database, **settings) as server,
        running_proxy([server.port], tmp_path, BASE) as address,
    ):
        context = browser.new_context(ignore_https_errors=True, reduced_motion="reduce")
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(TIMEOUT_MS)
        user = User(context)
        page = user.page
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.on("websocket", lambda socket: requests.append(socket.url))
        page.goto(address)
        expect(page.locator("h1").first).to_be_visible()
        page.locator(".site-nav a").filter(has_text="Play").click()
        page.wait_for_url(f"{address}/new*")
        page.check(f"input[name=game][value={GAME}]", force=True)
        expect(page.locator("#create")).to_be_enabled()
        for seat in range(len(th.load(GAME).players)):
            page.select_option(f"#seat-{seat}", "local")
        page.click("#create")
        page.wait_for_url(f"{address}/tables/*")
        table = page.url.rsplit("/", 1)[1]
        assert user.wait_for_turn()
        user.play_random_move(random.Random(1))
        page.click("#share summary")
        assert user.copied_from("text=Copy link for spectators") == f"{address}/tables/{table}"
        page.goto(f"{address}/sign-up?next=/mine")
        page.fill("[name=name]", "Ada")
        page.fill("[name=password]", PASSWORD)
        page.click("#sign-in-form button.main")
        page.wait_for_url(f"{address}/mine")
        cookies = {cookie["name"]: cookie for cookie in context.cookies([f"{address}/mine"])}
        session = cookies["__Secure-teahouse_session"]
        assert (session["path"], session["secure"]) == (BASE, True)
        path = f"{BASE}/tables/{table}"
        expect(page.locator("a.title").first).to_have_attribute("href", path)
        page.goto(f"{address}/puzzles/daily")
        page.wait_for_url(f"{address}/puzzles/*/*")
        user.close()
    outside = [url for url in requests if not url.split("://", 1)[1].startswith(address[8:])]
    assert not outside
    assert any(url.startswith("wss://") for url in requests)
