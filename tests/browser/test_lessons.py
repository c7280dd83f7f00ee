"""Lessons in the browser: a newcomer follows the page's texts to a finished first game."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Locator, expect
from support.browser import FIRST, NEXT, OPEN, NewUser, User

import teahouse as th
from teahouse.core.lesson import lesson_minutes

TAUGHT = [name for name in th.games() if lesson_minutes(name) is not None]
ANSWER = "#answer.right, #answer.wrong"
HINTED = ", ".join(f"{part}.hint" for part in f"{NEXT}, {FIRST}".split(", "))

PLAY_TO_END = """async ([next, first, open]) => {
  const isOver = () => document.querySelector("[data-action=rematch], [data-action=follow]");
  for (let count = 0; !isOver(); count += 1) {
    const [later, starts] = [next, first].map((one) => document.querySelectorAll(one));
    const shown = later.length ? later : starts;
    if (document.querySelector(open) && shown.length) {
      const target = shown[(7919 * count) % shown.length];
      target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}"""
"""Clicks what the board shows as targets until the game is over, without a round trip for each."""


def button(user: User, label: str) -> Locator:
    return user.page.get_by_role("button", name=label, exact=True)


def enter_move(user: User, rng: random.Random, *preferred: str) -> None:
    """Click what the board shows as targets, hinted ones first, until the lesson answers."""
    page = user.page
    page.wait_for_selector(OPEN)
    for _ in range(20):
        if not page.query_selector(OPEN):
            break
        found = (page.query_selector_all(one) for one in (*preferred, NEXT, FIRST))
        shown = next(filter(None, found), None)
        if shown:
            user.click(rng.choice(shown))
    page.wait_for_selector(ANSWER)


def follow_step(user: User, rng: random.Random) -> None:
    """Try moves until one is right; ask the page for help when it offers some."""
    expect(user.page.locator("#ask")).not_to_be_empty()
    enter_move(user, rng)
    while user.page.query_selector("#answer.wrong"):
        if button(user, "Show me").is_visible():
            button(user, "Show me").click()
            user.page.wait_for_selector("#answer.shown")
            enter_move(user, rng, HINTED)
        else:
            button(user, "Try again").click()
            expect(user.page.locator("#answer")).to_be_hidden()
            enter_move(user, rng)


@pytest.mark.parametrize("game", TAUGHT)
def test_a_newcomer_reaches_a_finished_first_game(new_user: NewUser, game: str) -> None:
    """The script reads the page only: it knows neither the game nor its lesson."""
    user = new_user().open("/")
    page = user.page
    page.click(f"a.learn[href='/learn/{game}']")
    rng = random.Random(3)
    while True:
        follow_step(user, rng)
        if button(user, "Finish").is_visible():
            break
        name = page.inner_text("#step-name")
        button(user, "Next").click()
        expect(page.locator("#step-name")).not_to_have_text(name)
    button(user, "Finish").click()
    button(user, "Play your first game").click()
    page.wait_for_url("**/tables/*")
    expect(page.locator(".coach-advice")).not_to_be_empty()
    page.evaluate(PLAY_TO_END, [NEXT, FIRST, OPEN])
    expect(page.locator("#verdict")).to_have_text(re.compile("You won|You lost|Draw"))
    expect(page.locator(".coach-advice")).to_contain_text("first game")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_texts_are_shown_if_the_script_does_nothing(new_user: NewUser, motion: str) -> None:
    user = new_user(reduced_motion=motion)
    empty = {"body": "", "content_type": "text/javascript"}
    user.page.route("**/js/lesson.js*", lambda route: route.fulfill(**empty))
    user.page.goto(f"/learn/{TAUGHT[0]}")
    for part in ("h1", "#dots", ".site-footer"):
        expect(user.page.locator(part)).to_be_visible()


def test_with_the_keyboard_alone(new_user: NewUser) -> None:
    """Wrong moves, help, right moves and the next step, all by keys; the lesson continues later."""
    user = new_user((320, 568)).open(f"/learn/{TAUGHT[-1]}")
    page = user.page
    for number in (1, 2):
        expect(page.locator("#dots [aria-current]")).to_have_attribute("data-step", str(number))
        page.wait_for_selector(OPEN)
        for _ in range(40):
            if page.query_selector("#answer.right"):
                break
            if page.query_selector("#answer.wrong"):
                helped = button(user, "Show me").is_visible()
                label = "Show me" if helped else "Try again"
                while page.evaluate("document.activeElement.textContent") != label:
                    page.keyboard.press("Tab")
            else:
                shown = (HINTED, NEXT, FIRST)
                user.walk_to(next(one for one in shown if page.query_selector(one)))
            page.keyboard.press("Enter")
            page.wait_for_selector(f"{OPEN}, {ANSWER}")
        assert page.evaluate("document.activeElement.textContent") == "Next"
        page.keyboard.press("Enter")
    expect(page.locator("#dots [aria-current]")).to_have_attribute("data-step", "3")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320, "no horizontal overflow"
    announced = page.inner_text("#announcer")
    assert page.inner_text("#ask") in announced
    page.reload()
    expect(page.locator("#dots [aria-current]")).to_have_attribute("data-step", "3")
    page.goto("/")
    expect(page.locator(f"a.learn[href='/learn/{TAUGHT[-1]}']")).to_contain_text("ontinue")
