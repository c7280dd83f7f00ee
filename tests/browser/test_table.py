"""What people do at a table beside moving: look back, try out, ask, agree, talk, come back."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import WebSocketRoute, expect
from support.browser import Enter, Guest

import teahouse as th

GAME = th.games()[0]
Pair = tuple[Guest, Guest, str]


@pytest.fixture
def pair(enter: Enter) -> Pair:
    """Two people at one table, after the first move of the first."""
    anna, ben = enter(), enter()
    table = anna.open_table(GAME, {}, ["here", "link"])
    anna.page.click("#share summary")
    ben.page.goto(anna.copied("#share button"))
    expect(ben.page.locator(".seat.yours")).to_have_count(1)
    anna.move(random.Random(5))
    expect(ben.page.locator("#moves .move")).to_have_count(1)
    return anna, ben, table


def test_takeback_needs_consent(pair: Pair) -> None:
    anna, ben, _ = pair
    anna.page.click("[data-act=takeback]")
    expect(ben.page.locator(".offer")).to_contain_text("take back")
    ben.page.click("text=Agree")
    for guest in (anna, ben):
        expect(guest.page.locator("#moves .move")).to_have_count(0)
    anna.move(random.Random(6))
    expect(ben.page.locator("#moves .move")).to_have_count(1)
    anna.page.click("[data-act=takeback]")
    ben.page.click("text=Decline")
    expect(anna.page.locator(".offer")).to_have_count(0)
    expect(anna.page.locator("#moves .move")).to_have_count(1)
    anna.page.click("[data-act=takeback]")  # asking again and again does not help
    expect(anna.page.locator("#state")).to_contain_text("declined")


def test_draw_resign_and_rematch(pair: Pair) -> None:
    anna, ben, table = pair
    anna.page.click("[data-act=draw]")
    expect(anna.page.locator(".offer")).to_contain_text("You asked")
    anna.page.click("text=Withdraw")
    expect(ben.page.locator(".offer")).to_have_count(0)
    ben.page.click("[data-act=resign]")
    ben.page.click("#ask button.keep")
    expect(ben.page.locator("[data-act=resign]")).to_be_visible()
    ben.page.click("[data-act=resign]")
    ben.page.click("#ask button.main")
    for guest in (anna, ben):
        expect(guest.page.locator("#prompt")).to_contain_text("resigned")
        expect(guest.page.locator(".seat.winner")).to_have_count(1)
    anna.page.click("[data-act=rematch]")
    ben.page.click("text=Agree")
    for guest in (anna, ben):
        guest.page.wait_for_url(lambda url: table not in url)
        expect(guest.page.locator(".seat.yours")).to_have_count(1)
    first = anna.page.locator(".seat.yours").get_attribute("data-seat")
    second = ben.page.locator(".seat.yours").get_attribute("data-seat")
    assert {first, second} == {"0", "1"}


def test_chat_is_text(pair: Pair) -> None:
    anna, ben, _ = pair
    words = "<img src=x onerror=alert(1)> hello"
    anna.page.fill("#words", words)
    anna.page.press("#words", "Enter")
    expect(ben.page.locator("#said-list li")).to_contain_text(words)
    expect(anna.page.locator("#words")).to_have_value("")
    assert ben.page.locator("#said-list img").count() == 0


def test_watching_needs_no_secret(pair: Pair, enter: Enter) -> None:
    anna, _, table = pair
    watcher = enter().go(f"/tables/{table}")
    expect(watcher.page.locator("#moves .move")).to_have_count(1)
    expect(anna.page.locator("#watching")).to_contain_text("1 watching")
    expect(watcher.page.locator("[data-act=resign]")).to_have_count(0)
    assert watcher.page.evaluate("localStorage.getItem('teahouse.tables')") is None
    wrong = enter()
    wrong.page.goto(f"/tables/{table}#{'x' * 32}")
    expect(wrong.page.locator("#state")).to_contain_text("no seat")


def test_looking_back_and_trying_out(enter: Enter) -> None:
    guest = enter()
    guest.open_table(GAME, {}, ["here", "here"])
    chance = random.Random(8)
    for _ in range(4):
        guest.move(chance)
    page = guest.page
    page.wait_for_selector(".board-box.open")
    live = page.inner_text("#prompt")
    page.click("[data-step=first]")
    expect(page.locator("[aria-current=step]")).to_have_count(0)
    page.locator("[data-step=on]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-ply", "2")
    page.wait_for_selector(".board-box.open")
    while not page.query_selector(".variation"):
        spots = page.query_selector_all(".spot.target") or page.query_selector_all(".spot.start")
        guest.click(chance.choice(spots))
        page.wait_for_timeout(100)
        if page.locator("[aria-current=step]").get_attribute("data-ply") == "3":
            page.keyboard.press("ArrowLeft")  # that was the move of the game
    expect(page.locator("#moves > li > .move")).to_have_count(4)
    page.click("[data-act=home]")
    expect(page.locator("#prompt")).to_have_text(live)
    page.click("[data-act=try]")
    expect(page.locator("[data-act=try]")).to_have_attribute("aria-pressed", "true")
    page.click("[data-act=home]")
    guest.move(chance)
    expect(page.locator("#moves > li > .move")).to_have_count(5)


def test_hint(enter: Enter) -> None:
    guest = enter()
    guest.open_table(GAME, {}, ["here", "bot-1"])
    guest.page.wait_for_selector(".board-box.open")
    guest.page.click("[data-act=hint]")
    expect(guest.page.locator("#advice")).to_contain_text("expects")
    assert guest.page.locator(".spot.hint, .choice.hint").count() > 0


def test_a_broken_connection_mends_itself(pair: Pair, enter: Enter) -> None:
    """The line of one player is cut; the other goes on; nothing is missed."""
    anna, ben, _ = pair
    lines: list[WebSocketRoute] = []

    def join(line: WebSocketRoute) -> None:
        line.connect_to_server()
        lines.append(line)

    anna.page.route_web_socket("**/socket", join)
    anna.page.reload()
    expect(anna.page.locator("#moves .move")).to_have_count(1)
    for decider in (anna, ben) * 4:
        lines[-1].close(code=1012, reason="cut")
        if decider.page.query_selector(".board-box.open"):
            decider.move(random.Random(9))
    expect(anna.page.locator("#moves .move")).to_have_count(ben.ply())
    expect(anna.page.locator("#prompt")).to_have_text(ben.page.inner_text("#prompt"))
    expect(anna.page.locator("#state")).to_be_empty()
    assert len(lines) > 1


def test_two_tabs_on_one_seat(pair: Pair) -> None:
    anna, ben, _ = pair
    other = Guest(anna.context)
    other.go(anna.page.url)
    expect(other.page.locator(".seat.yours")).to_have_count(1)
    chance = random.Random(10)
    while True:
        if other.page.query_selector(".board-box.open"):
            other.move(chance)
            break
        if ben.page.query_selector(".board-box.open"):
            ben.move(chance)
        other.page.wait_for_timeout(20)
    expect(anna.page.locator("#moves .move")).to_have_count(other.ply())
    assert not other.troubles


def test_clocks_count_down(enter: Enter) -> None:
    guest = enter()
    page = guest.page
    page.goto(f"/new?game={GAME}")
    expect(page.locator("#open")).to_be_enabled()
    page.check("[name=clock][value=real]")
    page.fill("[name=minutes]", "3")
    page.select_option("#seat-1", "here")
    page.click("#open")
    page.wait_for_url("**/tables/*")
    expect(page.locator(".clock").first).to_have_text("2:59")
    expect(page.locator(".clock").nth(1)).to_have_text("3:00")


def test_the_board_can_be_turned_round(enter: Enter) -> None:
    guest = enter()
    guest.open_table(GAME, {}, ["here", "here"])
    page = guest.page
    page.wait_for_selector(".board-box.open")
    spots = page.locator(".board-box .spot")
    first, last = spots.first.get_attribute("data-spot"), spots.last.get_attribute("data-spot")

    def heights() -> list[float]:
        boxes = [
            page.locator(f".spot[data-spot='{name}']").bounding_box() for name in (first, last)
        ]
        return [box["y"] for box in boxes if box]

    lower, upper = heights()
    assert lower > upper
    page.locator("#turn").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#turn")).to_have_attribute("aria-pressed", "true")
    assert heights() == pytest.approx([upper, lower], abs=5)
    guest.move(random.Random(2))  # what is pointed at is where it is seen
    page.reload()  # this device remembers it
    page.wait_for_selector(".board-box.open")
    expect(page.locator("#turn")).to_have_attribute("aria-pressed", "true")
    assert heights() == pytest.approx([upper, lower], abs=5)
    page.click("#turn")
    assert heights() == pytest.approx([lower, upper], abs=5)


@pytest.mark.parametrize(
    "game", [name for name in th.games() if th.load(name).start().scene.choices]
)
def test_choices_are_seen_when_they_can_be_made(enter: Enter, game: str) -> None:
    """By everybody, at a position where some can and at one where others can, or none."""
    page = enter().page
    chance = random.Random(1)
    position = th.load(game).start(1)
    shown: list[list[str]] = []
    while len(shown) < 2:
        usable = {
            name for move in position.legal for way in position.click_paths(move) for name in way
        }
        choices = [choice.name for choice in position.scene.choices if choice.name in usable]
        if choices not in shown:
            shown.append(choices)
            asked = {"game": game, "start": str(position), "seats": [{"kind": "link"}] * 2}
            opened = page.request.post("/api/tables", data=asked).json()
            page.goto(f"/tables/{opened['id']}")
            expect(page.locator("#watching")).to_contain_text("watching")
            seen = [part for part in page.query_selector_all(".choice") if part.is_visible()]
            assert [part.get_attribute("data-spot") for part in seen] == choices
        position = position.play(chance.choice(position.legal))
