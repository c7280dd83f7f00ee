"""Openings beside the analysis board."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser

import teahouse as th
from teahouse.search.openings import bots_moves, bots_tables, listed_moves

ROWS = "#openings .opening-move"
NOTE = "#openings .opening-note"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_openings(new_user: NewUser, theme: str) -> None:
    """The moves of bots and of this server are listed, and played by keyboard."""
    user = new_user((390, 844), color_scheme=theme)
    page = user.page
    for name in th.games():
        game = th.load(name)
        start = game.start(seed=1)
        moves = listed_moves(start, bots_moves(start))
        user.open(f"/explore?game={name}")
        expect(page.locator(ROWS)).to_have_count(len(moves))
        expect(page.locator(NOTE)).to_contain_text(f"of {bots_tables(name)[game].games} between")
        first = page.locator(ROWS).first
        described = start.describe(moves[0].move, "imperative")
        assert (first.get_attribute("aria-label") or "").startswith(described)
        first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#moves .move")).to_have_count(1)
        expect(page.locator("#openings .opening-moves")).not_to_have_attribute("aria-busy", "true")
        page.get_by_role("button", name="This server").click()
        expect(page.locator(NOTE)).to_have_text(
            "No finished game on this server continues from here."
        )
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not violations(user), theme
