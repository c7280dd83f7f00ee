"""Every game in the browser: against a bot, between two users, by keyboard, on a phone."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import expect
from support.browser import FIRST, NEXT, NewUser, user_to_move
from support.small_games import small

import teahouse as th

games = pytest.mark.parametrize("game", th.games())


@games
def test_game_against_a_bot(new_user: NewUser, game: str) -> None:
    user = new_user()
    user.create_table(game, small(game), ["local", "bot-1"])
    assert user.play_to_end(seed=4) > 0
    expect(user.page.locator("#verdict")).to_have_text(re.compile("You won|You lost|Draw"))
    expect(user.page.locator("#prompt")).not_to_be_empty()
    user.page.reload()  # a finished game stays finished
    expect(user.page.locator("[data-action=rematch]")).to_be_visible()
    user.page.click("[data-action=rematch]")
    user.page.wait_for_function("() => document.querySelectorAll('#moves .move').length < 3")
    assert user.wait_for_turn()


@games
def test_two_clicks_from_home_to_the_first_move(new_user: NewUser, game: str) -> None:
    user = new_user().open("/")
    user.page.click(f".games > [data-game={game}] .play")
    user.page.wait_for_url("**/tables/*")
    user.play_random_move(random.Random(2))
    assert user.wait_for_turn()  # the bot has answered


@games
def test_two_users_in_two_browsers(new_user: NewUser, game: str) -> None:
    anna, ben = new_user(reduced_motion="no-preference"), new_user()
    anna.create_table(game, small(game), ["local", "remote"])
    ben.page.goto(anna.copied_from("text=Copy invitation link"))
    expect(ben.page.locator(".seat.yours")).to_have_count(1)
    assert "#" not in ben.page.url
    expect(anna.page.locator("#offers .offer")).to_have_count(0)
    rng = random.Random(3)
    for _ in range(3):
        user_to_move(anna, ben).play_random_move(rng)
    ben.page.reload()
    mover = user_to_move(anna, ben)
    for user in (anna, ben):
        expect(user.page.locator("#prompt")).to_contain_text(mover.instruction())
    mover.play_random_move(rng)
    expect(ben.page.locator("#moves .move")).to_have_count(4)
    expect(anna.page.locator("#moves .move")).to_have_count(4)


@games
def test_with_the_keyboard_alone(new_user: NewUser, game: str) -> None:
    user = new_user().open("/")
    page = user.page
    play = page.locator(f".games > [data-game={game}] .play")
    expect(play).to_be_enabled()
    user.tab_to(f"[data-game={game}] .play")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/*")
    for _ in range(2):
        assert user.wait_for_turn()
        before = user.ply()
        while user.ply() == before:
            page.wait_for_timeout(50)
            if not page.query_selector(f"{NEXT}, {FIRST}"):
                continue  # the server has not answered yet
            wanted = NEXT if page.query_selector(NEXT) else FIRST
            user.walk_to(wanted)
            if wanted == FIRST:  # a selection can be undone
                page.keyboard.press("Enter")
                if user.ply() == before and page.query_selector(".selected"):
                    page.keyboard.press("Escape")
                    expect(page.locator(".selected")).to_have_count(0)
                    page.keyboard.press("Enter")
            else:
                page.keyboard.press("Enter")


@games
@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone(new_user: NewUser, game: str, width: int) -> None:
    user = new_user((width, 700), has_touch=True, is_mobile=True)
    user.create_table(game, small(game), ["local", "bot-1"])
    assert user.wait_for_turn()
    board = user.page.locator("#board").bounding_box()
    assert board is not None
    assert board["width"] >= 0.95 * width
    assert board["y"] + board["height"] <= 700, "the whole board is visible without scrolling"
    before = user.ply()
    while user.ply() == before and user.page.query_selector(".board-box.open"):
        targets = user.page.query_selector_all(NEXT) or user.page.query_selector_all(FIRST)
        if not targets:
            break
        targets[0].scroll_into_view_if_needed()
        box = targets[0].bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 16, "large enough for a finger"
        user.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        user.page.wait_for_timeout(50)
    expect(user.page.locator("#moves .move").nth(before)).to_be_visible()
    wide = user.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, "no horizontal overflow"


def test_on_a_phone_in_landscape(new_user: NewUser) -> None:
    user = new_user((740, 360), has_touch=True, is_mobile=True)
    user.create_table(th.games()[0], {}, ["local", "local"])
    assert user.wait_for_turn()
    board, prompt = (user.page.locator(part).bounding_box() for part in ("#board", "#prompt"))
    assert board is not None
    assert prompt is not None
    assert board["y"] + board["height"] <= 360, "the whole board is visible without scrolling"
    assert prompt["x"] >= board["x"] + board["width"], "the prompt is next to the board"
    user.play_random_move(random.Random(1))
