"""The other pages: my games, records, settings, rules; and the size of a table's page."""

from __future__ import annotations

import random
import re

import pytest
from page_weight import LIMIT, transferred
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from support.browser import NewUser
from support.servers import ServerProcess

import teahouse as th

GAME = th.games()[0]
PLACES = """() => {
  const waits = Boolean(document.querySelector(".pending"));
  const known = (part) => !part.closest(waits ? ".pending, .site-footer" : ".pending");
  const parts = document.querySelectorAll("main > *, .side > *, .actions > *, .site-footer");
  return Object.fromEntries([...parts]
    .filter((part) => part.checkVisibility() && part.offsetHeight && known(part))
    .map((part) => [part.id || part.textContent, Math.round(part.getBoundingClientRect().top)]));
}"""
"""The tops of the parts of a page that are visible, by their ids or texts."""
PAINTED = """() =>
  performance.getEntriesByType("paint").length === 2 && document.fonts.status === "loaded"
"""
WATCH_ALL_SHIFTS = """() => new Promise((watching) => {
  const shifts = [];
  const add = (entries) => shifts.push(...entries.flatMap(({ value, sources }) =>
    sources.map(({ node }) => [value, node?.id || node?.className || node?.textContent])));
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  window.readShifts = async () => {
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
    add(observer.takeRecords());
    return shifts;
  };
  observer.observe({ type: "layout-shift" });
  requestAnimationFrame(watching);
})"""
"""Define readShifts(), which resolves with all that has moved since, after the next frame."""


def test_my_games(new_user: NewUser) -> None:
    user = new_user().open("/mine")
    page = user.page
    expect(page.locator("#lists")).to_contain_text("No games yet")
    table = user.create_table(GAME, {}, ["local", "local"])
    user.play_random_move(random.Random(1))
    user.open("/mine")
    expect(page.locator("#lists h2").first).to_have_text("Your turn")
    expect(page.locator(f"a[href='/tables/{table}']")).to_be_visible()
    user.open("/")
    expect(page.locator(".site-nav .badge-count")).to_have_text("1")
    user.open("/mine")
    page.click("#lists button")
    expect(page.locator("#lists li")).to_have_count(1)
    page.click("text=Remove?")
    expect(page.locator("#lists li")).to_have_count(0)


def test_records(new_user: NewUser) -> None:
    user = new_user()
    page = user.page
    user.create_table(GAME, {}, ["local", "local"])
    for _ in range(2):
        user.play_random_move(random.Random(1))
    page.click("#share summary")
    with page.expect_download() as started:
        page.click("text=Download record")
    path = started.value.path()
    record = th.Record.parse(path.read_text())
    assert len(record.moves) == 2
    user.open("/mine")
    page.set_input_files("[name=file]", path)
    page.click("text=Open record")
    page.wait_for_url("**/records/*")
    expect(page.locator("#moves .move")).to_have_count(2)
    page.click("[data-step=back]")
    expect(page.locator("[aria-current=step]")).to_have_attribute("data-ply", "1")
    other = new_user().open(page.url)
    expect(other.page.locator("#moves .move")).to_have_count(2)
    user.open("/mine")
    page.fill("[name=text]", "not a record")
    page.click("text=Open record")
    expect(page.locator("#error")).not_to_be_empty()
    user.expect_answers(422)


@pytest.mark.parametrize("game", th.games())
def test_examples_in_the_rules(new_user: NewUser, game: str) -> None:
    user = new_user().open(f"/rules/{game}")
    page = user.page
    example = page.locator("figure.example").first
    example.scroll_into_view_if_needed()
    expect(example.locator(".board-box.open")).to_be_visible()
    last_move = example.locator(".last-move").inner_text()
    assert last_move
    example.locator("[aria-label='Previous move']").click()
    expect(example.locator(".last-move")).not_to_have_text(last_move)
    example.locator("[aria-label='Next move']").click()
    expect(example.locator(".last-move")).to_have_text(last_move)
    refused = example.locator(".spot:not(.start, .target, .large)").first
    refused.click(force=True)  # shakes, and the reason takes the place of the last move
    expect(example.locator(".last-move")).not_to_have_text(last_move)
    expect(page.locator(".in-short .diagram svg.board").first).to_be_visible()
    rulings = page.locator("details")
    if rulings.count():
        rulings.first.locator("summary").click()
        expect(rulings.first).to_have_attribute("open", "")
    expect(page.get_by_role("link", name="Play", exact=True).last).to_be_visible()


def test_exploring_any_game(new_user: NewUser) -> None:
    user = new_user().open("/explore")
    page = user.page
    last = th.games()[-1]
    page.select_option("#game", last)
    page.wait_for_selector(f".board[data-game={last}]")
    page.wait_for_selector(".board-box.open")
    spot = page.query_selector(".spot.start")
    assert spot is not None
    user.click(spot)
    expect(page.locator("#moves .move, .spot.selected, .choice.target").first).to_be_visible()


