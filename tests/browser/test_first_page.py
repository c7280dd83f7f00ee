"""The first page, lessons, my games, boards in frames: journeys of a new visitor."""

from __future__ import annotations

import random

from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser, User

import teahouse as th

GAME = th.games()[0]
SIZES = [(320, 640), (390, 844), (844, 390), (1280, 800), (1920, 1080)]


def overflow(user: User) -> int:
    """Return by how many pixels the page is wider than the window."""
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(user.page.evaluate(width))


def test_pages_fit_every_window(new_user: NewUser) -> None:
    user = new_user()
    for path in (
        "/",
        "/learn",
        "/new",
        "/mine",
        "/waiting",
        "/sign-up",
        "/tournaments/new",
        "/nowhere",
    ):
        user.open(path)
        for width, height in SIZES:
            user.page.set_viewport_size({"width": width, "height": height})
            assert overflow(user) <= 0, (path, width)
    user.expect_answers(404)


def test_the_menu_of_a_phone(new_user: NewUser) -> None:
    user = new_user(size=(390, 844)).open("/")
    page = user.page
    links = page.locator(".site-nav a")
    expect(links.first).to_be_hidden()
    page.locator(".open-nav").focus()
    page.keyboard.press("Enter")
    expect(links.first).to_be_visible()
    page.keyboard.press("Escape")
    expect(links.first).to_be_hidden()
    page.click(".open-nav")
    links.filter(has_text="My games").click()
    expect(page.locator("h1")).to_have_text("My games")


def test_from_the_first_page_to_a_finished_game(new_user: NewUser) -> None:
    """A new visitor plays, comes back, resigns, and finds the game with its result."""
    user = new_user().open("/")
    page = user.page
    card = page.locator(f".card[data-game={GAME}]")
    expect(card.locator(".learn")).to_have_class("button main learn")
    card.locator(".level").select_option("1")
    card.locator(".play").click()
    page.wait_for_url("**/tables/*")
    table = page.url
    user.play_random_move(random.Random(1))
    user.open("/")
    tile = page.locator("#continue")
    expect(tile).to_contain_text("Level 1 · Beginner")
    tile.click()
    page.wait_for_url(table)
    page.click("[data-action=resign]")
    page.click("#confirm .main")
    expect(page.locator("[data-action=rematch]").first).to_be_visible()
    user.create_table(GAME, {}, ["local", "local"])
    user.play_random_move(random.Random(1))
    user.open("/mine")
    finished = page.locator("#lists li").filter(has_text="You lost")
    expect(finished).to_contain_text("against Level 1 · Beginner")
    expect(finished).to_contain_text("You resigned.")
    assert not violations(user)
    page.select_option("[name=result]", "won")
    expect(page.locator("#filtered")).to_be_visible()
    page.select_option("[name=result]", "lost")
    expect(page.locator("#lists li")).to_have_count(1)
    finished.get_by_role("button", name="Analyse").click()
    page.wait_for_url("**/explore?record=*")


def test_lessons_show_their_progress(new_user: NewUser) -> None:
    user = new_user().open("/learn")
    page = user.page
    progress = f"""localStorage.setItem("teahouse.lessons",
      JSON.stringify({{ {GAME}: {{ step: 3, done: false }} }}))"""
    page.evaluate(progress)
    page.reload()
    link = page.locator(f".card[data-game={GAME}] .learn")
    expect(link).to_have_text("Continue the lesson at step 3")
    page.evaluate(progress.replace("false", "true"))
    user.open("/")
    expect(link).to_have_class("button learn done")
    expect(page.locator(f".card[data-game={GAME}] .play")).to_have_class("play main")


