"""Sets of cells and links, compared with what they are by definition."""

from random import Random
from types import SimpleNamespace

import pytest

import teahouse as th
from teahouse.games.toot.bitboards import NOT_LOOSE, OFF, SIDE, WORDS, cell_at, lone_neighbours
from teahouse.games.toot.links import walks_from
from teahouse.games.toot.movegen import JUMP, KIND_SHIFT, jumps, piece_move

Place = tuple[int, int]


def adjacent(place: Place) -> set[Place]:
    column, row = place
    places = {(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)}
    return {(column, row) for column, row in places if column in range(SIDE) and row in range(SIDE)}


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4, 0.7])
def test_lone_neighbours(share: float) -> None:
    """Of tiles anywhere on the table, also at its edges."""
    random = Random(1)
    for _ in range(3):
        tiles: list[list[int]] = [[0] * WORDS, [0] * WORDS]
        places = {
            (column, row)
            for column in range(SIDE)
            for row in range(SIDE)
            if random.random() < share
        }
        for column, row in places:
            cell = cell_at(column, row)
            tiles[random.randrange(2)][cell >> 6] |= 1 << (cell & 63)
        state = SimpleNamespace(tiles=tiles)
        for place in places:
            lone = [near for near in adjacent(place) - places if adjacent(near) & places == {place}]
            expected = NOT_LOOSE if len(adjacent(place) & places) == 4 else len(lone)
            assert lone_neighbours(state, cell_at(*place)) == expected, place


def test_jumps_are_the_links_without_steps() -> None:
    game = th.load("toot")
    found = 0
    for seed in range(4):
        random = Random(seed)
        position = game.start()
        while not position.over:
            state = position.unpack()
            for player in range(2):
                for rank, cell in enumerate(state.cells[player]):
                    if cell == OFF:
                        continue
                    expected = 0
                    rest = walks_from(state, player, rank)
                    while rest:
                        if piece_move(state, player, rest & -rest) >> KIND_SHIFT == JUMP:
                            expected |= rest & -rest
                        rest &= rest - 1
                    assert jumps(state, player, rank) == expected
                    found += expected != 0
            position = position.play(random.choice(position.legal))
    assert found > 50
