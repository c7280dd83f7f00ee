"""Single JavaScript modules, run in the browser."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from support.servers import ServerProcess

import teahouse as th
from teahouse.server.snapshots import click_tree

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "pointing.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def page(browser: Browser, server: ServerProcess) -> Iterator[Page]:
    """A page of the server; the tests import modules into it."""
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    page.goto("/")
    yield page
    context.close()


def run(page: Page, module: str, code: str, given: Any = None) -> Any:
    script = f"async (given) => {{ const m = await import('/static/js/{module}.js'); {code} }}"
    return page.evaluate(script, given)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_pointing(page: Page, vector: dict[str, Any]) -> None:
    """The vectors that the Python specification passes too."""
    code = """
      const pointing = new m.Pointing(given.legal, given.within);
      return given.steps.map(({ click }) => {
        let move = null;
        if (click === "<back>") pointing.back();
        else if (click === "<clear>") pointing.clear();
        else move = pointing.click(click);
        const { chosen, targets } = pointing;
        const result = { click, chosen: [...chosen], targets: [...targets], move };
        if (move !== null) pointing.clear();
        return result;
      });
    """
    steps = run(page, "pointing", code, vector)
    for step in steps:
        step["targets"].sort()
    assert steps == vector["steps"]


def test_back_and_clear_say_whether_there_was_a_click(page: Page) -> None:
    legal = [
        {"move": "long", "click_paths": [["c", "d", "e"]]},
        {"move": "longer", "click_paths": [["c", "d", "f"]]},
    ]
    code = """
      const pointing = new m.Pointing(given);
      pointing.click("c");
      const before = [...pointing.chosen];
      const back = [pointing.back(), [...pointing.chosen], pointing.back()];
      pointing.click("c");
      return [before, ...back, pointing.clear(), pointing.clear()];
    """
    assert run(page, "pointing", code, legal) == [["c", "d"], True, [], False, True, False]


def test_a_click_tree_has_the_same_moves_as_a_list(page: Page) -> None:
    position = th.load("toot", tiles=4, pieces=2).start()
    for move in ("+k13", "*", "+l12", "*"):
        position = position.play(move)
    legal = {move: [list(path) for path in position.click_paths(move)] for move in position.legal}
    code = "return m.legalMoves({ legal: [], click_tree: given });"
    found: dict[str, list[list[str]]] = {}
    for one in run(page, "pointing", code, click_tree(position)):
        found.setdefault(one["move"], []).extend(one["click_paths"])
    assert {move: sorted(paths) for move, paths in found.items()} == {
        move: sorted(paths) for move, paths in legal.items()
    }
    listed = [{"move": "a", "click_paths": [["b"]]}]
    code = "return m.legalMoves({ legal: given, click_tree: null });"
    assert run(page, "pointing", code, listed) == listed


def test_arrow_keys(page: Page) -> None:
    places = [
        {"name": "right", "x": 10, "y": 1},
        {"name": "far", "x": 30, "y": 0},
        {"name": "up", "x": 0, "y": -10},
        {"name": "slant", "x": 5, "y": 9},
    ]
    code = """
      const from = { x: 0, y: 0 };
      const keys = ["ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft"];
      return keys.map((key) => m.nextPlace(key, from, given));
    """
    assert run(page, "arrow-keys", code, places) == ["right", "up", "slant", None]


def test_clock_texts(page: Page) -> None:
    code = "return given.map((ms) => [m.formatClock(ms), m.spokenTime(ms)]);"
    given = [59_001, 600_000, 3_725_000, 3 * 86_400_000, -5]
    assert run(page, "clock", code, given) == [
        ["1:00", "59 seconds left"],
        ["10:00", "10 minutes left"],
        ["1:02:05", "62 minutes left"],
        ["3 d 0 h", "3 days left"],
        ["0:00", "0 seconds left"],
    ]


@pytest.mark.parametrize(
    ("text", "winners", "own", "wanted"),
    [
        ("White wins: Black has no token left.", [0], 0, "You win: Black has no token left."),
        ("White wins: Black has no token left.", [0], 1, "White wins: Black has no token left."),
        ("White wins: Black has no token left.", [0], None, "White wins: Black has no token left."),
        ("Red resigned. Blue wins.", [1], 1, "Red resigned. You win."),
        ("Red and Blue win: all chips laid.", [0, 1], 0, "Your team wins: all chips laid."),
        ("Draw: 60 turns without progress.", [], 0, "Draw: 60 turns without progress."),
    ],
)
def test_result_texts(
    page: Page, text: str, winners: list[int], own: int | None, wanted: str
) -> None:
    given = {"text": text, "winners": winners, "own": own}
    code = "return m.resultText(given.text, given.winners, given.own);"
    assert run(page, "wording", code, given) == wanted


def test_prompts(page: Page) -> None:
    snapshot = {"player": 1, "prompt": "Place a stone.", "winners": [], "result_text": None}
    over = {**snapshot, "player": None, "winners": [1], "result_text": "Black wins: why not."}
    code = """
      const players = ["White", "Black"];
      return given.map(([snapshot, own]) => m.promptText(snapshot, players, own));
    """
    given = [[snapshot, 1], [snapshot, 0], [snapshot, None], [over, 1], [over, 0]]
    assert run(page, "wording", code, given) == [
        "Your turn: place a stone.",
        "Black to move: place a stone.",
        "Black to move: place a stone.",
        "You win: why not.",
        "Black wins: why not.",
    ]


def test_events_update_the_table_state(page: Page) -> None:
    table = {
        "type": "table",
        "protocol": 2,
        "seq": 3,
        "table": {"players": ["A", "B"]},
        "state": {"seats": [], "player": 0, "over": False},
        "moves": [],
        "chat": [],
        "snapshot": {"ply": 0},
        "your_seats": [0],
        "spectators": 0,
    }
    played = {"ply": 0, "seat": 0, "move": "x", "description": "A played x"}
    moved = {
        "type": "update",
        "seq": 4,
        "events": [{"type": "moved", "seq": 4, "time": 1.0, **played}],
        "state": {"player": 1, "ply": 1},
    }
    took_back = {
        "type": "update",
        "seq": 5,
        "events": [{"type": "took_back", "seq": 5, "time": 2.0, "ply": 0}],
        "state": {"player": 0, "ply": 0},
    }
    code = """
      const table = new m.TableState(given[0]);
      return given.map((message) => [table.apply(message).length, table.moves.length]);
    """
    messages = [table, moved, moved, took_back]
    assert run(page, "table-state", code, messages) == [[0, 0], [1, 1], [0, 1], [1, 0]]


NUMBERS = """svg => {
  const plain = (text) => text.replace(/-?\\d*\\.?\\d+/g, (number) => Number(number) + 0);
  const parts = [...new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("*")];
  return parts.filter((part) => !part.closest("defs")).map((part) =>
    [...part.attributes].map(({ name, value }) => [name, name[0] === "a" ? value : plain(value)]));
}"""


@pytest.mark.parametrize("game", th.games())
def test_flipped_board_equals_the_one_drawn_by_the_server(page: Page, game: str) -> None:
    rng = random.Random(3)
    position = th.load(game).start(1)
    last = None
    for _ in range(30):
        last = (position, rng.choice(position.legal))
        position = position.play(last[1])
    plain, flipped = (
        position.svg(page=True, tray=False, last=last, turned=turned) for turned in (False, True)
    )
    code = """
      const { parseSvg } = await import("/static/js/dom.js");
      const svg = parseSvg(given);
      m.flip(svg);
      const once = svg.outerHTML;
      m.flip(svg);
      return [once, svg.outerHTML];
    """
    once, twice = run(page, "flip", code, plain)
    assert page.evaluate(NUMBERS, once) == page.evaluate(NUMBERS, flipped)
    assert page.evaluate(NUMBERS, twice) == page.evaluate(NUMBERS, plain)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (None, ""),
        (
            {"preparing": 40, "waiting": False},
            "Preparing the computer player, first time only: 40\u00a0%",
        ),
        ({"preparing": None, "waiting": True}, "Waiting for your other games between computers."),
    ],
)
def test_bot_status(page: Page, status: Any, text: str) -> None:
    assert run(page, "wording", "return m.botStatusText(given)", status) == text
