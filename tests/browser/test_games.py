"""Every game in the browser: against a bot, between two people, by keyboard, on a phone."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import expect
from support.browser import FIRST, NEXT, Enter, Guest
from support.small_games import small

import teahouse as th

games = pytest.mark.parametrize("game", th.games())


@games
def test_a_whole_game_against_a_bot(enter: Enter, game: str) -> None:
    guest = enter()
    guest.open_table(game, small(game), ["here", "bot-1"])
    assert guest.play_out(seed=4) > 0
    expect(guest.page.locator("#prompt")).to_have_text(re.compile("win|draw", re.I))
    guest.page.reload()  # what is over stays over
    expect(guest.page.locator("[data-act=rematch]")).to_be_visible()
    guest.page.click("[data-act=rematch]")
    guest.page.wait_for_function("() => document.querySelectorAll('#moves .move').length < 3")
    assert guest.wait_for_turn()


@games
def test_two_clicks_from_home_to_the_first_move(enter: Enter, game: str) -> None:
    guest = enter().go("/")
    guest.page.click(f".games > [data-game={game}] .play")
    guest.page.wait_for_url("**/tables/*")
    guest.move(random.Random(2))
    assert guest.wait_for_turn()  # the bot has answered


@games
def test_two_people_in_two_browsers(enter: Enter, game: str) -> None:
    anna, ben = enter(reduced_motion="no-preference"), enter()
    anna.open_table(game, small(game), ["here", "link"])
    ben.page.goto(anna.copied("text=Copy the link"))
    expect(ben.page.locator(".seat.yours")).to_have_count(1)
    assert "#" not in ben.page.url
    expect(anna.page.locator("#offers .offer")).to_have_count(0)
    chance = random.Random(3)
    for _ in range(3):
        decider = _decider(anna, ben)
        decider.move(chance)
    ben.page.reload()
    expect(ben.page.locator("#moves .move")).to_have_count(anna.ply())
    expect(ben.page.locator("#prompt")).to_have_text(anna.page.inner_text("#prompt"))
    _decider(anna, ben).move(chance)
    expect(ben.page.locator("#moves .move")).to_have_count(4)
    expect(anna.page.locator("#moves .move")).to_have_count(4)


def _decider(*guests: Guest) -> Guest:
    """Whoever decides now, once all have seen the last move."""
    plies = [guest.ply() for guest in guests]
    for guest in guests:
        expect(guest.page.locator("#moves .move")).to_have_count(max(plies))
        moved = guest.page.locator(f"#moves .move[aria-current][data-ply='{max(plies)}']")
        expect(moved).to_have_count(1 if max(plies) else 0)
    while True:
        for guest in guests:
            if guest.page.query_selector(".board-box.open"):
                return guest
        guests[0].page.wait_for_timeout(20)


@games
def test_with_the_keyboard_alone(enter: Enter, game: str) -> None:
    guest = enter().go("/")
    page = guest.page
    play = page.locator(f".games > [data-game={game}] .play")
    expect(play).to_be_enabled()
    _tab_to(guest, f"[data-game={game}] .play")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/*")
    for _ in range(2):
        assert guest.wait_for_turn()
        before = guest.ply()
        while guest.ply() == before:
            page.wait_for_timeout(50)
            if not page.query_selector(f"{NEXT}, {FIRST}"):
                continue  # the house has not answered yet
            wanted = NEXT if page.query_selector(NEXT) else FIRST
            _walk_to(guest, wanted)
            if wanted == FIRST:  # a selection can be taken back
                page.keyboard.press("Enter")
                if guest.ply() == before and page.query_selector(".selected"):
                    page.keyboard.press("Escape")
                    expect(page.locator(".selected")).to_have_count(0)
                    page.keyboard.press("Enter")
            else:
                page.keyboard.press("Enter")


def _tab_to(guest: Guest, selector: str) -> None:
    for _ in range(80):
        guest.page.keyboard.press("Tab")
        if guest.page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


TOWARDS = """selector => {
  const active = document.activeElement;
  const middle = (one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  if (active.matches(selector)) return null;
  const [x, y] = middle(active);
  const away = (one) => Math.hypot(middle(one)[0] - x, middle(one)[1] - y);
  const found = [...document.querySelectorAll(selector)].sort((a, b) => away(a) - away(b))[0];
  const [right, down] = [middle(found)[0] - x, middle(found)[1] - y];
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? "ArrowRight" : "ArrowLeft";
  return down > 0 ? "ArrowDown" : "ArrowUp";
}"""


def _walk_to(guest: Guest, selector: str) -> None:
    """Go with Tab to the board and with arrow keys to something that can be chosen."""
    page = guest.page
    if not page.evaluate("() => !!document.activeElement.closest('.board-box, .choices')"):
        _tab_to(guest, ".board-box .spot")
    chance = random.Random(1)
    for step in range(60):
        key = page.evaluate(TOWARDS, selector)
        if key is None:
            return
        others = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
        page.keyboard.press(key if step % 4 else chance.choice([key, *others]))
    raise AssertionError(f"arrow keys do not lead to {selector}")


@games
@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone(enter: Enter, game: str, width: int) -> None:
    guest = enter((width, 700), has_touch=True, is_mobile=True)
    guest.open_table(game, small(game), ["here", "bot-1"])
    assert guest.wait_for_turn()
    board = guest.page.locator("#board").bounding_box()
    assert board is not None
    assert board["width"] >= 0.95 * width
    assert board["y"] + board["height"] <= 700, "the board is seen whole without scrolling"
    before = guest.ply()
    while guest.ply() == before and guest.page.query_selector(".board-box.open"):
        offered = guest.page.query_selector_all(NEXT) or guest.page.query_selector_all(FIRST)
        if not offered:
            break
        offered[0].scroll_into_view_if_needed()
        box = offered[0].bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 16, "large enough for a finger"
        guest.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        guest.page.wait_for_timeout(50)
    expect(guest.page.locator("#moves .move").nth(before)).to_be_visible()
    wide = guest.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, "nothing sticks out"
