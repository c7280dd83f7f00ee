"""The analysis board: engine, variations, comments, sharing, import and export, setting up."""

from __future__ import annotations

import json
import random
from pathlib import Path

from playwright.sync_api import expect
from support.axe import violations
from support.browser import FIRST, NEXT, OPEN, NewUser, User

import teahouse as th
from teahouse.core.editor import palette

MOVES = "#moves .move"
GAME = th.games()[0]


def enter_move(user: User, rng: random.Random) -> None:
    """Enter a random move that is new in the tree."""
    page = user.page
    before = page.locator(MOVES).count()
    page.wait_for_selector(OPEN)
    for _ in range(60):
        if page.locator(MOVES).count() > before:
            return
        targets = page.query_selector_all(NEXT) or page.query_selector_all(FIRST)
        if targets:
            user.click(rng.choice(targets))
        page.wait_for_timeout(30)
    raise AssertionError("no move was entered")


def test_engine(new_user: NewUser) -> None:
    """The engine's lines are on the board; one of them is played by a click; it can be stopped."""
    user = new_user()
    page = user.page
    for game in th.games():
        user.open(f"/explore?game={game}")
        page.wait_for_selector(f".board[data-game={game}]")
        if game == GAME:
            page.click("#engine-toggle")  # it is on from now on
        expect(page.locator("#engine-lines li")).to_have_count(3)
        expect(page.locator(".engine-marks [data-rank]").first).to_be_attached()
        expect(page.locator("#shares")).to_contain_text("%")
        expect(page.locator("#evaluation .share")).to_have_count(len(th.load(game).teams))
    assert not violations(user), "engine"
    page.locator("#engine-lines .engine-move").nth(1).click()
    expect(page.locator(MOVES)).to_have_count(2)
    expect(page.locator("#engine-lines li").first).to_be_visible()
    page.keyboard.press("e")
    expect(page.locator("#engine-lines li")).to_have_count(0)
    expect(page.locator(".engine-marks")).to_have_count(0)


def test_a_study(new_user: NewUser, tmp_path: Path) -> None:
    """Variations and comments are kept, promoted, deleted, shared, exported and imported."""
    user = new_user().open(f"/explore?game={GAME}")
    page, rng = user.page, random.Random(1)
    for _ in range(2):
        enter_move(user, rng)
    page.click("[data-step=first]")
    expect(page.locator(f"{MOVES}[aria-current]")).to_have_count(0)
    enter_move(user, random.Random(9))
    expect(page.locator(".variation .move")).to_have_count(1)
    page.keyboard.press("c")
    page.keyboard.insert_text("A second idea.")
    expect(page.locator(".line .comment")).to_have_text("A second idea.")
    assert not violations(user), "study"
    page.reload()  # kept in the browser at once
    expect(page.locator(".variation .move")).to_have_count(1)
    expect(page.locator(".line .comment")).to_have_text("A second idea.")
    page.locator(".variation .move").click()
    first = page.locator(".variation .move").get_attribute("title")
    page.click("#promote")
    expect(page.locator("#moves > li > .move").first).to_have_attribute("title", first or "")
    page.click("#open-save")
    page.fill("#title", "Two ideas")
    page.click("#save")
    link = user.copied_from("#saved button")
    assert "/studies/" in link
    page.click("#save-close")

    reader = new_user().open(link)
    expect(reader.page.locator(MOVES)).to_have_count(3)
    expect(reader.page.locator(".line .comment")).to_have_text("A second idea.")
    assert "Two ideas" in reader.page.title()

    page.click("#open-export")
    with page.expect_download() as record:
        page.click("#export-record")
    parsed = th.Record.parse(record.value.path().read_text())
    assert parsed.comments == {1: "A second idea."}
    with page.expect_download() as tree:
        page.click("#export-tree")
    exported = tree.value.path().read_text()
    assert len(json.loads(exported)["nodes"]) == 3
    page.click("#export-close")
    page.locator("#moves > li > .move").first.click()
    page.keyboard.press("Delete")
    expect(page.locator(MOVES)).to_have_count(2)

    page.click("#open-import")
    page.fill("#import-text", exported)
    page.click("#import-dialog .main")
    page.wait_for_url(lambda url: url != link and "/studies/" in url)
    expect(page.locator(MOVES)).to_have_count(3)
    _import_bad_texts(user, parsed)


def _import_bad_texts(user: User, record: th.Record) -> None:
    page = user.page
    page.click("#open-import")
    error = page.locator("#import-dialog .error-text")
    for text in ("", "nonsense", "{", '{"game": "chess"}', '[Game "chess"]'):
        page.fill("#import-text", text)
        page.click("#import-dialog .main")
        expect(error).not_to_be_empty()
    broken = record.text().replace("*\n", "nonsense *\n")
    page.fill("#import-text", broken)
    page.click("#import-dialog .main")
    page.wait_for_url("**/explore?import")
    expect(page.locator("#broken")).to_contain_text("has an error in line")
    expect(page.locator("#broken")).to_contain_text("nonsense")
    expect(page.locator(MOVES)).to_have_count(len(record.moves))
    user.expect_answers(422)


def test_setting_up_a_position(new_user: NewUser) -> None:
    user = new_user()
    for game in [name for name in th.games() if palette(th.load(name).start(1))]:
        _set_up(user, game)


def _set_up(user: User, game: str) -> None:
    """Click two spots with the second tool, by keyboard, and analyse what comes out."""
    page = user.open(f"/explore?game={game}").page
    page.click("#set-up")
    expect(page.locator("#palette .tool").first).to_be_focused()
    if game == GAME:
        assert not violations(user), "palette"
    page.locator("#palette .tool").nth(1).click()
    note = page.locator("#setup-note")
    expect(note).to_contain_text(":")
    for spot in (1, 3):
        page.locator("#board .spot").nth(spot).focus()
        page.keyboard.press("Enter")
    expect(note).not_to_be_empty()
    page.click("#setup-done")
    page.wait_for_url(f"**/explore?game={game}*position=*")
    page.wait_for_selector(f"{OPEN} svg")
    user.expect_answers(409)


def test_a_record_is_analysed(new_user: NewUser) -> None:
    user = new_user().open("/")
    page = user.page
    record = th.Record.new(th.load(GAME), 1)
    record.play(record.position.legal[0])
    stored = page.request.post("/api/records", data={"text": record.text()}).json()
    user.open(f"/records/{stored['id']}")
    expect(page.locator(f"a[href='/review/{stored['id']}']")).to_be_visible()
    page.click(f"a[href='/explore?record={stored['id']}']")
    page.wait_for_url("**/explore?record=*")
    expect(page.locator(MOVES)).to_have_count(1)
