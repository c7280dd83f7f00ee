"""Everybody can use every page: axe finds nothing to complain about, in light and in dark."""

from __future__ import annotations

import random
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import expect
from support.browser import Enter, Guest

import teahouse as th

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
schemes = pytest.mark.parametrize("scheme", ["light", "dark"])


def complaints(guest: Guest) -> list[str]:
    """What axe finds wrong with the page that is shown."""
    guest.page.evaluate(AXE)
    found: dict[str, Any] = guest.page.evaluate("axe.run()")
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]


@schemes
def test_pages(enter: Enter, scheme: str) -> None:
    guest = enter(color_scheme=scheme)
    page = guest.page
    for path in ["/", "/new", "/mine", "/explore"]:
        guest.go(path)
        page.wait_for_load_state("networkidle")
        assert not complaints(guest), path
    page.click("#open-settings")
    assert not complaints(guest), "settings"


@schemes
@pytest.mark.parametrize("game", th.games())
def test_a_game(enter: Enter, scheme: str, game: str) -> None:
    guest = enter(color_scheme=scheme)
    guest.go(f"/rules/{game}")
    guest.page.wait_for_load_state("networkidle")
    assert not complaints(guest), "rules"
    guest.open_table(game, {}, ["here", "link"])
    guest.move(random.Random(1))
    expect(guest.page.locator("#moves .move")).to_have_count(1)
    guest.page.click("#share summary")
    assert not complaints(guest), "table"


@schemes
def test_a_question_and_looking_back(enter: Enter, scheme: str) -> None:
    guest = enter(color_scheme=scheme)
    guest.open_table(th.games()[-1], {}, ["here", "here"])
    guest.move(random.Random(1))
    guest.page.click("[data-act=resign]")
    expect(guest.page.locator("#ask")).to_be_visible()
    assert not complaints(guest), "question"
    guest.page.keyboard.press("Escape")
    guest.page.click("[data-step=first]")
    expect(guest.page.locator("[data-act=home]")).to_be_visible()
    assert not complaints(guest), "looking back"


def test_what_is_not_there(enter: Enter) -> None:
    guest = enter()
    for path in ["/nowhere", "/tables/0000000000", "/rules/chess", "/records/0000000000"]:
        answer = guest.page.goto(path)
        assert answer is not None
        assert answer.status == 404
        assert not complaints(guest), path
    guest.troubles.clear()  # the browser complains of the 404s themselves


def test_moves_are_announced(enter: Enter) -> None:
    game = th.games()[0]
    guest = enter()
    guest.open_table(game, {}, ["here", "here"])
    guest.move(random.Random(1))
    describe = guest.page.locator("#moves .move").first.get_attribute("title")
    assert describe
    expect(guest.page.locator("#told")).to_contain_text(describe)


def test_focus_stays_where_it_is(enter: Enter) -> None:
    """After a move with the keyboard one goes on from the same place."""
    guest = enter()
    guest.open_table(th.games()[0], {}, ["here", "here"])
    page = guest.page
    page.wait_for_selector(".board-box.open")
    page.locator(".board-box .spot.start").first.focus()
    while guest.ply() == 0:
        spot = page.query_selector(".board-box .spot.target, .board-box .spot.start")
        assert spot is not None
        spot.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(50)
    inside = "() => !!document.activeElement.closest('.board-box')"
    page.wait_for_selector(".board-box.open")
    assert page.evaluate(inside)
