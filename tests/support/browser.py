"""People who play in a browser: they see what is on the screen and point at it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, ElementHandle, Page, expect

NEXT = ".board-box .spot.target, .choices .choice.target:enabled"
FIRST = ".board-box .spot.start, .choices .choice.start:enabled"
OPEN = ".board-box.open"

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


class Guest:
    """A person with a browser."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.page: Page = context.new_page()
        self.troubles: list[str] = []
        self.page.add_init_script(WATCH_SHIFTS)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))

    def _console(self, message: Any) -> None:
        where = message.location.get("url", "")
        expected = where.endswith("/api/setup")  # options on their way to what is wanted may clash
        if message.type in ("error", "warning") and not expected:
            self.troubles.append(f"{message.text} ({where})")

    def leave(self) -> None:
        """Go home, after telling whether anything went wrong."""
        shifts = self.page.evaluate("window.shifts ?? []")
        self.context.close()
        assert not self.troubles, self.troubles
        assert not shifts, f"the board moved by itself: {shifts}"

    def go(self, path: str) -> Guest:
        """Open a page of the house."""
        self.page.goto(path)
        return self

    def open_table(self, game: str, options: dict[str, Any], seats: list[str]) -> str:
        """Fill in the form for a new table; the table's id."""
        page = self.page
        page.goto(f"/new?game={game}")
        expect(page.locator("#open")).to_be_enabled()
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
        expect(page.locator("#trouble")).to_be_empty()
        page.wait_for_load_state("networkidle")
        for seat, kind in enumerate(seats):
            page.select_option(f"#seat-{seat}", kind)
        page.click("#open")
        page.wait_for_url("**/tables/*")
        return page.url.rsplit("/", 1)[-1]

    def copied(self, button: str) -> str:
        """What a button puts into the clipboard."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.page.locator(button).first.click()
        got = self.page.wait_for_function("async () => await navigator.clipboard.readText()")
        return str(got.json_value())

    def wait_for_turn(self) -> bool:
        """Wait until this person decides, or the game is over; whether it goes on."""
        over = "[data-act=rematch], [data-act=follow]"
        found = self.page.wait_for_selector(f"{OPEN}, {over}", state="attached")
        assert found is not None
        return "open" in (found.get_attribute("class") or "")

    def click(self, element: ElementHandle) -> None:
        """Point at the middle of something with the mouse."""
        box = element.bounding_box()
        if box is None:  # another board has come in the meantime
            return
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def ply(self) -> int:
        """How many moves are listed."""
        return self.page.locator("#moves > li > .move").count()

    def move(self, chance: random.Random) -> None:
        """Make any move, pointing at what the board offers."""
        before = self.ply()
        self.page.wait_for_selector(OPEN)
        for _ in range(20):
            offered = self.page.query_selector_all(NEXT) or self.page.query_selector_all(FIRST)
            if not offered:
                break
            self.click(chance.choice(offered))
            # The board first: it closes when a move goes out, and is open again when that is back.
            if not self.page.query_selector(OPEN) or self.ply() > before:
                break
        self.page.wait_for_function(
            "before => document.querySelectorAll('#moves > li > .move').length > before", arg=before
        )

    def play_out(self, seed: int) -> int:
        """Play until the game is over; how many moves were made here."""
        chance = random.Random(seed)
        moves = 0
        while self.wait_for_turn():
            self.move(chance)
            moves += 1
        return moves


Enter = Callable[..., Guest]
"""Lets a guest in; see `browser/conftest.py`."""
