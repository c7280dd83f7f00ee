"""Symmetries of games whose start is not symmetric: the transformed start is written by hand."""

import pytest

import teahouse as th
from teahouse.conformance.learning import require_symmetric
from teahouse.games.fillit import layouts
from teahouse.games.oolong import EXAMPLE
from teahouse.rl.episode import Episode
from teahouse.rl.spec import observation_spec

# Toot's first two tiles after each clockwise rotation by 90°; the centre tile is fixed.
ROTATED = ("k12:b/r", "k11:rb", "k11:r/b", "j11:br")


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("mode", layouts.MODES)
def test_fillit(mode: str, number: int) -> None:
    game = th.load("fillit", mode=mode)
    symmetry = list(observation_spec(game).symmetries())[number]
    signs = layouts.start_glyphs(game.options)
    transformed = list(signs)
    for cell, sign in enumerate(signs):
        transformed[symmetry.cells[cell]] = sign
    drawing = layouts.format_drawing("".join(transformed), layouts.MODES[mode].board)
    twin = th.load("fillit", mode=mode, layout=drawing)
    require_symmetric(Episode(game), Episode(twin), number, seed=number)


@pytest.mark.parametrize("stay", [False, True])
@pytest.mark.parametrize("number", range(16))
def test_oolong(number: int, stay: bool) -> None:
    game = th.load("oolong", markers=EXAMPLE, markers_stay=stay)
    symmetry = list(observation_spec(game).symmetries())[number]
    markers = [""] * 9
    for place, marker in enumerate(EXAMPLE.split(","), 1):
        markers[symmetry.cells[9 * place] // 9] = marker
    twin = th.load("oolong", markers=",".join(markers[1:]), markers_stay=stay)
    for seed in range(3):
        require_symmetric(Episode(game), Episode(twin), number, seed)


@pytest.mark.parametrize("number", range(12))
def test_orochi(number: int) -> None:
    game = th.load("orochi", side=3)
    require_symmetric(Episode(game), Episode(game), number, seed=number)


@pytest.mark.parametrize("number", range(8))
def test_toot(number: int) -> None:
    for tiles, pieces in ((12, 5), (4, 3)):
        game = th.load("toot", tiles=tiles, pieces=pieces)
        assert len(list(observation_spec(game).symmetries())) == 8
        twin = Episode(game)
        start = str(game.start()).replace(ROTATED[0], ROTATED[number % 4])
        twin.set(game.position(start))
        require_symmetric(Episode(game), twin, number, seed=number)
