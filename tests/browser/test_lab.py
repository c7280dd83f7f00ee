"""Reports: the page of the server and the file, with games to replay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from page_weight import LIMIT, transferred
from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser
from support.reports import small_report
from support.servers import ServerProcess, running_server

import teahouse as th
from teahouse.lab.page import report_page
from teahouse.lab.stored import lab_folder, store_report

GAME, OTHER = th.games()[:2]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with a report of one game."""
    folder = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEAHOUSE_DATA_DIR", str(folder))
        whole = small_report(GAME)
        report = replace(whole, openings=whole.openings[:2], games=whole.games[:1])
        stored = lab_folder() / f"{GAME}-test"
        stored.mkdir(parents=True)
        (stored / "lab.json").write_text(report.to_json())  # has its keys: game and options
        store_report(report, stored)
        with running_server(str(folder / "teahouse.db")) as started:
            yield started


def test_the_page_of_the_server(new_user: NewUser) -> None:
    user = new_user((320, 640))
    page = user.page
    user.open(f"/rules/{GAME}")
    page.get_by_role("link", name="What kind of game is this?").click()
    expect(page.locator("h1")).to_contain_text("what kind of game is this?")
    last = len(small_report(GAME).games[0].record.moves)
    replay = page.locator(".replay").first
    board, now = replay.locator("svg.board"), replay.locator(".replay-now")
    slider = replay.get_by_role("slider")
    visible = "board => [...board.querySelectorAll('[data-plies]:not([display])')].length"
    at_the_end = board.evaluate(visible)
    slider.focus()
    page.keyboard.press("Home")
    expect(now).to_have_text("The start.")
    assert board.evaluate(visible) != at_the_end
    page.keyboard.press("ArrowRight")
    first = replay.locator(".replay-moves li").first.text_content()
    expect(now).to_have_text(f"Move 1 of {last}: {first}.")
    expect(board).to_have_attribute("aria-label", f"Move 1 of {last}: {first}.")
    replay.get_by_role("button", name="Last position").click()
    assert board.evaluate(visible) == at_the_end
    replay.get_by_role("button", name="Play").click()
    expect(now).to_contain_text("Move 1 of ")
    replay.get_by_role("button", name="Pause").click()
    assert page.evaluate(OVERFLOW) <= 0
    assert not violations(user)
    assert transferred(page, f"/lab/{GAME}") <= LIMIT


def test_without_a_report(new_user: NewUser) -> None:
    user = new_user().open(f"/lab/{OTHER}")
    expect(user.page.locator("code")).to_have_text(f"teahouse report {OTHER}")
    assert not violations(user)
    for path in ("/lab/chess", f"/lab/{OTHER}?no-such-option=1"):
        user.page.goto(path)
        expect(user.page.locator("h1")).to_be_visible()
    user.expect_answers(404, 422)


def test_the_file(new_user: NewUser, tmp_path: Path) -> None:
    """It asks for nothing, and its own script runs under its policy."""
    file = tmp_path / "report.html"
    file.write_text(report_page(small_report(GAME)), encoding="utf-8")
    user = new_user((320, 640))
    page = user.page
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    page.get_by_role("button", name="First position").first.click()
    expect(page.locator(".replay-now").first).to_have_text("The start.")
    assert requests == [file.as_uri()]
    assert page.evaluate(OVERFLOW) <= 0
