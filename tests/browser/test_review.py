"""The review page: graph, graded moves, better lines and retry, by keyboard alone; phones; axe."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from support.axe import violations
from support.browser import NewUser
from support.positions import late_record
from support.servers import ServerProcess

import teahouse as th
from teahouse.search.review import WRONG

GAME = th.load(th.games()[0])
PHONES = ((320, 640), (390, 844), (844, 390))
WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def record() -> th.Record:
    """The end of a random game in which somebody gave something away."""
    for seed in range(100):
        found = late_record(GAME, seed, count=4)
        if th.review(found, threads=1).mistakes:
            return found
    pytest.fail("No random game has a mistake.")


@pytest.fixture
def address(server: ServerProcess, record: th.Record) -> str:
    _, created = server.request("/api/records", {"text": record.text()})
    return f"/review/{created['id']}"


def press_until(page: Page, key: str, selector: str) -> None:
    """Press a key until an element that matches has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {selector}")


def test_a_review_by_keyboard(new_user: NewUser, address: str, record: th.Record) -> None:
    user = new_user()
    page = user.open(address).page
    expect(page.locator("#progress")).to_be_hidden()
    found = th.review(record, threads=1)
    graded = [move.grade for move in found.moves]
    assert (
        page.locator("#moves > li > .move").evaluate_all(
            "moves => moves.map((move) => move.dataset.grade)"
        )
        == graded
    )
    press_until(page, "Tab", "#graph")
    page.keyboard.press("Home")
    graph = page.locator("#graph")
    expect(graph).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("PageUp")
    number = next(move.number for move in found.moves if move.grade in WRONG)
    expect(graph).to_have_attribute("aria-valuenow", str(number))
    page.wait_for_url(lambda url: url.endswith(f"#{number}"))
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-ply", str(number))
    comment = page.locator("#comment")
    expect(comment).to_contain_text("gave away")
    press_until(page, "Tab", "#comment button")
    page.keyboard.press("Enter")
    expect(page.locator(".variation [aria-current=step]")).to_have_attribute(
        "data-ply", str(number)
    )
    page.goto(f"{address}#{number}")
    page.reload()
    retry = page.locator("#comment").get_by_text("Retry")
    expect(retry).to_be_visible()
    retry.focus()
    page.keyboard.press("Enter")
    expect(comment).to_contain_text("Find a better move")
    before, move = record.positions[number - 1], found.moves[number - 1]
    assert move.best is not None
    _enter(page, before, move.move)
    expect(comment).to_contain_text("Try again")
    _enter(page, before, move.best)
    expect(comment).to_contain_text("✓")
    expect(page.locator("#announcer")).to_contain_text("as good as the best move")
    assert not page.evaluate("document.body.classList.contains('retrying')")


def test_a_comment_comes_back_after_a_retry(
    new_user: NewUser, address: str, record: th.Record
) -> None:
    found = th.review(record, threads=1)
    move = found.moves[found.mistakes[0] - 1]
    page = new_user().open(f"{address}#{move.number - 1}").page
    expect(page.locator("#progress")).to_be_hidden()
    page.locator("#mistakes").get_by_label(f"Retry move {move.number}").click()
    comment = page.locator("#comment")
    expect(comment).to_contain_text("Find a better move")
    expect(page.locator(".board-box .spot:focus")).to_have_count(1)
    assert move.best is not None
    _enter(page, record.positions[move.number - 1], move.best)
    expect(comment).to_contain_text("✓")
    page.click("[data-step=back]")
    expect(comment).not_to_contain_text("✓")


def _enter(page: Page, position: th.Position, move: str) -> None:
    """Enter a move on the board with the keyboard."""
    expect(page.locator(".board-box.open")).to_be_attached()
    for name in position.click_path(move):
        part = page.locator(f'.stage [data-spot="{name}"]')
        part.focus()
        page.keyboard.press("Enter")


def test_nothing_is_wrong_with_the_page(new_user: NewUser, address: str) -> None:
    user = new_user()
    page = user.open(address).page
    expect(page.locator("#progress")).to_be_hidden()
    assert page.locator("#progress-text[role=status]").count() == 0  # it changes every second
    for summary in page.locator(".more summary").all():
        summary.click()
    expect(page.locator("#table-body tr").first).to_be_visible()
    page.locator(".mistake-title").first.click()
    assert not violations(user)
    for width, height in PHONES:
        page.set_viewport_size({"width": width, "height": height})
        assert not page.evaluate(WIDER), f"{width} x {height}"
    assert page.goto("/review/0000000000").status == 404  # type: ignore[union-attr]
    user.expect_answers(404)
