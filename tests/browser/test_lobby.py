"""The lobby on the first page: two strangers find each other."""

from __future__ import annotations

import random

from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser, User, user_to_move

import teahouse as th
from teahouse.server.tables.snapshots import snapshot

GAME = th.games()[0]
MAX_CLICKS = 3
COUNT_CLICKS = """addEventListener("click", ({ isTrusted }) => {
  if (isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true)"""

OVERLAPS = """() => {
  for (const clock of document.querySelectorAll(".clock")) clock.textContent = "1:29:59";
  const parts = [...document.querySelectorAll(".seat")].flatMap((seat) => {
    const shown = [".presence", ".score-box", ".clock", ".hands", ".name"]
      .map((part) => seat.querySelector(part)).filter((one) => one?.getClientRects().length);
    return shown.flatMap((one, index) => shown.slice(index + 1).map((other) => [one, other]));
  });
  return parts.filter(([one, other]) => {
    const [a, b] = [one, other].map((part) => part.getBoundingClientRect());
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }).map((pair) => pair.map(({ className }) => className).join(" over "));
}"""
"""The parts of seats that overlap each other, with clocks of seven characters."""


def clicks(user: User) -> int:
    """Return the number of clicks on this server's pages since the tab was opened."""
    return int(user.page.evaluate("sessionStorage.clicks ?? 0"))


def clicks_of_first_move(game: str) -> int:
    """Return the most clicks that a first move takes."""
    legal = snapshot(th.load(game).start(), 0, None)["legal"]
    return max(len(move["click_paths"][0]) for move in legal)


def test_two_strangers_play_within_three_clicks(new_user: NewUser) -> None:
    """From opening the page to the first move by quick pairing, in the game with most clicks."""
    game = max(th.games(), key=clicks_of_first_move)
    strangers = [new_user(), new_user(size=(390, 844))]
    for user in strangers:
        user.page.add_init_script(COUNT_CLICKS)
        user.open("/").page.locator(f"#quick [data-game={game}]").click()
    for user in strangers:
        user.page.wait_for_url("**/tables/*")
    assert strangers[0].page.url == strangers[1].page.url
    expect(strangers[1].page.locator(".clock.running")).to_be_visible()
    assert strangers[1].page.evaluate(OVERLAPS) == []
    rng, waiting = random.Random(1), list(strangers)
    while waiting:
        mover = user_to_move(*strangers)
        mover.play_random_move(rng)
        if mover in waiting:
            assert 2 <= clicks(mover) <= MAX_CLICKS
            waiting.remove(mover)


def test_a_challenge_from_the_form_to_the_game(new_user: NewUser) -> None:
    """One proposes a game with options, another joins with one click, a third one watches."""
    anna, ben = new_user(), new_user(size=(390, 844))
    page = anna.open("/").page
    page.click("text=Create a challenge")
    page.wait_for_url("**/new?*")
    page.check(f"[name=game][value={GAME}]")
    expect(page.locator("#create")).to_have_text("Create challenge")
    expect(page.locator("[name=listed]")).to_be_checked()
    expect(page.locator("[name=rated]")).to_be_disabled()
    expect(page.locator("#rated-help")).to_have_text("Sign in to play rated games.")
    page.fill(".seat-name-field", "Anna")
    page.fill("[name=minutes]", "3")
    assert not violations(anna)
    expect(page.locator("#create")).to_be_enabled()
    page.click("#create")
    expect(page.locator("#challenges")).to_contain_text("You3+5")
    row = ben.open("/").page.locator("#challenges li")
    expect(row).to_contain_text("Anna")
    assert not violations(ben)
    row.get_by_role("button", name="Join").click()
    ben.page.wait_for_url("**/tables/*")
    page.wait_for_url(ben.page.url)
    user_to_move(anna, ben).play_random_move(random.Random(1))
    spectator = new_user().open("/")
    board = spectator.page.locator("#live-games li").filter(has_text="Anna")
    expect(board).to_contain_text("Move 1")
    expect(spectator.page.locator("#challenges li")).to_have_count(0)
    board.locator("a").click()
    spectator.page.wait_for_url(ben.page.url)
