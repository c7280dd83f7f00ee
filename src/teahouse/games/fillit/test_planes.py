"""Fillit's symmetries turn the board: a game with a turned layout is the turned game."""

import pytest
from twins import play_both

import teahouse as th
from teahouse.games.fillit import layouts
from teahouse.rl.games import view_of
from teahouse.rl.single import Single


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("mode", layouts.MODES)
def test_symmetries(mode: str, number: int) -> None:
    game = th.load("fillit", mode=mode)
    symmetry = list(view_of(game).symmetries())[number]
    signs = layouts.opening(game.options)
    turned = list(signs)
    for cell, sign in enumerate(signs):
        turned[symmetry.cells[cell]] = sign
    drawing = layouts.drawn("".join(turned), layouts.MODES[mode].board)
    twin = th.load("fillit", mode=mode, layout=drawing)
    play_both(Single(game), Single(twin), number, seed=number)
