"""Tables: offers, chat, spectators, playback, exploring, hints, reconnecting, clocks, flipping."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import WebSocketRoute, expect
from support.browser import NewUser, User, user_to_move
from support.servers import ServerProcess

import teahouse as th

GAME = th.games()[0]
Pair = tuple[User, User, str]


@pytest.fixture
def pair(new_user: NewUser) -> Pair:
    """Two users at one table, after the first move of the first."""
    anna, ben = new_user(), new_user()
    table = anna.create_table(GAME, {}, ["local", "remote"])
    anna.page.click("#share summary")
    ben.page.goto(anna.copied_from("#share button"))
    expect(ben.page.locator(".seat.yours")).to_have_count(1)
    anna.play_random_move(random.Random(5))
    expect(ben.page.locator("#moves .move")).to_have_count(1)
    return anna, ben, table


def test_takeback_needs_consent(pair: Pair) -> None:
    anna, ben, _ = pair
    anna.page.click("[data-action=takeback]")
    expect(ben.page.locator(".offer")).to_have_text(re.compile("asks to undo the last move."))
    ben.page.click("text=Accept")
    for user in (anna, ben):
        expect(user.page.locator("#moves .move")).to_have_count(0)
    anna.play_random_move(random.Random(6))
    expect(ben.page.locator("#moves .move")).to_have_count(1)
    anna.page.click("[data-action=takeback]")
    ben.page.click("text=Decline")
    expect(anna.page.locator(".offer")).to_have_count(0)
    expect(anna.page.locator("#moves .move")).to_have_count(1)
    anna.page.click("[data-action=takeback]")  # refused for the same position
    expect(anna.page.locator("#notice")).to_contain_text("declined")
    expect(anna.page.locator("#announcer")).not_to_contain_text("declined")  # it is read once


def test_draw_resign_and_rematch(pair: Pair) -> None:
    anna, ben, table = pair
    anna.page.click("[data-action=draw]")
    expect(anna.page.locator(".offer")).to_contain_text("You offered a draw.")
    anna.page.click(".offer button")
    expect(ben.page.locator(".offer")).to_have_count(0)
    expect(ben.page.locator("#notice")).to_contain_text("withdrew the offer.")
    ben.page.click("[data-action=resign]")
    ben.page.click("#confirm button.cancel")
    expect(ben.page.locator("[data-action=resign]")).to_be_visible()
    ben.page.click("[data-action=resign]")
    ben.page.click("#confirm button.main")
    loser = ben.page.locator(".seat .player").nth(1).inner_text()
    for user, verdict, why in (
        (anna, "You won", f"{loser} resigned."),
        (ben, "You lost", "You resigned."),
    ):
        expect(user.page.locator("#verdict")).to_have_text(verdict)
        expect(user.page.locator("#prompt")).to_have_text(why)
    for user in (anna, ben):
        expect(user.page.locator(".seat.winner")).to_have_count(1)
    anna.page.click("[data-action=rematch]")
    expect(ben.page.locator(".offer")).to_contain_text("wants a rematch")
    ben.page.click("text=Accept")
    for user in (anna, ben):
        user.page.wait_for_url(lambda url: table not in url)
        expect(user.page.locator(".seat.yours")).to_have_count(1)
    yours = "() => [...document.querySelectorAll('.seat')].findIndex((s) => s.matches('.yours'))"
    assert {anna.page.evaluate(yours), ben.page.evaluate(yours)} == {0, 1}


def test_rematch_seats_the_loser(new_user: NewUser) -> None:
    """O2: whoever lost plays Black; a spectator can go to the rematch."""
    anna, ben, spectator = new_user(), new_user(), new_user()
    table = anna.create_table("oolong", {}, ["local", "remote"])
    ben.page.goto(anna.copied_from("#offers button"))
    spectator.open(f"/tables/{table}")
    anna.page.click("[data-action=resign]")
    anna.page.click("#confirm button.main")
    anna.page.click("[data-action=rematch]")
    expect(ben.page.locator(".offer")).to_contain_text("wants a rematch with the same sides.")
    ben.page.click("text=Accept")
    for user in (anna, ben):
        user.page.wait_for_url(lambda url: table not in url)
    expect(anna.page.locator(".seat.yours .player")).to_have_text("Black")
    spectator.page.click("[data-action=follow]")
    spectator.page.wait_for_url(lambda url: table not in url)
    expect(spectator.page.locator(".seat.yours")).to_have_count(0)


def test_resigned_seat_is_handed_over(new_user: NewUser) -> None:
    user = new_user()
    user.create_table("fillit", {"mode": "3"}, ["local", "remote", "bot-1"])
    user.page.click("[data-action=resign]")
    expect(user.page.locator("#confirm")).to_contain_text("The computer will play on for you.")
    user.page.click("#confirm button.main")
    expect(user.page.locator("#notice")).to_have_text("Red resigned. The computer now plays Red.")
    expect(user.page.locator("#prompt")).to_contain_text("Yellow to move")
    for action in ("takeback", "draw", "resign"):
        expect(user.page.locator(f"[data-action={action}]")).to_have_count(0)
    user.open("/mine")
    expect(user.page.locator("#lists")).to_contain_text("Yellow to move")
    expect(user.page.locator(".site-nav .badge-count")).to_be_hidden()


def test_rematch_after_resigning_against_two_bots(new_user: NewUser) -> None:
    user = new_user()
    table = user.create_table("fillit", {"mode": "3"}, ["local", "bot-1", "bot-1"])
    expect(user.page.locator("[data-action=rematch]")).to_have_count(0)
    user.page.click("[data-action=resign]")
    user.page.click("#confirm button.main")
    user.page.reload()
    user.page.click("[data-action=rematch]")
    user.page.wait_for_url(lambda url: table not in url)
    expect(user.page.locator(".seat.yours .player")).to_have_text("Yellow")


def test_chat_is_text(pair: Pair) -> None:
    anna, ben, _ = pair
    words = "<img src=x onerror=alert(1)> hello"
    anna.page.fill("#chat-input", words)
    anna.page.press("#chat-input", "Enter")
    expect(ben.page.locator("#chat-messages li")).to_contain_text(words)
    expect(anna.page.locator("#chat-input")).to_have_value("")
    assert ben.page.locator("#chat-messages img").count() == 0
    # Messages are announced one by one; the list, which is replaced, would be read as a whole.
    expect(ben.page.locator("#announcer")).to_contain_text(words)
    expect(ben.page.locator("#chat-log")).to_have_attribute("aria-live", "off")


def test_earlier_chat_is_loaded_on_request(server: ServerProcess, new_user: NewUser) -> None:
    seats = [{"kind": "remote"}, {"kind": "remote"}]
    table, secrets = server.create_table(game=GAME, seats=seats)
    with server.join(table, *secrets) as client:
        for number in range(130):
            client.request(type="chat", seat=0, text=f"message {number}")
    page = new_user().open(f"/tables/{table}").page
    messages = page.locator("#chat-messages li")
    expect(messages).to_have_count(100)
    expect(messages.first).to_contain_text("message 30")
    page.click("#chat-earlier")
    expect(messages).to_have_count(130)
    expect(messages.first).to_contain_text("message 0")
    expect(page.locator("#chat-earlier")).to_be_hidden()


def test_a_position_with_very_many_moves(server: ServerProcess, new_user: NewUser) -> None:
    """Its moves are sent as a tree of clicks, and entered as always."""
    start = "h17:1Rr3/2b3/B=br3/2Rbb1/4rB/1B1BbB/1rrRr1/1b1rb1/4r1/4R1 r - 0,0 0,1 b 0 0 46"
    seats = [{"kind": "local"}, {"kind": "local"}]
    table, secrets = server.create_table(game="toot", start=start, seats=seats)
    user = new_user().open(f"/tables/{table}#{secrets[1]}")  # Red is to move
    user.play_random_move(random.Random(3))
    expect(user.page.locator("#moves .move")).to_have_count(1)


def test_spectators_need_no_secret(pair: Pair, new_user: NewUser) -> None:
    anna, _, table = pair
    spectator = new_user().open(f"/tables/{table}")
    expect(spectator.page.locator("#moves .move")).to_have_count(1)
    expect(anna.page.locator("#spectators")).to_contain_text("1 spectator")
    expect(spectator.page.locator("[data-action=resign]")).to_have_count(0)
    assert spectator.page.evaluate("localStorage.getItem('teahouse.tables')") is None
    for secret in ("x" * 32, "cut-off"):
        wrong = new_user()
        wrong.page.goto(f"/tables/{table}#{secret}")
        expect(wrong.page.locator("#notice")).to_contain_text(
            "This seat link is not valid for this game."
        )


def test_playback_and_exploring(new_user: NewUser) -> None:
    user = new_user()
    user.create_table(GAME, {}, ["local", "local"])
    rng = random.Random(8)
    for _ in range(4):
        user.play_random_move(rng)
    page = user.page
    page.wait_for_selector(".board-box.open")
    live = page.inner_text("#prompt")
    page.click("[data-step=first]")
    expect(page.locator("[aria-current=step]")).to_have_count(0)
    page.locator("[data-step=forward]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-ply", "2")
    page.wait_for_selector(".board-box.open")
    while not page.query_selector(".variation"):
        spots = page.query_selector_all(".spot.target") or page.query_selector_all(".spot.start")
        user.click(rng.choice(spots))
        page.wait_for_timeout(100)
        if page.locator("[aria-current=step]").get_attribute("data-ply") == "3":
            page.keyboard.press("ArrowLeft")  # that was the move of the game
    expect(page.locator("#moves > li > .move")).to_have_count(4)
    page.click("[data-action=return]")
    expect(page.locator("#prompt")).to_have_text(live)
    page.click("[data-action=explore]")
    expect(page.locator("[data-action=explore]")).to_have_attribute("aria-pressed", "true")
    page.click("[data-action=return]")
    user.play_random_move(rng)
    expect(page.locator("#moves > li > .move")).to_have_count(5)


def test_hint(new_user: NewUser) -> None:
    user = new_user()
    user.create_table(GAME, {}, ["local", "bot-1"])
    user.page.wait_for_selector(".board-box.open")
    user.page.click("[data-action=hint]")
    expect(user.page.locator("#hint")).to_contain_text("Computer’s view: ")
    assert user.page.locator(".spot.hint, .choice.hint").count() > 0
    user.page.click("#hint summary")
    reply = f"{user.page.locator('.seat .player').nth(1).inner_text()}: "
    expect(user.page.locator("#hint details p")).to_contain_text(reply)


def test_reconnecting(pair: Pair) -> None:
    """The socket of one player is cut while both play; no event is missed."""
    anna, ben, _ = pair
    sockets: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    anna.page.route_web_socket("**/socket", connect)
    anna.page.reload()
    rng = random.Random(9)
    for moves in range(1, 8):
        for user in (anna, ben):
            expect(user.page.locator("#moves .move")).to_have_count(moves)
        mover = user_to_move(anna, ben)
        # To enter or to see the move before, the last one of these has been joined.
        sockets[-1].close(code=1012, reason="cut")
        mover.play_random_move(rng)
    for user in (anna, ben):
        expect(user.page.locator("#moves .move")).to_have_count(8)
    instruction = user_to_move(anna, ben).instruction()
    for user in (anna, ben):
        expect(user.page.locator("#prompt")).to_contain_text(instruction)
    expect(anna.page.locator("#notice")).to_be_empty()
    assert len(sockets) >= 8
    assert not anna.errors


def test_two_tabs_on_one_seat(pair: Pair) -> None:
    anna, ben, _ = pair
    other = User(anna.context)
    other.open(anna.page.url)
    expect(other.page.locator(".seat.yours")).to_have_count(1)
    rng = random.Random(10)
    while (mover := user_to_move(other, ben)) is ben:
        ben.play_random_move(rng)
    mover.play_random_move(rng)
    expect(anna.page.locator("#moves .move")).to_have_count(other.ply())
    assert not other.errors


def test_clocks_count_down(new_user: NewUser) -> None:
    user = new_user()
    page = user.page
    page.goto(f"/new?game={GAME}")
    expect(page.locator("#create")).to_be_enabled()
    page.check("[name=time-control][value=realtime]")
    page.fill("[name=minutes]", "3")
    page.select_option("#seat-1", "local")
    page.click("#create")
    page.wait_for_url("**/tables/*")
    expect(page.locator(".clock").first).to_have_text("2:59")
    expect(page.locator(".clock").nth(1)).to_have_text("3:00")


def test_flipping_the_board(new_user: NewUser) -> None:
    user = new_user()
    user.create_table(GAME, {}, ["local", "local"])
    page = user.page
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
    page.locator("#flip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#flip")).to_have_attribute("aria-pressed", "true")
    assert heights() == pytest.approx([upper, lower], abs=5)
    user.play_random_move(random.Random(2))  # spots are clicked where they are shown
    page.reload()  # stored in this browser
    page.wait_for_selector(".board-box.open")
    expect(page.locator("#flip")).to_have_attribute("aria-pressed", "true")
    assert heights() == pytest.approx([upper, lower], abs=5)
    page.click("#flip")
    assert heights() == pytest.approx([lower, upper], abs=5)


@pytest.mark.parametrize(
    "game", [name for name in th.games() if th.load(name).start().scene.choices]
)
def test_available_choices_are_visible(new_user: NewUser, game: str) -> None:
    """For spectators too, in two positions with different available choices."""
    page = new_user().page
    rng = random.Random(1)
    position = th.load(game).start(1)
    shown: list[list[str]] = []
    while len(shown) < 2:
        usable = {
            name for move in position.legal for path in position.click_paths(move) for name in path
        }
        choices = [choice.name for choice in position.scene.choices if choice.name in usable]
        if choices not in shown:
            shown.append(choices)
            wanted = {"game": game, "start": str(position), "seats": [{"kind": "remote"}] * 2}
            created = page.request.post("/api/tables", data=wanted).json()
            page.goto(f"/tables/{created['id']}")
            expect(page.locator("#spectators")).to_contain_text("spectator")
            visible = [part for part in page.query_selector_all(".choice") if part.is_visible()]
            assert [part.get_attribute("data-spot") for part in visible] == choices
        position = position.play(rng.choice(position.legal))
