"""Write `tests/vectors/pointing.json`: clicks on real and made-up boards with what they lead to.

    python tools/pointing_vectors.py

The file is a list of test cases. Each has `legal` (moves with their click paths), `within` (the
larger spot that contains a spot) and `steps`: after `click` (a name, `<back>` or `<clear>`) the
names `chosen`, the `targets` in sorted order, and the completed `move` or null. The selection is
cleared after a move.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import teahouse as th
from teahouse.session.pointing import Pointing

FILE = Path(__file__).parent.parent / "tests" / "vectors" / "pointing.json"
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 3}),
    ("oolong", {}),
    ("fillit", {"mode": "2mini"}),
    ("toot", {"tiles": 7, "pieces": 2}),
]
POSITIONS = 4
CLICKS = 12
MAX_PATHS = 60  # of a position, so that the file stays small
Legal = dict[str, list[list[str]]]

MADE_UP: list[tuple[str, Legal, dict[str, str], list[str]]] = [
    ("one click plays", {"A": [["a"]], "B": [["b"]]}, {}, ["c", "a"]),
    (
        "steps without an alternative are taken, the last one is the player's",
        {"A": [["a", "b", "c"]], "B": [["d", "e"]]},
        {},
        ["a", "c", "<clear>", "d", "d", "e"],
    ),
    (
        "a second click on a chosen name deselects it",
        {"A": [["a", "b", "c"]], "B": [["a", "d", "e"]]},
        {},
        ["a", "b", "b", "a", "a", "d", "a", "a", "<back>", "<back>"],
    ),
    (
        "an automatic step belongs to the click before it",
        {"A": [["a", "b", "c", "d"]], "B": [["a", "b", "e", "f"]]},
        {},
        ["a", "c", "<back>", "c", "b", "a", "e", "f"],
    ),
    (
        "a click elsewhere starts again or clears",
        {"A": [["a", "x"]], "B": [["b", "x"], ["b", "y"]]},
        {},
        ["a", "b", "z", "b", "a", "y", "b", "y"],
    ),
    (
        "a spot counts for the larger spot that contains it",
        {"A": [["T", "n"]], "B": [["U", "n"], ["U", "n1"]]},
        {"t1": "T", "T": "board", "n1": "n", "u1": "U"},
        ["t1", "t1", "t1", "n1", "<clear>", "u1", "n1"],
    ),
    (
        "the same name may occur twice",
        {"A": [["a", "a"]], "B": [["a", "b", "a"]]},
        {},
        ["a", "b", "a", "<clear>", "a", "a"],
    ),
    ("two paths to one move", {"A": [["a", "b"], ["b", "a"]]}, {}, ["b", "b", "a", "b"]),
    ("no legal move", {}, {}, ["a", "<back>", "<clear>"]),
]


def run(legal: Legal, within: dict[str, str], clicks: list[str]) -> list[dict[str, Any]]:
    """Return what each click leads to."""
    pointing = Pointing(legal, within)
    steps = []
    for click in clicks:
        move = None
        if click == "<back>":
            pointing.back()
        elif click == "<clear>":
            pointing.clear()
        else:
            move = pointing.click(click)
        expected = {"chosen": list(pointing.chosen), "targets": sorted(pointing.targets)}
        steps.append({"click": click, **expected, "move": move})
        if move is not None:
            pointing.clear()
    return steps


def vector(name: str, legal: Legal, within: dict[str, str], clicks: list[str]) -> dict[str, Any]:
    """Return a named test case."""
    paths = [{"move": move, "click_paths": paths} for move, paths in legal.items()]
    return {"name": name, "legal": paths, "within": within, "steps": run(legal, within, clicks)}


def from_position(name: str, position: th.Position, rng: random.Random) -> dict[str, Any]:
    """Return a test case of clicks in a position, most of them on targets."""
    legal: Legal = {}
    moves = list(position.legal)
    rng.shuffle(moves)
    for move in sorted(moves[:MAX_PATHS], key=position.legal.index):
        legal[move] = [list(path) for path in position.click_paths(move)]
    within = {spot.name: spot.within for spot in position.scene.spots if spot.within}
    names = [spot.name for spot in position.scene.spots]
    names += [choice.name for choice in position.scene.choices]
    pointing = Pointing(legal, within)
    clicks: list[str] = []
    for _ in range(CLICKS):
        targets = sorted(pointing.targets) or [""]
        inner = [spot for spot in within if within[spot] in targets] or targets
        others = names + list(pointing.chosen) * len(names)
        pool = rng.choice([targets, targets, targets, inner, others, ["<back>"]])
        clicks.append(rng.choice(pool))
        if clicks[-1] == "<back>":
            pointing.back()
        elif pointing.click(clicks[-1]) is not None:
            pointing.clear()
    return vector(name, legal, within, clicks)


def main() -> None:
    """Write the file."""
    rng = random.Random(1)
    vectors = [vector(*case) for case in MADE_UP]
    for game, options in GAMES:
        position = th.load(game, **options).start(1)
        for number in range(POSITIONS):
            for _ in range(0 if number == 0 else rng.randint(1, 6)):
                if not position.over:
                    position = position.play(rng.choice(position.legal))
            if position.over:
                break
            name = f"{game}, ply {position.ply}"
            vectors.append(from_position(name, position, rng))
    FILE.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in vectors)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{FILE}: {len(vectors)} vectors")


if __name__ == "__main__":
    main()
