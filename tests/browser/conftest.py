"""A server and a real browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from support.browser import NewUser, User
from support.servers import ServerProcess, running_server

TIMEOUT_MS = 180_000  # a busy machine may compile kernels first
expect.set_options(timeout=TIMEOUT_MS)
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a test with a browser once more when it fails; the summary names it."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")  # live games of other modules would forbid help in theirs
def module_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server process for the tests of a module."""
    with running_server(str(tmp_path_factory.mktemp("server") / "teahouse.db")) as started:
        yield started


@pytest.fixture
def server(
    request: pytest.FixtureRequest, module_server: ServerProcess, tmp_path: Path
) -> Iterator[ServerProcess]:
    """The server of the module; a new one for a second try, which would find the first one's."""
    if getattr(request.node, "execution_count", 1) == 1:
        yield module_server
    else:
        with running_server(str(tmp_path / "teahouse.db")) as started:
            yield started


@pytest.fixture(scope="module")  # while it is open, no other test can have an event loop
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    path = os.environ.get("TEAHOUSE_CHROMIUM") or shutil.which("chromium")
    if path is None or not Path(path).exists():
        pytest.fail("Chromium is missing. As root: apt-get install chromium", pytrace=False)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def page(browser: Browser, module_server: ServerProcess) -> Iterator[Page]:
    """A page of the server; tests import modules into it."""
    context = browser.new_context(base_url=module_server.address)
    page = context.new_page()
    page.goto("/")
    yield page
    context.close()


@pytest.fixture
def new_user(browser: Browser, server: ServerProcess) -> Iterator[NewUser]:
    """Open a browser context with its own storage.

    At the end no user may have seen an error or a layout shift of the board.
    """
    users: list[User] = []

    def open_context(size: tuple[int, int] = (1280, 800), **options: Any) -> User:
        context = browser.new_context(
            base_url=server.address,
            viewport={"width": size[0], "height": size[1]},
            **{"reduced_motion": "reduce", **options},
        )
        context.set_default_timeout(TIMEOUT_MS)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        users.append(User(context))
        return users[-1]

    yield open_context
    for user in users:
        user.close()
