"""Packed masks and planes: the same as bytes, and expanded as blocks of a GPU do it."""

import os
import subprocess
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import teahouse as th
from teahouse.conformance.learning import random_actions
from teahouse.core.encoding import (
    draft_type,
    encoded_rules,
    mark_listed,
    mask_game,
    observation_spec,
    observe_game,
)
from teahouse.core.game import Game
from teahouse.core.jit import interpret
from teahouse.core.packed import WORD_BITS, packed_rules, plane_words, word_count
from teahouse.core.pyrecord import unpack
from teahouse.rl.episode import Episode


def unpacked(words: list[int], count: int) -> np.ndarray:
    return np.array([words[bit // WORD_BITS] >> bit % WORD_BITS & 1 for bit in range(count)])


def draft_of(episode: Episode) -> Any:
    draft: Any = unpack(np.zeros(1, draft_type(episode.spec))[0])
    draft.part = len(episode._draft)
    draft.chosen[: draft.part] = episode._draft
    return draft


@pytest.mark.parametrize("name", th.games())
def test_packed_encodings_are_those_in_bytes(name: str) -> None:
    game = th.load(name)
    listed = ModuleType("listed")
    vars(listed).update({**vars(encoded_rules(game)), "mark_legal": mark_listed})
    for episode in random_actions(game, 5, 60):
        check_encodings(game, listed, episode)


def check_encodings(game: Game, listed: ModuleType, episode: Episode) -> None:
    spec, encoded, packed = observation_spec(game), encoded_rules(game), packed_rules(game)
    state, draft = episode.position.unpack(), draft_of(episode)
    moves = [0] * game.layout.max_moves

    def mask(rules: ModuleType, length: int, kind: Any) -> tuple[int, Any]:
        found = kind([1] * length)
        return interpret(mask_game, rules)(game.board, state, draft, moves, found), found

    count, own = mask(encoded, spec.action_count, np.array)
    assert count == own.sum()
    listed_count, found = mask(listed, spec.action_count, np.array)
    assert count == listed_count
    assert np.array_equal(own, found)
    packed_count, words = mask(packed, word_count(spec.action_count), list)
    assert count == packed_count
    assert np.array_equal(own, unpacked(words, spec.action_count))

    area = spec.shape[0] * spec.shape[1]
    for viewer in range(len(game.players)):
        planes = np.zeros((len(spec.planes), area), np.uint8)
        rows = [[0] * plane_words(spec) for _ in spec.planes]
        for rules, target in ((encoded, planes), (packed, rows)):
            observe = interpret(observe_game, rules)
            observe(game.board, state, draft, viewer, spec.cell_offsets(), target)
        for plane, words in zip(planes, rows, strict=True):
            assert np.array_equal(plane, unpacked(words, area) * words[-1])


def test_blocks_expand_packed_rows() -> None:
    """In Numba's simulator of a GPU, which runs the kernels as Python."""
    program = os.path.join(os.path.dirname(__file__), "support", "expand_simulated.py")
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(
        [sys.executable, "-P", program], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