def test_games_to_watch_and_embedded_boards(new_user: NewUser) -> None:
    """A listed game is on the first page, and its board in a frame follows the moves."""
    player, visitor = new_user(), new_user()
    page = player.page
    page.goto(f"/new?game={GAME}")
    expect(page.locator("#create")).to_be_enabled()
    listed = page.locator("[name=listed]")
    expect(listed).not_to_be_checked()
    for seat in range(2):
        page.select_option(f"#seat-{seat}", "bot-1")
    expect(listed).to_be_checked()
    for seat in range(2):
        page.select_option(f"#seat-{seat}", "local")
    expect(listed).not_to_be_checked()
    listed.check()
    page.click("#create")
    page.wait_for_url("**/tables/*")
    player.play_random_move(random.Random(1))
    table = page.url.rsplit("/", 1)[-1]
    visitor.open("/")
    expect(visitor.page.locator(f"#live a[href='/tables/{table}']")).to_be_visible()
    assert not violations(visitor)
    visitor.open(f"/embed/{table}")
    ply = visitor.page.locator("#ply")
    expect(ply).to_have_text("1 / 1")
    player.play_random_move(random.Random(2))
    expect(ply).to_have_text("2 / 2")
    visitor.page.click("[data-step=first]")
    expect(ply).to_have_text("0 / 2")
    visitor.page.keyboard.press("End")
    expect(ply).to_have_text("2 / 2")
    expect(visitor.page.locator("#last-move")).not_to_be_empty()
    assert not violations(visitor)


def test_own_drawings(new_user: NewUser) -> None:
    """An option with several lines begins with a draft, and says what is wrong with a change."""
    user = new_user()
    page = user.page
    tried = 0
    for game in th.games():
        user.open(f"/new?game={game}")
        expect(page.locator("#create")).to_be_enabled()
        presets = page.locator("#options select.preset")
        if not presets.count():
            continue
        page.click("#options-box summary")
        presets.first.select_option(label="Own drawing")
        area = page.locator("#options textarea").first
        expect(area).not_to_have_value("")
        area.fill("?\n?")
        area.blur()
        expect(page.locator("#error")).not_to_be_empty()
        expect(page.locator("#create")).to_be_disabled()
        tried += 1
    assert tried


def test_a_guest_plays_where_the_browser_stores_nothing(new_user: NewUser) -> None:
    """The address has the seat instead, so that it is not lost when the page is loaded again."""
    user = new_user()
    page = user.page
    page.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(globalThis, name, {
            get() { throw new DOMException("Storage is blocked.", "SecurityError"); },
          });
        }"""
    )
    user.open("/")
    page.locator(".card .play").first.click()
    page.wait_for_url("**/tables/*")
    for _ in range(2):
        expect(page.locator(".seat.yours")).to_have_count(1)
        page.reload()
    user.open("/explore")
    expect(page.locator("#board .spot").first).to_be_attached()


def test_a_list_that_cannot_be_loaded_again_stays(new_user: NewUser) -> None:
    """A tab that wakes up before the network does: the games are shown, and why they may be old."""
    user = new_user()
    user.create_table("orochi", {}, ["local", "local"])
    page = user.open("/mine").page
    expect(page.locator("#lists .title")).to_be_visible()
    user.expect_answers(503)
    page.route("**/api/status", lambda route: route.fulfill(status=503))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#not-loaded")).to_contain_text("status 503")
    expect(page.locator("#lists .title")).to_be_visible()
    page.unroute("**/api/status")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#not-loaded")).to_be_hidden()


def test_the_first_page_learns_that_a_game_waits_no_longer(new_user: NewUser) -> None:
    user = new_user()
    user.create_table("orochi", {}, ["local", "local"])
    page = user.open("/").page
    tile = page.locator("#continue b")
    expect(tile).to_have_text("Your turn")
    page.route("**/api/status", lambda route: route.fulfill(json={"tables": []}))
    page.wait_for_timeout(200)
    page.evaluate("dispatchEvent(new CustomEvent('waiting-changed'))")
    expect(tile).to_have_text("My games")
    expect(page.locator("#continue")).to_have_attribute("href", "/mine")