def test_settings_are_stored(new_user: NewUser) -> None:
    user = new_user(color_scheme="light").open("/")
    page = user.page
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#open-settings")
    page.check("[name=theme][value=dark]")
    page.check("[name=colours][value=colour-blind]")
    page.click("text=Done")
    assert page.evaluate(ground) != light
    page.reload()
    assert page.evaluate(ground) != light
    assert page.evaluate("document.documentElement.dataset.colours") == "colour-blind"


def test_storage_of_version_0_1_0_is_read(new_user: NewUser) -> None:
    """Seats, records, settings and flipped boards of the first version survive the update."""
    user = new_user(color_scheme="light")
    page = user.page
    table = user.create_table(GAME, {}, ["local", "local"])
    stored = page.evaluate("JSON.parse(localStorage.getItem('teahouse.tables'))")
    old = {
        "teahouse.tables": {table: {"secrets": stored[table]["secrets"], "links": {}, "at": 1}},
        "teahouse.records": [{"id": "0000000000", "title": "Old record", "at": 1}],
        "teahouse.turned": [GAME],
        "teahouse.name": "Anna",
        "teahouse.level": 5,
        "teahouse.settings": {"theme": "night", "colours": "clear", "coordinates": False},
    }
    page.evaluate(
        """old => {
          localStorage.clear();
          for (const [key, value] of Object.entries(old)) {
            localStorage.setItem(key, JSON.stringify(value));
          }
        }""",
        old,
    )
    user.open("/mine")
    expect(page.locator(f"a[href='/tables/{table}']")).to_be_visible()
    expect(page.locator("a[href='/records/0000000000']")).to_have_text("Old record")
    attributes = page.evaluate("({ ...document.documentElement.dataset })")
    expected = {"theme": "dark", "colours": "colour-blind", "coordinates": "false"}
    assert {name: attributes.get(name) for name in expected} == expected
    page.click("#open-settings")
    expect(page.locator("[name=theme][value=dark]")).to_be_checked()
    expect(page.locator("[name=colours][value=colour-blind]")).to_be_checked()
    expect(page.locator("#player-name")).to_have_value("Anna")
    page.check("[name=theme][value=system]")
    user.open("/")
    expect(page.locator(".level").first).to_have_value("5")
    assert page.evaluate("document.documentElement.dataset.theme") == "auto"
    user.open(f"/tables/{table}")
    expect(page.locator("#flip")).to_have_attribute("aria-pressed", "true")
    user.play_random_move(random.Random(1))  # the stored secrets still open the seats
    page.click("#flip")
    page.reload()
    page.wait_for_selector(".board-box.open")
    expect(page.locator("#flip")).to_have_attribute("aria-pressed", "false")


PIECES = """() =>
  [...document.querySelectorAll("#board .piece")].map((piece) => piece.dataset.at).sort()
"""


def test_playing_from_an_explored_position(new_user: NewUser) -> None:
    user = new_user().open(f"/explore#{GAME}")
    page = user.page
    page.wait_for_selector(".board-box.open")
    rng = random.Random(1)
    while not page.query_selector("#moves .move"):
        spots = page.query_selector_all(".spot.target") or page.query_selector_all(".spot.start")
        if spots:
            user.click(rng.choice(spots))
        page.wait_for_timeout(50)
    expect(page.locator("#last-move")).not_to_be_empty()
    pieces = page.evaluate(PIECES)
    page.click("[data-action=play]")
    page.wait_for_url("**/tables/*")
    expect(page.locator("#prompt")).to_contain_text("Your turn: ")
    expect(page.locator("#moves .move")).to_have_count(0)
    assert page.evaluate(PIECES) == pieces


def test_invalid_options(new_user: NewUser) -> None:
    user = new_user()
    for game in th.games():
        user.open(f"/new?game={game}")
        expect(user.page.locator("#create")).to_be_enabled()
    number = user.page.locator("#options input[type=number]").first
    user.page.click("#options-box summary")
    number.fill("100000")
    number.blur()
    expect(user.page.locator("#error")).not_to_be_empty()
    expect(user.page.locator("#create")).to_be_disabled()


def test_error_messages(new_user: NewUser) -> None:
    """Errors are sentences for people."""
    user = new_user().open("/mine")
    page = user.page
    error = page.locator("#error")
    page.click("text=Open record")
    expect(error).to_have_text("Choose a file or paste a record first.")
    page.fill("[name=text]", "x" * 100_001)
    page.click("text=Open record")
    expect(error).to_have_text("This record is too long (limit 100,000 characters).")
    user.open(f"/new?game={GAME}")
    expect(page.locator("#create")).to_be_enabled()
    page.locator(".seat-name-field").first.fill("a\u202eb")
    page.click("#create")
    expect(error).to_have_text("Please choose a name without direction-changing characters.")
    user.expect_answers(422)


def test_first_visits_are_small(new_user: NewUser) -> None:
    """Compressed, with fonts, scripts and messages of sockets: `tools/page_weight.py` has all."""
    user = new_user()
    paths = ["/", f"/rules/{GAME}"]
    paths += [f"/tables/{user.create_table(game, {}, ['local'] * 2)}" for game in th.games()]
    for path in paths:
        size = transferred(user.page, path)
        assert 10_000 < size <= LIMIT, (path, size)


