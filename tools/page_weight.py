"""Measure the bytes transferred on the first visit of a page: python tools/page_weight.py

Prints the bytes as they are sent (compressed; fonts, scripts and messages of sockets included) and
fails if a page takes more than the limit.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import urllib.request
from typing import Any

from page_picture import running_server
from playwright.sync_api import Browser, Page, sync_playwright

import teahouse as th

LIMIT = 200_000


def transferred(page: Page, url: str) -> int:
    """Load a page with an empty cache; return the bytes that were sent for it."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[int] = []

    def loaded(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    def received(event: dict[str, Any]) -> None:
        sizes.append(len(event["response"]["payloadData"]))

    session.on("Network.loadingFinished", loaded)
    session.on("Network.webSocketFrameReceived", received)
    page.goto(url)
    page.wait_for_load_state("networkidle")
    session.detach()
    return sum(sizes)


def create_table(address: str, game: str) -> str:
    """Create a table for two people on one device; return its path."""
    players = len(th.load(game).players)
    body = json.dumps({"game": game, "seats": [{"kind": "local"}] * players}).encode()
    request = urllib.request.Request(f"{address}/api/tables", body)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as response:
        return f"/tables/{json.load(response)['id']}"


def measure(browser: Browser, address: str) -> dict[str, int]:
    """Return the bytes of the first visit of each page."""
    pages = (
        "/",
        "/learn",
        "/new",
        "/puzzles",
        "/explore",
        "/mine",
        "/ratings",
        "/waiting",
        "/tournaments/new",
        "/sign-up",
        "/account/security",
    )
    paths = {path: path for path in pages}
    for game in th.games():
        kinds = ("learn", "rules", "puzzles", "lab")
        paths |= {f"{page} of {game}": f"/{page}/{game}" for page in kinds}
        paths[f"table of {game}"] = create_table(address, game)
    found = {}
    for name, path in paths.items():
        with browser.new_context() as context:
            found[name] = transferred(context.new_page(), f"{address}{path}")
    return found


def main() -> None:
    """Start a server, measure all pages and print a table."""
    chromium = os.environ.get("TEAHOUSE_CHROMIUM") or shutil.which("chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(folder) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        found = measure(browser, address)
        browser.close()
    for name, size in sorted(found.items(), key=lambda one: -one[1]):
        print(f"| {name} | {size / 1000:.0f} kB |{' over the limit' if size > LIMIT else ''}")
    sys.exit(max(found.values()) > LIMIT)


if __name__ == "__main__":
    main()
