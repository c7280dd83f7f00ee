"""Parsers on texts that are nearly right: each is read, or rejected with the format's own error.

`benchmarks/fuzz.py` does the same for minutes and measures the time; `benchmarks/parsers.py`
measures that the time grows no faster than the text.
"""

from __future__ import annotations

import random

import pytest
from support.fuzz import FUZZERS

import teahouse as th
from teahouse.core.errors import IllegalMove, PositionError, RecordError
from teahouse.core.game import MAX_POSITION_TEXT
from teahouse.core.position import MAX_MOVE_TEXT


@pytest.mark.parametrize("name", FUZZERS)
@pytest.mark.parametrize("part", range(2))
def test_no_foreign_error(name: str, part: int) -> None:
    fuzzer = FUZZERS[name]
    for seed in range(100 * part, 100 * part + 100):
        fuzzer.check(fuzzer.generate(random.Random(seed)))


@pytest.mark.parametrize("body", ["{" * 90_000, "{a}" * 30_000, "{\\" * 45_000, "1. " * 30_000])
def test_adversarial_records_end_at_once(body: str) -> None:
    """With a quadratic parser each of these takes minutes."""
    try:
        th.Record.parse(f'[Game "orochi"]\n{body}')
    except RecordError as error:
        assert error.line == 2


def test_adversarial_positions_end_at_once() -> None:
    """With a backtracking pattern this takes longer than the universe has existed."""
    with pytest.raises(PositionError, match="may have only"):
        th.load("toot").position(f"k12:{'1' * 200}x b - 5,5 0,0 - 0 0 0")


def test_texts_have_a_bound() -> None:
    start = th.load("orochi").start()
    with pytest.raises(IllegalMove, match="at most 200 characters, got 201"):
        start.play("w" * (MAX_MOVE_TEXT + 1))
    with pytest.raises(PositionError, match=f"at most {MAX_POSITION_TEXT} characters"):
        start.game.position("1" * (MAX_POSITION_TEXT + 1))
    record = th.Record.new(start.game)
    record.play("wd4")
    record.play("wd5")
    assert th.Record.parse(record.text(), max_moves=2) == record
    with pytest.raises(RecordError, match="at most 1 moves, got 2"):
        th.Record.parse(record.text(), max_moves=1)