def test_no_inline_code(new_user: NewUser) -> None:
    user = new_user()
    paths = [
        "/",
        "/new",
        "/mine",
        "/waiting",
        "/explore",
        "/account",
        "/account/security",
        "/tournaments/new",
        "/conduct",
        "/operator",
        "/ratings",
    ]
    for path in [*paths, f"/rules/{GAME}", f"/lab/{GAME}"]:
        user.open(path)
        html = user.page.content()
        assert not re.search(r"<[^>]+\sstyle=", html)
        assert not re.search(r"<[^>]+\son[a-z]+=", html)


def test_a_record_that_breaks_is_opened_as_far_as_it_is_good(new_user: NewUser) -> None:
    user = new_user().open("/mine")
    page = user.page
    record = th.Record.new(th.load(GAME), 1)
    record.play(record.position.legal[0])
    text = record.text()
    broken = f"{text[: text.rindex('*')]} 2. nonsense *\n"
    page.fill("[name=text]", broken)
    page.click("text=Open record")
    page.get_by_role("button", name="Open the first move").click()
    page.wait_for_url("**/explore?import")
    expect(page.locator("#main")).to_contain_text("has an error in line")
    user.expect_answers(422)


@pytest.mark.parametrize("path", ["/waiting", "/mine", "/explore"])
def test_parts_of_a_page_keep_their_places_when_its_script_runs(
    browser: Browser, server: ServerProcess, path: str
) -> None:
    context = browser.new_context(base_url=server.address, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.route("**/static/js/*.js", lambda route: route.abort())
    page.goto(path)
    before = page.evaluate(PLACES)
    page.unroute_all()
    page.goto(path)
    expect(page.locator(".pending, [aria-busy], #set-up:disabled")).to_have_count(0)
    after = page.evaluate(PLACES)
    context.close()
    moved = {name: (top, after[name]) for name, top in before.items() if name in after}
    assert len(moved) > 1
    assert [name for name, (top, now) in moved.items() if abs(top - now) > 1] == []


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 800)])
def test_nothing_moves_when_a_slow_script_runs(
    browser: Browser, server: ServerProcess, size: tuple[int, int]
) -> None:
    viewport: ViewportSize = {"width": size[0], "height": size[1]}
    context = browser.new_context(base_url=server.address, viewport=viewport)
    page = context.new_page()
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    table, secrets = server.create_table(game=GAME, seats=seats)
    for path, script in (
        ("/explore", "analysis"),
        ("/new", "new-game"),
        (f"/tables/{table}#{secrets[0]}", "table"),
    ):
        assert _shifts_of_a_slow_script(page, path, script) == [], path
    context.close()


def _shifts_of_a_slow_script(page: Page, path: str, script: str) -> list[object]:
    """Let a page be painted before its script arrives; return all that the script has moved."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/static/js/{script}.js", hold)
    page.goto(path, wait_until="commit")
    page.wait_for_function(PAINTED)
    page.evaluate(WATCH_ALL_SHIFTS)
    held[0].continue_()
    expect(page.locator(".pending, [aria-busy], #set-up:disabled, #create:disabled")).to_have_count(
        0
    )
    page.wait_for_load_state()
    page.unroute_all()
    return list(page.evaluate("readShifts()"))


def test_touch_devices_are_told_of_no_keys(new_user: NewUser) -> None:
    phone, wide = new_user((375, 700), has_touch=True, is_mobile=True), new_user()
    expect(wide.open("/waiting").page.locator("kbd")).to_be_visible()
    expect(phone.open("/waiting").page.locator("kbd")).to_be_hidden()


LINES = "level => level.offsetHeight / parseFloat(getComputedStyle(level).lineHeight)"


def test_the_level_of_a_bot_takes_two_lines_on_a_phone(new_user: NewUser) -> None:
    user = new_user((375, 700), has_touch=True, is_mobile=True)
    user.create_table("oolong", {}, ["local", "bot-3"])
    level = user.page.locator(".bot-level", has_text="rating")
    assert level.evaluate(LINES) < 2.5


@pytest.mark.parametrize("mode", ["3", "teams"])
def test_the_level_of_a_bot_takes_two_lines_beside_other_seats(
    new_user: NewUser, mode: str
) -> None:
    user = new_user((1280, 800))
    bots = ["bot-1"] * (2 if mode == "3" else 3)
    user.create_table("fillit", {"mode": mode}, ["local", *bots])
    levels = user.page.locator(".bot-level:not(:empty)")
    expect(levels).to_have_count(len(bots))
    for level in levels.all():
        assert level.evaluate(LINES) < 2.5
        assert "rating" in str(level.get_attribute("title"))
    think = """thinks => {
      const seats = document.getElementById("seats");
      for (const seat of seats.children) seat.classList.toggle("thinking", thinks);
      return seats.offsetHeight;
    }"""
    assert user.page.evaluate(think, True) == user.page.evaluate(think, False)
