"""Slow games in a browser: conditional moves, games that wait, notifications, vacation."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from typing import Any

from playwright.sync_api import Error, Page, expect
from support.accounts import PASSWORD
from support.axe import violations
from support.browser import FIRST, NEXT, OPEN, NewUser, User
from support.servers import ServerProcess

import teahouse as th

GAME = th.games()[0]
RECORD_NOTIFICATIONS = """
window.notified = [];
const Shown = Notification;
window.Notification = class extends Shown {
  constructor(title, options) {
    super(title, options);
    window.notified.push(`${title} ${options.body} ${options.tag}`);
  }
};
"""


def create(server: ServerProcess, user: User, seats: list[dict[str, Any]]) -> dict[str, Any]:
    """Create a game by days with the cookies of a user."""
    body = {"game": GAME, "seats": seats, "time_control": {"kind": "correspondence", "days": 2}}
    headers = {"Origin": server.address}
    answer = user.context.request.post("/api/tables", data=body, headers=headers)
    assert answer.ok, answer.text()
    created: dict[str, Any] = answer.json()
    return created


def explore_move(page: Page, user: User, rng: random.Random) -> None:
    """Enter a random move of a line on the board."""
    moves = ".variation .move"
    before = page.locator(moves).count()
    page.wait_for_selector(OPEN)
    for _ in range(20):
        targets = page.query_selector_all(NEXT) or page.query_selector_all(FIRST)
        user.click(rng.choice(targets))
        if page.locator(moves).count() > before:
            break
    page.wait_for_function(
        "([selector, before]) => document.querySelectorAll(selector).length > before",
        arg=[moves, before],
    )


def test_a_line_is_planned_at_the_board_and_played(
    new_user: NewUser, server: ServerProcess
) -> None:
    rng = random.Random(1)
    anna, bert = new_user(), new_user()
    seats = [{"kind": "remote"} for _ in th.load(GAME).players]
    created = create(server, anna, seats)
    keys = [seat["secret"] for seat in created["seats"]]
    path = f"/tables/{created['id']}"
    anna.open(f"{path}#{keys[0]}")
    bert.open(f"{path}#{keys[1]}")
    page = bert.page
    page.click("[data-action=conditional]")
    panel = page.locator("#conditional")
    expect(panel).to_contain_text("their move, then your whole answer")
    add = panel.get_by_role("button", name="Add this line")
    expect(add).to_be_disabled()
    while add.is_disabled():
        explore_move(page, bert, rng)
        page.wait_for_selector(OPEN)
    add.click()
    assert not violations(bert), "conditional moves"
    line = panel.locator(".conditional-lines li")
    expect(line).to_have_count(1)
    expect(panel.get_by_role("button", name="Done")).to_be_focused()
    expect(line).to_have_text(re.compile("^If .+, then .+"))
    text = line.locator(".conditional-line").inner_text()
    expected = re.sub(r"^If |, then|; if", " ", text).split()
    page.reload()
    expect(line).to_have_count(1)

    with server.join(created["id"], keys[0]) as client:
        client.receive("table")
        for ply, move in enumerate(expected):
            if server.request(f"/api{path}")[1]["state"]["player"] != 0:
                break
            client.request(type="play", seat=0, ply=ply, move=move)
    expect(panel).to_contain_text("Played for you: ")
    expect(line).to_have_count(0)
    body = server.request(f"/api{path}")[1]
    assert [move["move"] for move in body["moves"]] == expected

    anna.open("/waiting")
    expect(anna.page.locator(".waiting-games li")).to_have_count(1)
    expect(anna.page.locator(".waiting-games .time")).to_contain_text("left")
    expect(anna.page).to_have_title(re.compile(r"^\(1\) "))
    anna.page.keyboard.press("n")
    anna.page.wait_for_url(f"**{path}")


def test_notifications_and_vacation_of_an_account(new_user: NewUser, server: ServerProcess) -> None:
    user = new_user(permissions=["clipboard-read", "clipboard-write", "notifications"])
    page = user.page
    page.add_init_script(RECORD_NOTIFICATIONS)
    headers = {"Origin": server.address}
    body = {"name": "Slow Anna", "password": PASSWORD}
    assert user.context.request.post("/api/account/sign-up", data=body, headers=headers).ok
    seats = [{"kind": "local"}] + [{"kind": "remote"} for _ in th.load(GAME).players[1:]]
    created = create(server, user, seats)
    other = [seat["secret"] for seat in created["seats"]]
    user.open("/account/notifications")
    page.click("#notify-button")
    expect(page.locator("#notify-button")).to_have_text("Switch notifications off")
    assert not violations(user), "notifications"
    page.click("#feed-new")
    expect(page.locator("#feed-address")).to_have_text(re.compile(r"/feed/[\w-]{22}\.atom$"))
    assert page.request.get(page.locator("#feed-address").inner_text()).ok
    page.fill("#vacation-form input", "5")
    page.click("#vacation-start")
    expect(page.locator("#vacation-state")).to_contain_text("You are on vacation until")
    assert "mail" not in page.locator("main").inner_text().lower(), "this server sends none"

    friend = new_user()
    friend.open(f"/tables/{created['id']}#{other[0]}")
    expect(friend.page.locator(".presence").first).to_contain_text("on vacation until")
    page.click("#vacation-end")
    expect(page.locator("#vacation-end")).to_be_hidden()
    expect(friend.page.locator(".presence").first).not_to_contain_text("vacation")

    expect(page.locator(".site-nav .badge-count")).to_have_text("1")
    another = create(server, user, seats)  # its clock starts when everybody has joined
    expect(page.locator(".site-nav .badge-count")).to_have_text("2")
    expect(page.locator(".news a")).to_have_attribute("href", f"/tables/{another['id']}")
    page.wait_for_function("() => window.notified.some((one) => one.includes('Your turn'))")
    expect(page).to_have_title(re.compile(r"^\(2\) "))
    user.open("/waiting")
    expect(page.locator(".waiting-games li")).to_have_count(2)
    assert not violations(user), "games that wait"
    page.evaluate("preferences.set('nextGame', true)")
    user.open(f"/tables/{another['id']}")
    play_until_next(user, created["id"])


def play_until_next(user: User, table: str) -> None:
    """Play a turn; then the next game that waits opens by itself."""
    page, rng = user.page, random.Random(2)
    while not page.url.endswith(table):
        with suppress(Error):  # the page may change in between
            page.wait_for_selector(OPEN)
            targets = page.query_selector_all(NEXT) or page.query_selector_all(FIRST)
            if targets:
                user.click(rng.choice(targets))
