"""The other pages: my games, records, settings, rules; and what a table weighs."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import expect
from support.browser import Enter

import teahouse as th

GAME = th.games()[0]


def test_my_games(enter: Enter) -> None:
    guest = enter().go("/mine")
    page = guest.page
    expect(page.locator("#lists")).to_contain_text("No games yet")
    table = guest.open_table(GAME, {}, ["here", "here"])
    guest.move(random.Random(1))
    guest.go("/mine")
    expect(page.locator("#lists h2").first).to_have_text("Waiting for you")
    expect(page.locator(f"a[href='/tables/{table}']")).to_be_visible()
    guest.go("/")
    expect(page.locator("#waiting")).to_have_text("1")
    guest.go("/mine")
    page.click("#lists button")
    expect(page.locator("#lists li")).to_have_count(1)
    page.click("text=Forget?")
    expect(page.locator("#lists li")).to_have_count(0)


def test_records_go_out_and_come_in(enter: Enter) -> None:
    guest = enter()
    page = guest.page
    guest.open_table(GAME, {}, ["here", "here"])
    for _ in range(2):
        guest.move(random.Random(1))
    page.click("#share summary")
    with page.expect_download() as started:
        page.click("text=Download the record")
    path = started.value.path()
    record = th.Record.parse(path.read_text())
    assert len(record.moves) == 2
    guest.go("/mine")
    page.set_input_files("[name=file]", path)
    page.click("text=Open the record")
    page.wait_for_url("**/records/*")
    expect(page.locator("#moves .move")).to_have_count(2)
    page.click("[data-step=back]")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-ply", "1")
    visitor = enter().go(page.url)
    expect(visitor.page.locator("#moves .move")).to_have_count(2)
    guest.go("/mine")
    page.fill("[name=text]", "this is no record")
    page.click("text=Open the record")
    expect(page.locator("#trouble")).not_to_be_empty()
    guest.troubles.clear()  # the refusal


@pytest.mark.parametrize("game", th.games())
def test_rules_have_examples_one_can_touch(enter: Enter, game: str) -> None:
    guest = enter().go(f"/rules/{game}")
    page = guest.page
    example = page.locator("figure.example").first
    example.scroll_into_view_if_needed()
    expect(example.locator(".board-box.open")).to_be_visible()
    said = example.locator(".said").inner_text()
    assert said
    example.locator("[aria-label='One move back']").click()
    expect(example.locator(".said")).not_to_have_text(said)
    example.locator("[aria-label='One move on']").click()
    expect(example.locator(".said")).to_have_text(said)


def test_trying_out_any_game(enter: Enter) -> None:
    guest = enter().go("/explore")
    page = guest.page
    last = th.games()[-1]
    page.select_option("#game", last)
    page.wait_for_selector(f".board[data-game={last}]")
    page.wait_for_selector(".board-box.open")
    spot = page.query_selector(".spot.start")
    assert spot is not None
    guest.click(spot)
    expect(page.locator(".variation .move, .spot.selected, .choice.target").first).to_be_visible()


def test_settings_are_remembered(enter: Enter) -> None:
    guest = enter(color_scheme="light").go("/")
    page = guest.page
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#open-settings")
    page.check("[name=theme][value=night]")
    page.check("[name=colours][value=clear]")
    page.click("text=Done")
    assert page.evaluate(ground) != light
    page.reload()
    assert page.evaluate(ground) != light
    assert page.evaluate("document.documentElement.dataset.colours") == "clear"


def test_options_that_do_not_go_are_told(enter: Enter) -> None:
    guest = enter()
    for game in th.games():
        guest.go(f"/new?game={game}")
        expect(guest.page.locator("#open")).to_be_enabled()
    number = guest.page.locator("#options input[type=number]").first
    guest.page.click("#options-box summary")
    number.fill("100000")
    number.blur()
    expect(guest.page.locator("#trouble")).not_to_be_empty()
    expect(guest.page.locator("#open")).to_be_disabled()


def test_what_a_table_weighs(enter: Enter) -> None:
    guest = enter()
    for game in th.games():
        page = guest.page
        path = guest.open_table(game, {}, ["here", "here"])
        line = guest.context.new_cdp_session(page)
        line.send("Network.enable")
        line.send("Network.setCacheDisabled", {"cacheDisabled": True})
        got: list[int] = []

        def finished(event: dict[str, Any], got: list[int] = got) -> None:
            got.append(event["encodedDataLength"])

        def frame(event: dict[str, Any], got: list[int] = got) -> None:
            got.append(len(event["response"]["payloadData"]))

        line.on("Network.loadingFinished", finished)
        line.on("Network.webSocketFrameReceived", frame)
        page.goto(f"/tables/{path}")
        page.wait_for_selector(".board-box.open")
        page.wait_for_load_state("networkidle")
        assert 10_000 < sum(got) <= 200_000, (game, sum(got))
        line.detach()


def test_nothing_on_a_page_needs_inline_code(enter: Enter) -> None:
    guest = enter()
    for path in ["/", "/new", "/mine", "/explore", f"/rules/{GAME}"]:
        guest.go(path)
        html = guest.page.content()
        assert not re.search(r"<[^>]+\sstyle=", html)
        assert not re.search(r"<[^>]+\son[a-z]+=", html)
