"""The page's modules that know no page, run in the browser."""

from __future__ import annotations

import random
from typing import Any

import pytest
from playwright.sync_api import Page
from support.browser import Enter

import teahouse as th

LEGAL = [
    {"move": "wa", "ways": [["white", "a"], ["a", "white"]]},
    {"move": "ba", "ways": [["black", "a"], ["a", "black"]]},
    {"move": "wb", "ways": [["white", "b"], ["b", "white"]]},
    {"move": "long", "ways": [["c", "d", "e"]]},
    {"move": "longer", "ways": [["c", "d", "f"]]},
    {"move": "go", "ways": [["table"]]},
]


@pytest.fixture
def page(enter: Enter) -> Page:
    return enter().go("/").page


def run(page: Page, module: str, code: str, given: Any = None) -> Any:
    script = f"async (given) => {{ const m = await import('/static/js/{module}.js'); {code} }}"
    return page.evaluate(script, given)


@pytest.mark.parametrize(
    ("pointed", "move", "chosen"),
    [
        (["white"], None, ["white"]),
        (["white", "a"], "wa", ["white", "a"]),
        (["a", "black"], "ba", ["a", "black"]),
        (["white", "white"], None, []),  # again: taken back
        (["white", "c"], None, ["c", "d"]),  # another beginning; a step without a choice is taken
        (["c", "e"], "long", ["c", "d", "e"]),
        (["c", "nowhere"], None, []),
        (["b"], None, ["b"]),  # the last step is never taken by itself
        (["nowhere"], None, []),
        (["seat"], "go", ["table"]),  # a seat stands for its table
    ],
)
def test_pointing(page: Page, pointed: list[str], move: str | None, chosen: list[str]) -> None:
    code = """
      const pointing = new m.Pointing(given.legal);
      let move = null;
      const within = { seat: ["table"] };
      for (const name of given.pointed) move = pointing.point(name, within[name] ?? []);
      return [move, pointing.chosen];
    """
    assert run(page, "pointing", code, {"legal": LEGAL, "pointed": pointed}) == [move, chosen]


def test_taking_back_goes_to_the_last_pointing(page: Page) -> None:
    code = """
      const pointing = new m.Pointing(given);
      pointing.point("c");
      const before = [...pointing.chosen];
      return [before, pointing.back(), pointing.chosen, pointing.back()];
    """
    assert run(page, "pointing", code, LEGAL) == [["c", "d"], True, [], False]


def test_directions(page: Page) -> None:
    places = [
        {"name": "right", "x": 10, "y": 1},
        {"name": "far", "x": 30, "y": 0},
        {"name": "up", "x": 0, "y": -10},
        {"name": "slant", "x": 5, "y": 9},
    ]
    code = """
      const from = { x: 0, y: 0 };
      const keys = ["ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft"];
      return keys.map((key) => m.following(key, from, given));
    """
    assert run(page, "directions", code, places) == ["right", "up", "slant", None]


def test_clocks_are_read(page: Page) -> None:
    code = "return given.map((left) => [m.reading(left), m.spoken(left)]);"
    given = [59_001, 600_000, 3_725_000, 3 * 86_400_000, -5]
    assert run(page, "clock", code, given) == [
        ["1:00", "59 seconds left"],
        ["10:00", "10 minutes left"],
        ["1:02:05", "62 minutes left"],
        ["3 d 0 h", "3 days left"],
        ["0:00", "0 seconds left"],
    ]


def test_events_make_a_table_grow(page: Page) -> None:
    table = {
        "type": "table",
        "number": 3,
        "table": {"players": ["A", "B"]},
        "state": {"seats": [], "player": 0, "over": False},
        "moves": [],
        "chat": [],
        "view": {"ply": 0},
        "yours": [0],
        "watching": 0,
    }
    moved = {"type": "moved", "number": 4, "ply": 0, "seat": 0, "move": "x", "says": "A plays x"}
    again = {"type": "update", "number": 4, "events": [moved], "state": {"player": 1, "ply": 1}}
    back = {
        "type": "update",
        "number": 5,
        "events": [{"type": "taken_back", "number": 5, "ply": 0}],
        "state": {"player": 0, "ply": 0},
    }
    code = """
      const known = new m.TableState();
      return given.map((message) => [known.apply(message).length, known.moves.length]);
    """
    messages = [table, again, again, back]
    assert run(page, "table-state", code, messages) == [[0, 0], [1, 1], [0, 1], [1, 0]]


NUMBERS = """svg => {
  const plain = (text) => text.replace(/-?\\d*\\.?\\d+/g, (number) => Number(number) + 0);
  const parts = [...new DOMParser().parseFromString(svg, "image/svg+xml").querySelectorAll("*")];
  return parts.filter((part) => !part.closest("defs")).map((part) =>
    [...part.attributes].map(({ name, value }) => [name, name[0] === "a" ? value : plain(value)]));
}"""


@pytest.mark.parametrize("game", th.games())
def test_a_turned_picture_is_the_one_that_the_house_would_draw(page: Page, game: str) -> None:
    chance = random.Random(3)
    position = th.load(game).start(1)
    last = None
    for _ in range(30):
        last = (position, chance.choice(position.legal))
        position = position.play(last[1])
    plain, wanted = (
        position.svg(page=True, tray=False, last=last, turned=turned) for turned in (False, True)
    )
    code = """
      const { picture } = await import("/static/js/dom.js");
      const svg = picture(given);
      m.turn(svg);
      const once = svg.outerHTML;
      m.turn(svg);
      return [once, svg.outerHTML];
    """
    once, twice = run(page, "turning", code, plain)
    assert page.evaluate(NUMBERS, once) == page.evaluate(NUMBERS, wanted)
    assert page.evaluate(NUMBERS, twice) == page.evaluate(NUMBERS, plain)
