"""Accessibility: axe-core finds no violation on any page, light or dark; announcements; focus."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser

import teahouse as th


def test_pages(new_user: NewUser) -> None:
    user = new_user()
    page = user.page
    for path in [
        "/",
        "/learn",
        "/new",
        "/mine",
        "/waiting",
        "/explore",
        "/sign-in",
        "/sign-up",
        "/tournaments",
        "/conduct",
        "/ratings",
    ]:
        user.open(path)
        page.wait_for_load_state("networkidle")
        assert not violations(user), path
    page.click("#open-settings")
    assert not violations(user), "settings"


@pytest.mark.parametrize("game", th.games())
def test_a_game(new_user: NewUser, game: str) -> None:
    user = new_user()
    user.open(f"/rules/{game}")
    user.page.wait_for_load_state("networkidle")
    assert not violations(user), "rules"
    user.open(f"/learn/{game}")
    user.page.wait_for_selector(".board-box.open")
    assert not violations(user), "lesson"
    user.create_table(game, {}, ["local", "remote"])
    user.play_random_move(random.Random(1))
    expect(user.page.locator("#moves .move")).to_have_count(1)
    user.page.click("#share summary")
    assert not violations(user), "table"


def test_dialog_and_playback(new_user: NewUser) -> None:
    user = new_user()
    user.create_table(th.games()[-1], {}, ["local", "local"])
    user.play_random_move(random.Random(1))
    user.page.click("[data-action=resign]")
    expect(user.page.locator("#confirm")).to_be_visible()
    assert not violations(user), "dialog"
    user.page.keyboard.press("Escape")
    user.page.click("[data-step=first]")
    expect(user.page.locator("[data-action=return]")).to_be_visible()
    assert not violations(user), "playback"


def test_pages_not_found(new_user: NewUser) -> None:
    user = new_user()
    for path in ["/nowhere", "/tables/0000000000", "/rules/chess", "/records/0000000000"]:
        response = user.page.goto(path)
        assert response is not None
        assert response.status == 404
        expect(user.page.locator("h1")).to_have_text("Page not found")
        assert not violations(user), path
    user.expect_answers(404)


def test_moves_are_announced(new_user: NewUser) -> None:
    game = th.games()[0]
    user = new_user()
    user.create_table(game, {}, ["local", "local"])
    user.play_random_move(random.Random(1))
    description = user.page.locator("#moves .move").first.get_attribute("title")
    assert description
    expect(user.page.locator("#announcer")).to_contain_text(description)


def test_focus_stays_where_it_is(new_user: NewUser) -> None:
    """After a move with the keyboard the focus is still on the board."""
    user = new_user()
    user.create_table(th.games()[0], {}, ["local", "local"])
    page = user.page
    page.wait_for_selector(".board-box.open")
    page.locator(".board-box .spot.start").first.focus()
    while user.ply() == 0:
        spot = page.query_selector(".board-box .spot.target, .board-box .spot.start")
        if spot is not None:  # none while the move is sent
            spot.focus()
            page.keyboard.press("Enter")
        page.wait_for_timeout(50)
    inside = "() => !!document.activeElement.closest('.board-box')"
    page.wait_for_selector(".board-box.open")
    assert page.evaluate(inside)


def test_focus_stays_at_the_board_after_a_choice(new_user: NewUser) -> None:
    """Choices are disabled while the computer moves; the focus is not lost with them."""
    game, path = next(filter(None, map(_path_to_a_choice, th.games())))
    user = new_user()
    user.create_table(game, {}, ["local", "bot-1"])
    page = user.page
    page.wait_for_selector(".board-box.open")
    for name in path:
        page.locator(f':is(.board-box .spot, .choice)[data-spot="{name}"]').focus()
        page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('#moves .move').length > 1")
    page.wait_for_selector(".board-box.open")
    assert page.evaluate("() => !!document.activeElement.closest('.board-box')")


def _path_to_a_choice(game: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the clicks of a first move of which the last one is on a choice."""
    start = th.load(game).start()
    choices = {choice.name for choice in start.scene.choices}
    paths = (path for move in start.legal for path in start.click_paths(move))
    return next(((game, path) for path in paths if len(path) > 1 and path[-1] in choices), None)
