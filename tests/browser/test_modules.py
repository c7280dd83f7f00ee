"""The page's modules that know no page, run in the browser."""

from __future__ import annotations

from typing import Any

import pytest
from guests import Enter
from playwright.sync_api import Page

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
