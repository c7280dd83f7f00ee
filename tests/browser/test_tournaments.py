"""A tournament from the form to the standings, in two browsers."""

from __future__ import annotations

from datetime import datetime

from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser

import teahouse as th

GAME = next(name for name in th.games() if len(th.load(name).players) == 2)


def test_an_arena_from_the_form_to_the_standings(new_user: NewUser) -> None:
    """Anna creates an arena with bots, joins it, plays and leaves; a guest on a phone watches."""
    anna, guest = new_user(), new_user(size=(390, 844))
    page = anna.open("/tournaments").page
    page.click("text=Create a tournament")
    expect(page.locator("#signed-out")).to_be_visible()
    expect(page.locator("#create")).to_be_disabled()
    anna.sign_up("Anna Arena")
    anna.open("/tournaments/new")
    expect(page.locator("#create")).to_be_enabled()
    page.fill("#name", "Evening arena")
    page.check(f"[name=game][value={GAME}]", force=True)
    page.check("[name=format][value=arena]", force=True)
    expect(page.locator("[name=rounds]")).to_be_hidden()
    page.fill("[name=minutes]", "30")
    page.fill("[name=starts-at]", datetime.now().strftime("%Y-%m-%dT%H:%M"))  # at once
    page.check("[name=bots]")
    page.fill("[name=bots-to]", "2")
    page.select_option("[name=level]", "1")
    assert not violations(anna), "form"
    page.click("#create")
    page.wait_for_url("**/tournaments/*")
    expect(page.locator("h1")).to_have_text("Evening arena")
    expect(page.locator("#standings tbody tr")).to_have_count(2)
    watched = guest.open(page.url).page
    expect(watched.locator("#sign-in")).to_be_visible()
    page.click("#join")
    expect(page.locator("#go")).to_be_visible()
    assert page.evaluate("!!document.activeElement.closest('#actions > :not([hidden])')")
    expect(page.locator("#announcer")).to_contain_text("Your game: you play Level 1")
    expect(watched.locator("#standings tbody tr")).to_have_count(3)
    assert not violations(anna), "tournament"
    assert not violations(guest), "tournament on a phone"
    page.click("#go")
    page.wait_for_url("**/tables/*")
    expect(page.locator("[data-action=resign]")).to_be_visible()
    expect(page.locator("[data-action=takeback]")).to_have_count(0)
    expect(page.locator("[data-action=hint]")).to_have_count(0)
    page.click("[data-action=resign]")
    page.click("#confirm .main")
    expect(page.locator("[data-action=next]")).to_have_text("Go to your next game")
    page.click("[data-action=tournament]")
    page.wait_for_url("**/tournaments/*")
    first = watched.locator("#standings tbody tr").first
    expect(first.locator(".score")).to_have_text("2")
    first.locator(".show").click()
    expect(watched.locator(".results")).to_contain_text("won against Anna Arena")
    page.click("#withdraw")
    page.click("#withdraw")
    expect(page.locator("#join")).to_have_text("Come back")
    guest.open("/tournaments")
    expect(watched.locator("#running li")).to_contain_text("Evening arena")
