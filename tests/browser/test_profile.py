"""A rated game against the computer, from the form to the profile."""

from __future__ import annotations

import random

from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser

import teahouse as th

GAME = th.games()[0]


def test_a_rated_game_appears_in_the_profile(new_user: NewUser) -> None:
    user = new_user()
    page = user.page
    user.sign_up("Petra")
    user.open(f"/new?game={GAME}")
    expect(page.locator("#create")).to_be_enabled()
    page.select_option("#seat-1", "bot-1")
    page.check("[name=time-control][value=realtime]")
    page.check("[name=rated]")
    page.click("#create")
    page.wait_for_url("**/tables/*")
    own = page.locator(".seat.yours .rating")
    expect(own).to_contain_text("?")
    for seed in range(2):
        user.play_random_move(random.Random(seed))
        assert user.wait_for_turn()
    page.click("[data-action=resign]")
    page.click("#confirm .main")
    expect(own.locator(".down")).to_contain_text("−")
    change = own.locator(".down").inner_text()
    page.click(".seat.yours .profile")

    page.wait_for_url("**/players/Petra")
    card = page.locator(".rating-card")
    expect(card).to_have_count(1)
    expect(card.locator(".rating-graph")).to_be_visible()
    expect(page.locator("#challenge")).to_be_hidden()
    first = page.locator("#games li").first
    expect(first.locator(".outcome")).to_have_text(f"Lost {change}")
    assert not violations(user), "profile"
    page.select_option("[name=result]", "won")
    expect(page.locator("#games-status")).to_have_text("No games to show.")
    page.select_option("[name=result]", "lost")
    expect(page.locator("#games li")).to_have_count(1)
    page.fill("[name=opponent]", "Nobody at all")
    expect(page.locator("#games-status")).to_contain_text("There is no player with this name.")
    page.click(".rating-card summary")
    expect(card.locator("tbody tr")).to_have_count(1)
    page.set_viewport_size({"width": 320, "height": 700})
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0
    page.click(".rating-card h3 a")
    page.wait_for_url("**/ratings?pool=*")
    assert page.evaluate(width) <= 0
    assert not violations(user), "ratings"
    user.expect_answers(404)
