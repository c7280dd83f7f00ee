"""A user of the web pages: clicks what is shown, and collects errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, ElementHandle, Page, expect

from support.accounts import PASSWORD

NEXT = ".board-box .spot.target, .choices .choice.target:enabled"
FIRST = ".board-box .spot.start, .choices .choice.start:enabled"
OPEN = ".board-box.open"
"""A board that accepts a move."""

WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    for (const { node } of entry.sources ?? []) {
      const moved = node?.nodeType === 1 ? node : node?.parentElement;
      if (moved?.closest?.(".board-box, .stage")) window.shifts.push(entry.value);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
MOVES = "#moves > li > .move"
MORE_MOVES = f"before => document.querySelectorAll('{MOVES}').length > before"
OPEN_OR_MORE_MOVES = f"before => document.querySelector('{OPEN}') || ({MORE_MOVES})(before)"

TOWARDS = """selector => {
  const active = document.activeElement;
  const middle = (one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  if (active.matches(selector)) return null;
  const [x, y] = middle(active);
  const away = (one) => Math.hypot(middle(one)[0] - x, middle(one)[1] - y);
  const found = [...document.querySelectorAll(selector)].sort((a, b) => away(a) - away(b))[0];
  const [right, down] = [middle(found)[0] - x, middle(found)[1] - y];
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? "ArrowRight" : "ArrowLeft";
  return down > 0 ? "ArrowDown" : "ArrowUp";
}"""
"""The arrow key towards the nearest element that matches; null if that has the focus."""


class User:
    """A browser context with one page."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.errors: list[str] = []
        self.expected: tuple[str, ...] = ()
        self.page.add_init_script(WATCH_SHIFTS)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _on_console(self, message: Any) -> None:
        url = message.location.get("url", "")
        expected = url.endswith("/api/setup")  # options may clash until the last one is filled in
        if message.type in ("error", "warning") and not expected:
            self.errors.append(f"{message.text} ({url})")

    def expect_answers(self, *statuses: int) -> None:
        """Let the browser log answers with these statuses, before or after this call."""
        self.expected += tuple(f"status of {status}" for status in statuses)

    def close(self) -> None:
        """Close the browser context; fail if there were errors or layout shifts of the board."""
        shifts = self.page.evaluate("window.shifts ?? []")
        self.context.close()
        errors = [text for text in self.errors if not any(one in text for one in self.expected)]
        assert not errors, errors
        assert not shifts, f"the board moved by itself: {shifts}"

    def open(self, path: str) -> User:
        """Open a page."""
        self.page.goto(path)
        return self

    def sign_up(self, name: str) -> None:
        """Create an account and sign in, as the page for it does."""
        if not self.page.url.startswith("http"):
            self.open("/conduct")
        answer = self.page.request.post(
            "/api/account/sign-up",
            data={"name": name, "password": PASSWORD},
            headers={"Origin": self.page.evaluate("location.origin")},
        )
        assert answer.status == 201, answer.text()

    def create_table(self, game: str, options: dict[str, Any], seats: list[str]) -> str:
        """Fill in the form for a new game; return the table's id."""
        page = self.page
        page.goto(f"/new?game={game}")
        expect(page.locator("#create")).to_be_enabled()
        if options:
            page.click("#options-box summary")
        for name, value in options.items():
            field = page.locator(f"#option-{name}")
            if isinstance(value, bool):
                field.set_checked(value)
            elif field.evaluate("field => field.localName") == "select":
                field.select_option(str(value))
            else:
                field.fill(str(value))
                field.blur()
        page.wait_for_selector("#new-game:not([aria-busy])")
        expect(page.locator("#error")).to_be_empty()
        for seat, kind in enumerate(seats):
            page.select_option(f"#seat-{seat}", kind)
        page.click("#create")
        page.wait_for_url("**/tables/*")
        return page.url.rsplit("/", 1)[-1]

    def copied_from(self, button: str) -> str:
        """Click a button that copies a link; return the link."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.page.locator(button).first.click()
        text = self.page.wait_for_function("async () => await navigator.clipboard.readText()")
        return str(text.json_value())

    def wait_for_turn(self) -> bool:
        """Wait for the user's turn or the end of the game; return whether it is a turn."""
        over = "[data-action=rematch], [data-action=follow]"
        found = self.page.wait_for_selector(f"{OPEN}, {over}", state="attached")
        assert found is not None
        return "open" in (found.get_attribute("class") or "")

    def click(self, element: ElementHandle) -> None:
        """Click the centre of an element with the mouse."""
        box = element.bounding_box()
        if box is None:  # the board has been replaced in the meantime
            return
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def tab_to(self, selector: str) -> None:
        """Press Tab until an element that matches has the focus."""
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"Tab does not lead to {selector}")

    def walk_to(self, selector: str) -> None:
        """Move the focus with Tab to the board and with arrow keys to an element that matches."""
        page = self.page
        if not page.evaluate("() => !!document.activeElement.closest('.board-box, .choices')"):
            self.tab_to(".board-box .spot")
        rng = random.Random(1)
        for step in range(60):
            key = page.evaluate(TOWARDS, selector)
            if key is None:
                return
            others = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]
            page.keyboard.press(key if step % 4 else rng.choice([key, *others]))
        raise AssertionError(f"arrow keys do not lead to {selector}")

    def ply(self) -> int:
        """Return the number of moves in the list."""
        return self.page.locator(MOVES).count()

    def instruction(self) -> str:
        """Return the prompt without "Your turn: " or "White to move: "."""
        return self.page.inner_text("#prompt").split(": ", 1)[1]

    def play_random_move(self, rng: random.Random) -> None:
        """Enter a random move by clicking targets, as soon as it is the user's turn."""
        self.page.wait_for_selector(OPEN)  # then the list has all moves
        before = self.ply()
        for _ in range(20):
            # A board closes when a move is sent, and while the page reconnects.
            self.page.wait_for_function(OPEN_OR_MORE_MOVES, arg=before)
            if self.ply() > before:
                return
            targets = self.page.query_selector_all(NEXT) or self.page.query_selector_all(FIRST)
            if targets:
                self.click(rng.choice(targets))
        self.page.wait_for_function(MORE_MOVES, arg=before)

    def play_to_end(self, seed: int) -> int:
        """Play random moves until the game is over; return their number."""
        rng = random.Random(seed)
        moves = 0
        while self.wait_for_turn():
            self.play_random_move(rng)
            moves += 1
        return moves


def user_to_move(*users: User) -> User:
    """Return the user whose board accepts a move, once all show the last move."""
    last = max(user.ply() for user in users)
    for user in users:
        expect(user.page.locator(MOVES)).to_have_count(last)
    while True:
        for user in users:
            if user.page.query_selector(OPEN):
                return user
        users[0].page.wait_for_timeout(20)


NewUser = Callable[..., User]
"""Opens a browser context for a new user; see `browser/conftest.py`."""


def run_module(page: Page, module: str, code: str, given: Any = None) -> Any:
    """Run code in a page with a JavaScript module as `m`; return its result."""
    script = f"async (given) => {{ const m = await import('/static/js/{module}.js'); {code} }}"
    return page.evaluate(script, given)
