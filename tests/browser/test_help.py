"""Help at the table: explanations, previews, forgiving taps, the first screen, the pace of bots."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from support.browser import NewUser
from support.servers import ServerProcess

import teahouse as th
from teahouse.core.game import game_info

GAME = th.games()[0]
NESTED = next(
    name for name in th.games() if any(spot.within for spot in th.load(name).start().scene.spots)
)
"""A game whose spots lie within larger ones."""
REFUSED = "#board .spot:not(.start, .target)"


def middle(page: Page, selector: str) -> tuple[float, float]:
    """Return the centre of the first element in the window."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("game", th.games())
def test_the_board_explains_itself(new_user: NewUser, game: str) -> None:
    """A refused click says why; "?", a pointer that rests and the button say what things are."""
    user = new_user()
    user.create_table(game, {}, ["local", "local"])
    user.play_random_move(random.Random(1))
    page = user.page
    page.wait_for_selector(".board-box.open")
    tooltip, announcer = page.locator(".tooltip"), page.locator("#announcer")
    if page.query_selector(REFUSED):
        page.mouse.click(*middle(page, REFUSED))
        expect(page.locator("#refusal")).to_have_text(re.compile(r"\w.*\.$"))
        expect(announcer).to_contain_text(page.inner_text("#refusal"))
        expect(page.locator(".selected")).to_have_count(0)
    page.locator("#board .spot").first.focus()
    page.keyboard.press("?")
    expect(tooltip).to_have_text(re.compile(r"\w"))
    expect(announcer).to_contain_text(tooltip.inner_text())
    page.keyboard.press("Escape")
    expect(tooltip).to_be_hidden()
    for score in page.locator("#seats .score").all():
        score.hover()
        expect(tooltip).to_have_text(score.get_attribute("aria-label") or "")
    ply = user.ply()
    page.click("#explain-mode")
    page.mouse.click(*middle(page, "#board .spot.start, .choice.start:enabled"))
    expect(tooltip).to_be_visible()
    expect(page.locator(".selected")).to_have_count(0)
    page.click("#explain-mode")
    assert user.ply() == ply
    table = page.url.rsplit("/", 1)[-1]
    snapshot = page.request.get(f"/api/tables/{table}").json()["snapshot"]
    *first, last = snapshot["legal"][0]["click_paths"][0]
    for name in first:
        if not page.query_selector(f".selected{part(name)}"):  # some steps are taken automatically
            page.mouse.click(*middle(page, part(name)))
    page.mouse.move(*middle(page, part(last)))
    expect(page.locator("#board .preview")).to_have_count(1)
    page.mouse.move(2, 2)
    expect(page.locator("#board .preview")).to_have_count(0)
    assert user.ply() == ply


def part(name: str) -> str:
    """Return the selector of a spot or choice."""
    return f'[data-spot="{name}"]'


def test_taps_beside_a_target_and_confirmed_taps(new_user: NewUser) -> None:
    user = new_user((320, 568), has_touch=True, is_mobile=True)
    user.create_table(NESTED, {}, ["local", "local"])
    page = user.page
    page.wait_for_selector(".board-box.open")
    box = page.locator("#board .spot.start[data-within]").first.bounding_box()
    assert box is not None
    assert box["width"] < 30, "smaller than a finger"
    outside = (box["x"] + box["width"] / 2, box["y"] - 4)
    page.touchscreen.tap(*outside)
    expect(page.locator("#moves .move")).to_have_count(1)
    page.evaluate("preferences.set('confirm', true)")
    page.wait_for_selector(".board-box.open")
    target = middle(page, "#board .spot.start[data-within]")
    page.touchscreen.tap(*target)
    expect(page.locator("#refusal")).to_have_text("Tap again to play.")
    expect(page.locator("#board .preview")).to_have_count(1)
    assert user.ply() == 1
    page.touchscreen.tap(*target)
    expect(page.locator("#moves .move")).to_have_count(2)


@pytest.mark.parametrize(
    "sizes",
    [[(320, 568), (390, 844), (844, 390)], [(1280, 800), (1440, 900)]],
    ids=["touch", "wide"],
)
def test_the_first_screen_has_all_that_matters(
    server: ServerProcess, new_user: NewUser, sizes: list[tuple[int, int]]
) -> None:
    """The whole board, the prompt, the own clock and, on large screens, the chat."""
    wide = sizes[0][0] > 1000
    seats = [{"kind": "remote", "name": "Anna"}, {"kind": "remote"}]
    control = {"kind": "realtime", "seconds": 600, "increment": 0}
    user = new_user(sizes[0], has_touch=not wide, is_mobile=not wide)
    page = user.page
    for game in th.games():
        table, secrets = server.create_table(game=game, seats=seats, time_control=control)
        page.goto(f"/tables/{table}#{secrets[0]}")
        expect(page.locator(".seat.yours .you")).to_be_visible()
        expect(page.locator(".seat.yours .name")).to_have_text("Anna")
        expect(page.locator(".seat:not(.yours) .presence")).to_have_text("○ not joined")
        expect(page.locator("h1")).to_have_text(th.load(game).title)
        expect(page.locator("[data-action=hint]")).to_have_count(0)  # no help between people
        wanted = ["#board", "#prompt", ".seat.yours .clock", *["#chat-input"][:wide]]
        assert not page.evaluate("shifts"), "the board moved by itself"
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            for selector in wanted:
                box = page.locator(selector).bounding_box()
                assert box is not None
                assert box["y"] >= 0, (game, selector, width)
                assert box["y"] + box["height"] <= height, (game, selector, width)
            others, own = (middle(page, f".seat{kind}") for kind in (":not(.yours)", ".yours"))
            assert own[1] > others[1] or own[0] > others[0], "the own seat is last"
    page.goto("about:blank")  # new sizes of the window have moved the board


def test_hint_and_chat_fit_together(server: ServerProcess, new_user: NewUser) -> None:
    game, options = _game_for_three()
    seats = [{"kind": "local"}, {"kind": "remote"}, {"kind": "bot", "level": 1}]
    table, secrets = server.create_table(game=game, options=options, seats=seats)
    page = new_user().open(f"/tables/{table}#{secrets[0]}").page
    page.click("[data-action=hint]")
    expect(page.locator("#hint")).to_contain_text("Computer’s view: ")
    for selector in ("#hint", "#chat-input"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=0.6)


def _game_for_three() -> tuple[str, dict[str, Any]]:
    for name in th.games():
        for option, declared in game_info(name).options.items():
            for value in getattr(declared, "names", ()):
                if len(th.load(name, **{option: value}).players) == 3:
                    return name, {option: value}
    raise AssertionError("No game has three players.")


def test_the_pace_of_bots(server: ServerProcess, new_user: NewUser) -> None:
    seats = [{"kind": "bot", "level": 1}] * 2
    table, secrets = server.create_table(game=GAME, seats=seats)
    page = new_user().open(f"/tables/{table}#{secrets[0]}").page
    page.click("#pause")
    expect(page.locator("#pause")).to_have_text("Resume")
    spectator = new_user().open(f"/tables/{table}").page
    expect(spectator.locator("#pace")).to_have_text("Paused.")
    expect(spectator.locator("#pace button")).to_have_count(0)
    page.select_option("#speed", "4")
    page.click("#pause")
    expect(spectator.locator("#pace")).to_have_text("Speed: 4×.")
    page.wait_for_function("() => document.querySelectorAll('#moves .move').length > 2")
    page.click("#pause")
    expect(spectator.locator("#pace")).to_have_text("Paused.")
