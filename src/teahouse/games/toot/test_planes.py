"""Toot's symmetries move the table: a game played on a turned table is the turned game."""

import pytest
from twins import play_both

import teahouse as th
from teahouse.rl.single import Single
from teahouse.rl.symmetries import Symmetries

# Where the first two tiles lie after each quarter turn clockwise; the middle one stays.
TURNED = ("k12:b/r", "k11:rb", "k11:r/b", "j11:br")


@pytest.mark.parametrize("number", range(8))
def test_symmetries(number: int) -> None:
    for tiles, pieces in ((12, 5), (4, 3)):
        game = th.load("toot", tiles=tiles, pieces=pieces)
        assert len(Symmetries.of(game).names) == 8
        twin = Single(game)
        start = str(game.start()).replace(TURNED[0], TURNED[number % 4])
        twin.set(game.position(start))
        play_both(Single(game), twin, number, seed=number)
