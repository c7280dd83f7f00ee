"""Oolong's symmetries turn the compass: a game with turned markers is the turned game."""

import pytest
from twins import play_both

import teahouse as th
from teahouse.games.oolong import EXAMPLE
from teahouse.rl.games import view_of
from teahouse.rl.single import Single


@pytest.mark.parametrize("stay", [False, True])
@pytest.mark.parametrize("number", range(16))
def test_symmetries(number: int, stay: bool) -> None:
    game = th.load("oolong", markers=EXAMPLE, markers_stay=stay)
    symmetry = list(view_of(game).symmetries())[number]
    markers = [""] * 9
    for place, marker in enumerate(EXAMPLE.split(","), 1):
        markers[symmetry.cells[9 * place] // 9] = marker
    turned = th.load("oolong", markers=",".join(markers[1:]), markers_stay=stay)
    for seed in range(3):
        play_both(Single(game), Single(turned), number, seed)
