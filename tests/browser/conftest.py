"""A house and a real browser for every test that wants them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from support.browser import Enter, Guest
from support.servers import HouseProcess, house

PATIENCE = 180_000  # ms: a busy machine that compiles for the first time is no failure
expect.set_options(timeout=PATIENCE)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HouseProcess]:
    """A house in a process of its own."""
    with house(str(tmp_path_factory.mktemp("house") / "house.db")) as opened:
        yield opened


@pytest.fixture(scope="module")  # while it is open, no other test can have an event loop
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    named = os.environ.get("TEAHOUSE_CHROMIUM") or shutil.which("chromium")
    if named is None or not Path(named).exists():
        pytest.fail("Chromium is missing. As root: apt-get install chromium", pytrace=False)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=named, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def enter(browser: Browser, running: HouseProcess) -> Iterator[Enter]:
    """Let somebody in who has a browser, a screen and a memory of their own.

    At the end nobody may have seen an error, or a board that moved by itself.
    """
    guests: list[Guest] = []

    def let_in(size: tuple[int, int] = (1280, 800), **context: Any) -> Guest:
        options: dict[str, Any] = {"reduced_motion": "reduce", **context}
        opened = browser.new_context(
            base_url=running.address, viewport={"width": size[0], "height": size[1]}, **options
        )
        opened.set_default_timeout(PATIENCE)
        opened.grant_permissions(["clipboard-read", "clipboard-write"])
        guests.append(Guest(opened))
        return guests[-1]

    yield let_in
    for guest in guests:
        guest.leave()
