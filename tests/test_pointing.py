"""Entering moves by clicking: the shared test vectors, and every move of random games."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import teahouse as th
from teahouse.session.pointing import Pointing

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "vectors" / "pointing.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vectors(vector: dict[str, Any]) -> None:
    legal = {entry["move"]: entry["click_paths"] for entry in vector["legal"]}
    pointing = Pointing(legal, vector["within"])
    for step in vector["steps"]:
        move = None
        if step["click"] == "<back>":
            pointing.back()
        elif step["click"] == "<clear>":
            pointing.clear()
        else:
            preview = pointing.preview(step["click"])
            move = pointing.click(step["click"])
            assert preview is None or preview == move
        assert list(pointing.chosen) == step["chosen"]
        assert sorted(pointing.targets) == step["targets"]
        assert move == step["move"]
        if move is not None:
            assert pointing.moves == [move]
            pointing.clear()


@pytest.mark.parametrize("game", th.games())
def test_every_move_can_be_clicked(game: str) -> None:
    rng = random.Random(3)
    position = th.load(game).start(1)
    for _ in range(6):
        for move in rng.sample(position.legal, min(20, len(position.legal))):
            for path in position.click_paths(move):
                pointing = Pointing.of(position)
                entered = None
                while entered is None:
                    assert pointing.chosen == path[: len(pointing.chosen)]
                    assert path[len(pointing.chosen)] in pointing.targets
                    assert move in pointing.moves
                    entered = pointing.click(path[len(pointing.chosen)])
                assert entered == move
        position = position.play(rng.choice(position.legal))
