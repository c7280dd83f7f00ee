"""Single JavaScript modules, run in the browser."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from support.browser import run_module

import teahouse as th
from teahouse.server.tables.snapshot_diffs import SnapshotParts
from teahouse.server.tables.snapshots import click_tree

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "pointing.json").read_text(encoding="utf-8")
)


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
    steps = run_module(page, "pointing", code, vector)
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
    assert run_module(page, "pointing", code, legal) == [["c", "d"], True, [], False, True, False]


def test_a_click_tree_has_the_same_moves_as_a_list(page: Page) -> None:
    position = th.load("toot", tiles=4, pieces=2).start()
    for move in ("+k13", "*", "+l12", "*"):
        position = position.play(move)
    legal = {move: [list(path) for path in position.click_paths(move)] for move in position.legal}
    code = "return m.legalMoves({ legal: [], click_tree: given });"
    found: dict[str, list[list[str]]] = {}
    for one in run_module(page, "pointing", code, click_tree(position)):
        found.setdefault(one["move"], []).extend(one["click_paths"])
    assert {move: sorted(paths) for move, paths in found.items()} == {
        move: sorted(paths) for move, paths in legal.items()
    }
    listed = [{"move": "a", "click_paths": [["b"]]}]
    code = "return m.legalMoves({ legal: given, click_tree: null });"
    assert run_module(page, "pointing", code, listed) == listed


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
    assert run_module(page, "arrow-keys", code, places) == ["right", "up", "slant", None]


def test_clock_texts(page: Page) -> None:
    code = "return given.map((ms) => [m.formatClock(ms), m.spokenTime(ms)]);"
    given = [59_001, 600_000, 3_725_000, 3 * 86_400_000, -5]
    assert run_module(page, "clock", code, given) == [
        ["1:00", "59 seconds left"],
        ["10:00", "10 minutes left"],
        ["1:02:05", "62 minutes left"],
        ["3 d 0 h", "3 days left"],
        ["0:00", "0 seconds left"],
    ]


@pytest.mark.parametrize(
    ("reason", "winners", "own", "wanted"),
    [
        ("Black has no token left.", [0], 0, "You won. Black has no token left."),
        ("Black has no token left.", [0], 1, "You lost. Black has no token left."),
        ("Black has no token left.", [0], None, "White won. Black has no token left."),
        ("Black resigned.", [0], 1, "You lost. You resigned."),
        ("Black's time ran out.", [0], 1, "You lost. Your time ran out."),
        ("Black resigned.", [0], 0, "You won. Black resigned."),
        ("All chips are laid.", [0, 1], 0, "Your team won. All chips are laid."),
        ("All chips are laid.", [0, 1], None, "White and Black won. All chips are laid."),
        ("60 turns passed without progress.", [], 0, "Draw. 60 turns passed without progress."),
        (None, [1], None, "Black won."),
        ("White did not join in time.", None, 1, "No result. White did not join in time."),
        (
            "Black made no first move in time.",
            None,
            1,
            "No result. You made no first move in time.",
        ),
    ],
)
def test_result_texts(
    page: Page, reason: str | None, winners: list[int] | None, own: int | None, wanted: str
) -> None:
    """`winners` is None for a game without a result."""
    result = "*" if winners is None else "draw"
    ended = {"result_reason": reason, "winners": winners or [], "result": result}
    given = {"ended": ended, "own": own}
    code = "return m.resultText(given.ended, ['White', 'Black'], given.own);"
    assert run_module(page, "wording", code, given) == wanted


@pytest.mark.parametrize(
    ("move", "wanted"),
    [("d4-e5", "d4-e5"), ("*", "entered a piece on k13"), ("12", "12"), ("-", "passed")],
)
def test_moves_that_are_signs_are_given_in_words(page: Page, move: str, wanted: str) -> None:
    played = {"move": move, "player": 1, "description": f"Black {wanted}"}
    assert (
        run_module(page, "wording", "return m.moveLabel(given, ['White', 'Black'])", played)
        == wanted
    )


def test_a_growing_board_keeps_its_scale_while_it_fits(page: Page) -> None:
    shown = [0, 0, 100, 100]
    boxes = [[10, 0, 90, 90], [10, 10, 40, 40], [0, 0, 110, 100]]
    code = "return given[1].map((box) => m.nextViewBox(given[0], box))"
    assert run_module(page, "view-box", code, [shown, boxes]) == [shown, boxes[1], boxes[2]]


def test_the_nearest_target(page: Page) -> None:
    """A finger reaches 24 pixels from the centre of a small target, a mouse 6 beyond its edge."""
    code = """
      const target = (left, size) => ({
        name: left, getBoundingClientRect: () => ({ left, top: 0, width: size, height: size }),
      });
      const targets = [target(0, 20), target(60, 20)];
      return given.map(([x, touch]) => m.nearestTarget(targets, { x, y: 10 }, touch)?.name ?? null);
    """
    given = [[25, False], [27, False], [27, True], [33, True], [37, True], [47, True]]
    assert run_module(page, "nearest", code, given) == [0, None, 0, 0, None, 60]


def test_prompts(page: Page) -> None:
    snapshot = {"player": 1, "prompt": "Place a stone.", "winners": [], "result_reason": None}
    over = {**snapshot, "player": None, "winners": [1], "result_reason": "Why not."}
    code = """
      const players = ["White", "Black"];
      return given.map(([snapshot, own]) => m.promptText(snapshot, players, own));
    """
    given = [[snapshot, 1], [snapshot, 0], [snapshot, None], [over, 1], [over, 0]]
    assert run_module(page, "wording", code, given) == [
        "Your turn: place a stone.",
        "Black to move: place a stone.",
        "Black to move: place a stone.",
        "You won. Why not.",
        "You lost. Why not.",
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
    assert run_module(page, "table-state", code, messages) == [[0, 0], [1, 1], [0, 1], [1, 0]]


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
    once, twice = run_module(page, "flip", code, plain)
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
    assert run_module(page, "wording", "return m.botStatusText(given)", status) == text


def test_connection_starts_anew_after_a_difference_to_an_unknown_snapshot(page: Page) -> None:
    """It hands on nothing of that connection; the next one starts with a whole snapshot."""
    code = """
      const [sockets, timers, received, statuses] = [[], [], [], []];
      const { WebSocket, setTimeout } = globalThis;
      globalThis.setTimeout = (callback, ms) => timers.push({ callback, ms });
      globalThis.WebSocket = class {
        static OPEN = 1;
        readyState = 1;
        sent = [];
        constructor() { sockets.push(this); }
        send(text) { this.sent.push(JSON.parse(text)); }
        close() { this.readyState = 3; }
        receive(message) { this.onmessage({ data: JSON.stringify(message) }); }
      };
      try {
        const connection = new m.Connection("x", [], {
          onmessage: (message) => received.push([message.seq, message.snapshot.svg]),
          onstatus: (status) => statuses.push(status),
        });
        connection.open();
        const diff = { values: {}, edits: { svg: [[0, 1, "c"]] } };
        sockets[0].onopen();
        sockets[0].receive({ type: "snapshot_diff", seq: 2, diff });
        sockets[0].receive({ type: "table", seq: 2, snapshot: { svg: "late" } });
        const closed = sockets.map(({ readyState }) => readyState === 3);
        timers.at(-1).callback();
        sockets[1].onopen();
        sockets[1].receive({ type: "table", seq: 2, snapshot: { svg: "ab" } });
        sockets[1].receive({ type: "snapshot_diff", seq: 3, diff });
        const joins = sockets.map(({ sent }) => [sent[0].type, sent[0].after]);
        return { closed, joins, received, statuses };
      } finally {
        Object.assign(globalThis, { WebSocket, setTimeout });
      }
    """
    assert run_module(page, "connection", code) == {
        "closed": [True],
        "joins": [["join", 0], ["join", 0]],
        "received": [[2, "ab"], [3, "ac"]],
        "statuses": ["lost", "open"],
    }


@pytest.mark.parametrize("name", th.games())
def test_differences_of_snapshots(page: Page, name: str) -> None:
    """A page builds the same snapshots from diffs as the server sends whole."""
    rng, position = random.Random(5), th.load(name).start()
    wholes, diffs, before = [], [], None
    for _ in range(12):
        last = None
        if before is not None and not position.over:
            move = rng.choice(position.legal)
            last, position = (position, move), position.play(move)
        parts = SnapshotParts.of(position, position.ply, last)
        wholes.append(parts.whole().decode())
        if before is not None:
            diffs.append(parts.diff(before).decode())
        before = parts
    code = """
      const { wholes, diffs } = given;
      let shown = JSON.parse(wholes[0]);
      return diffs.map((diff, index) => {
        shown = m.applyDiff(shown, JSON.parse(diff));
        return JSON.stringify(shown) === JSON.stringify(JSON.parse(wholes[index + 1]));
      });
    """
    made = run_module(page, "snapshot-diff", code, {"wholes": wholes, "diffs": diffs})
    assert made == [True] * len(diffs)


def test_clocks_go_on_while_a_device_sleeps(page: Page) -> None:
    """The steady clock of some browsers stands still meanwhile."""
    code = """
      const clocks = new m.Clocks();
      clocks.set({ running: 0, remaining_ms: [60000, 50000], paused_until: null, at: 0 });
      const real = Date.now;
      Date.now = () => real() + 30000;
      const slept = [clocks.remaining(0), clocks.remaining(1)];
      Date.now = () => real() - 30000; // the system's clock was set back
      const after = clocks.remaining(0);
      Date.now = real;
      return [...slept, after];
    """
    slept, waiting, after = run_module(page, "clock", code)
    assert 25_000 < slept <= 30_000
    assert waiting == 50_000
    assert 55_000 < after <= 60_000


def test_the_focus_goes_on_from_a_button_that_is_disabled(page: Page) -> None:
    code = """
      const box = document.body.appendChild(document.createElement("div"));
      const show = (disabled) => m.renderButtons(box, [
        { name: "rematch", label: "Rematch", disabled }, { name: "review", label: "Review" },
      ], {});
      show(false);
      box.querySelector("button").focus();
      show(true);
      const focused = document.activeElement.textContent;
      box.remove();
      return focused;
    """
    assert run_module(page, "actions", code) == "Review"


def test_the_focus_goes_on_from_what_is_hidden(page: Page) -> None:
    code = """
      const [part, next] = ["One", "Other"].map((text) => {
        const button = document.body.appendChild(document.createElement("button"));
        button.textContent = text;
        return button;
      });
      part.focus();
      const found = [false, true].map((hidden) => {
        m.setHidden(part, hidden, next);
        return document.activeElement.textContent;
      });
      for (const one of [part, next]) one.remove();
      return found;
    """
    assert run_module(page, "dom", code) == ["One", "Other"]
