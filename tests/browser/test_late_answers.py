"""What comes late, twice or not at all: answers of the server, clicks, and other tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect
from support.accounts import Browser
from support.browser import NewUser, run_module
from support.servers import ServerProcess
from support.tournament_requests import new_tournament


def test_a_rematch_can_be_started_without_who_is_silent(page: Page) -> None:
    code = """
      const box = document.body.appendChild(document.createElement("div"));
      const offer = { offer: "rematch", seat: 0, ply: 9, agreed: [0], awaiting: [2],
                      startable_in_ms: 1500 };
      const seats = [0, 1, 2].map(() => ({ kind: "remote", joined: true }));
      const table = {
        info: { id: "a", players: ["Red", "Yellow", "Blue"] }, state: { offers: [offer], seats },
        yourSeats: [0], rematchSeats: [0], moves: [], received: performance.now(),
      };
      const started = [];
      const actions = { respond: () => {}, start: (seat) => started.push(seat) };
      const labels = () => [...box.querySelectorAll("button")].map((one) => one.textContent);
      m.renderOffers(box, table, actions);
      box.querySelector("button").focus();
      const before = labels();
      while (!box.querySelector("button.main")) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const [text, focused] = [box.querySelector("p").textContent, document.activeElement];
      box.querySelector("button.main").click();
      return { before, after: labels(), text, focused: focused.textContent, started };
    """
    assert run_module(page, "offers", code) == {
        "before": ["Cancel"],
        "after": ["Start without Blue", "Cancel"],
        "text": "You asked for a rematch. Waiting for Blue.",
        "focused": "Cancel",
        "started": [0],
    }


def test_who_has_agreed_to_a_rematch_cannot_offer_it_too(page: Page) -> None:
    code = """
      const offer = { offer: "rematch", seat: 0, agreed: [0, 1], awaiting: [2] };
      const table = (seat) => ({
        info: {}, moves: [], rematchSeats: [seat], canRematch: true,
        state: { over: true, rematch: null, offers: [offer] },
      });
      const view = { exploring: false, atEnd: true, nextGame: null };
      return [0, 1, 2].map((seat) => m.endButtons(table(seat), view)[0].disabled);
    """
    assert run_module(page, "actions", code) == [True, True, False]


def test_a_socket_that_died_during_a_pause_is_noticed_soon(page: Page) -> None:
    """Times are a hundredth: silence of 0.25 s is a pause, 0.1 s after a ping a lost connection."""
    code = """
      const [socket, timeout] = [WebSocket, setTimeout];
      const wait = (ms) => new Promise((resolve) => timeout(resolve, ms));
      class Dead {
        static OPEN = 1;
        readyState = 1;
        constructor() {
          last = this;
          timeout(() => this.onmessage({ data: "{}" }));
        }
        send() {}
        close() {}
      }
      const states = [];
      let last = null;
      try {
        globalThis.WebSocket = Dead;
        globalThis.setTimeout = (run, ms) => timeout(run, ms / 100);
        const onstatus = (open) => states.push(open);
        new m.LiveSocket("/", { onmessage: () => {}, onstatus }).open();
        await wait(50);
        dispatchEvent(new Event("online"));
        await wait(150);
        last.onclose({ code: 4404 }); // for good
      } finally {
        globalThis.WebSocket = socket;
        globalThis.setTimeout = timeout;
      }
      return states.slice(0, 2);
    """
    assert run_module(page, "live-socket", code) == [True, False]


def test_the_focus_stays_when_a_list_is_replaced(page: Page) -> None:
    code = """
      const box = document.body.appendChild(document.createElement("div"));
      const link = (path) => Object.assign(document.createElement("a"), { href: path });
      const button = () => document.createElement("button");
      const show = (...items) => m.replaceKeepingFocus(box, items);
      const place = () => [...box.children].indexOf(document.activeElement);
      const found = [show(link("/a"), link("/b"), button())];
      box.children[1].focus();
      found.push(show(link("/b"), link("/c")), place());
      found.push(show(link("/c"), link("/d")), place());
      box.children[1].focus();
      found.push(show(button()), place());
      found.push(show("nothing"), document.activeElement === document.body);
      return found;
    """
    assert run_module(page, "dom", code) == [True, True, 0, True, 0, True, 0, False, True]


def test_a_table_learns_its_seats_again_after_reconnecting(page: Page) -> None:
    code = """
      const state = { seats: [{ kind: "remote" }, { kind: "remote" }], offers: [] };
      const table = new m.TableState({
        seq: 3, table: {}, state, moves: [], chat: [], snapshot: {}, your_seats: [0],
      });
      const update = { type: "update", seq: 3, events: [], state };
      table.apply(update);
      const before = [...table.yourSeats];
      table.apply({ ...update, your_seats: [] });
      return [before, table.yourSeats];
    """
    assert run_module(page, "table-state", code) == [[0], []]


def test_what_is_written_during_a_synchronisation_stays(page: Page) -> None:
    code = """
      const storage = await import("/static/js/storage.js");
      const real = globalThis.fetch;
      storage.setSyncState({ account: "a", since: 1 });
      storage.setLessonProgress("oolong", { step: 3, done: false });
      storage.clearChanges(storage.changes());
      storage.setBotLevel(5);
      globalThis.fetch = async () => {
        storage.setLessonProgress("oolong", { step: 4, done: false });
        const data = { lessons: { oolong: { step: 3, done: false } } };
        return new Response(JSON.stringify({ data, time: 2 }));
      };
      try {
        await m.synchronise({ id: "a" });
      } finally {
        globalThis.fetch = real;
      }
      const left = Object.keys(storage.changes());
      return [storage.lessonProgress("oolong").step, left];
    """
    assert run_module(page, "account-data", code) == [4, ["lessons"]]


def test_what_a_full_storage_refuses_is_kept_by_the_page(page: Page) -> None:
    code = """
      const real = Storage.prototype.setItem;
      m.setBotLevel(2);
      Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); };
      m.setBotLevel(7);
      const full = m.botLevel();
      Storage.prototype.setItem = real;
      m.setBotLevel(4);
      return [full, m.botLevel(), localStorage.getItem("teahouse.level")];
    """
    assert run_module(page, "storage", code) == [7, 4, "4"]


def test_a_tap_is_confirmed_in_the_position_of_the_first_one(page: Page) -> None:
    code = """
      preferences.set("confirm", true);
      const part = () => document.createElement("div");
      const board = {
        box: part(), choices: part(), interactive: true, snapshot: { position: "one" },
        pointing: { peek: () => "a1" }, intercept: () => false, onselect: () => {},
      };
      new m.Preview(board, () => {});
      const tap = () => board.intercept("a1", true);
      const found = [tap(), tap(), tap()];
      board.snapshot = { position: "two" }; // the opponent has taken a move back
      found.push(tap(), tap());
      preferences.set("confirm", false);
      return found;
    """
    assert run_module(page, "preview", code) == [True, False, True, True, False]


def test_a_position_that_is_not_loaded_is_not_left(page: Page) -> None:
    code = """
      const answers = [];
      const load = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
      const tree = new m.GameTree(load, { game: "orochi", options: {} });
      const errors = [];
      tree.onerror = (error) => errors.push(error.message);
      tree.setMainline([{ move: "a" }, { move: "b" }, { move: "c" }], { ply: 3 });
      tree.goToEnd();
      const found = [tree.loading];
      const first = tree.step("back");
      const second = tree.step("back");
      found.push(tree.ply, tree.loading);
      answers[0].resolve({ ply: 2 });
      answers[1].reject(new Error("lost"));
      await new Promise((resolve) => setTimeout(resolve, 20));
      found.push(tree.ply, tree.loading, errors);
      tree.step("back");
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [...found, tree.ply, tree.loading];
    """
    found = run_module(page, "game-tree", code)
    assert found == [False, 1, True, 3, False, ["lost"], 2, False]


def test_a_move_of_a_study_that_is_not_loaded_is_not_left(page: Page) -> None:
    code = """
      const real = globalThis.fetch;
      globalThis.fetch = () => Promise.reject(new TypeError("offline"));
      const tree = new m.StudyTree({ game: "orochi", options: {} });
      const played = { player: 0, description: "", comment: "" };
      tree.load({ position: "start" }, "", [{ parent: -1, move: "a", ...played }]);
      const going = tree.step("forward");
      const during = [tree.current.depth, tree.loading];
      await new Promise((resolve) => setTimeout(resolve, 20));
      globalThis.fetch = real;
      return [...during, tree.current.depth, tree.loading];
    """
    assert run_module(page, "study-tree", code) == [1, True, 0, False]


def test_two_lines_that_are_removed_at_once_are_both_gone(page: Page) -> None:
    code = """
      const box = document.body.appendChild(document.createElement("section"));
      box.id = "conditional";
      const real = globalThis.fetch;
      let lines = [["a", "b"], ["c", "d"], ["e", "f"]];
      globalThis.fetch = async (_, { body }) => {
        lines = JSON.parse(body).lines ?? lines;
        const players = lines.map(() => [1, 0]);
        const answer = JSON.stringify({ lines, players, played: [] });
        await new Promise((resolve) => setTimeout(resolve, 20));
        return new Response(answer);
      };
      const table = { canPlan: true, ownSeat: 0, moves: [], info: { id: "a" }, isYourTurn: false };
      const tree = { branch: { ply: 0, moves: [] }, mainline: [] };
      const panel = new m.ConditionalPanel(table, tree, () => null, () => {});
      await panel.load();
      const buttons = [...box.querySelectorAll("button.remove")];
      buttons[0].click();
      buttons[1].click();
      await new Promise((resolve) => setTimeout(resolve, 200));
      globalThis.fetch = real;
      box.remove();
      return lines;
    """
    assert run_module(page, "conditional", code) == [["e", "f"]]


def test_an_error_in_the_lobby_ends_the_search_on_the_server_too(page: Page) -> None:
    code = """
      const sent = [];
      const pairing = new m.QuickPairing({ send: ({ type }) => sent.push(type) }, async () => {});
      const [button] = document.querySelectorAll("#quick button");
      button.disabled = false;
      button.click();
      pairing.stop("Too many messages.");
      document.getElementById("stop-search").click(); // that of the page itself
      return sent;
    """
    assert run_module(page, "quick-pairing", code) == ["seek", "stop"]


@pytest.mark.parametrize("asked", ["Hint", "Show solution"])
def test_a_late_answer_does_not_concern_the_next_puzzle(new_user: NewUser, asked: str) -> None:
    page = new_user().page
    held: list[Route] = []
    page.goto("/puzzles/orochi/1")
    expect(page.locator("#title")).to_have_text("Orochi puzzle 1")
    pattern = "**/hint" if asked == "Hint" else "**/solution"
    page.route(pattern, lambda route: held.append(route))
    with page.expect_request(pattern):
        page.click(f"text={asked}")
    page.click("text=Next puzzle")
    expect(page.locator("#title")).not_to_have_text("Orochi puzzle 1")
    with page.expect_response(pattern):
        held[0].continue_()
    page.wait_for_timeout(100)
    tried = "JSON.parse(localStorage.getItem('teahouse.puzzles') ?? '{}').games?.orochi?.tried"
    assert page.evaluate(tried) in (None, {"1": False})
    expect(page.locator("#solution")).to_be_hidden()
    expect(page.locator(".spot.hint")).to_have_count(0)


def test_a_position_that_cannot_be_set_up_leaves_the_board_as_it_was(new_user: NewUser) -> None:
    user = new_user()
    user.expect_answers(503)
    page = user.open("/explore?game=orochi").page
    expect(page.locator("#set-up")).to_be_enabled()
    page.route("**/api/edit", lambda route: route.fulfill(status=503))
    page.click("#set-up")
    expect(page.locator("#notice")).to_contain_text("status 503")
    expect(page.locator("#setup")).to_be_hidden()
    page.click(".choice >> nth=0")
    page.click(".spot >> nth=0")
    expect(page.locator("#moves .move")).to_have_count(1)


@pytest.mark.parametrize(("path", "line"), [("records", "#notice"), ("review", "#progress-text")])
def test_a_page_says_why_it_cannot_show_a_record(
    new_user: NewUser, server: ServerProcess, path: str, line: str
) -> None:
    text = '[Game "orochi"]\n[Seed "1"]\n\n1. wd4 *\n'
    record = server.request("/api/records", {"text": text})[1]["id"]
    user = new_user()
    user.expect_answers(503)
    user.page.route("**/api/explore", lambda route: route.fulfill(status=503))
    user.open(f"/{path}/{record}")
    expect(user.page.locator(line)).to_contain_text("status 503")


def test_a_sign_in_does_not_depend_on_the_data_of_the_browser(new_user: NewUser) -> None:
    user = new_user()
    user.expect_answers(413)
    user.page.route("**/api/account/data", lambda route: route.fulfill(status=413))
    user.open("/sign-up")
    user.page.fill("[name=name]", "Much data")
    user.page.fill("[name=password]", "kettle-on-a-96-stove")
    user.page.click("#sign-in-form button.main")
    user.page.wait_for_url("**/")


def test_a_page_from_the_cache_is_loaded_again_for_another_account(new_user: NewUser) -> None:
    user = new_user()
    user.sign_up("Back and forth")
    page = user.open("/mine").page
    expect(page.locator("#open-account")).to_have_attribute("title", "Back and forth")
    shown = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
    page.evaluate("window.first = true")
    page.evaluate(shown)
    assert page.evaluate("window.first")
    with page.expect_navigation():
        page.evaluate(f"localStorage.setItem('teahouse.account', 'null'); {shown}")
    assert not page.evaluate("window.first")


def test_the_focus_stays_in_a_list_that_is_loaded_again(new_user: NewUser) -> None:
    user = new_user()
    user.create_table("orochi", {}, ["local", "local"])
    page = user.open("/mine").page
    page.focus("#lists .title")
    with page.expect_response("**/api/status"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(100)
    assert page.evaluate("document.activeElement.className") == "title"


def test_of_two_rounds_that_are_asked_for_the_last_one_is_shown(
    new_user: NewUser, server: ServerProcess
) -> None:
    """All rounds of a round robin by correspondence begin at once."""
    creator = Browser(server).sign_up("Four bots")
    clock, bots = {"kind": "correspondence", "days": 1}, {"level": 1, "players": 4}
    created = creator.post("/api/tournaments", **new_tournament(time_control=clock, bots=bots))
    page = new_user().open(f"/tournaments/{created['tournament']['id']}").page
    expect(page.locator("#round-label")).to_have_text("Round 3")
    held: list[Route] = []
    page.route("**/rounds/*", lambda route: held.append(route))
    for count in (1, 2):
        page.click("#previous")
        page.wait_for_timeout(50)
        assert len(held) == count
    for route in reversed(held):  # the second one is answered first
        with page.expect_response("**/rounds/*"):
            route.continue_()
    page.wait_for_timeout(100)
    expect(page.locator("#round-label")).to_have_text("Round 1")
