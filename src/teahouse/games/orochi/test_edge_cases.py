"""Edge cases of the rules: all counts, chains of replacements, results, and every side."""

import random

import pytest

import teahouse as th
from teahouse.core import hexgrid
from teahouse.games.orochi.test_rules import BLACK, WHITE, drawn, over_connected, pieces

RING = ("b2", "b3", "c2", "c4", "d2", "d3")  # around c3, the centre of a board of side 3
OTHER = {"w": "b", "b": "w"}


def with_pieces(side: int, on: dict[str, str], player: str, opening: str = "two") -> th.Position:
    """Return the position with these pieces and no others."""
    names = hexgrid.names(side)
    rows = ["".join(on.get(names[cell], ".") for cell in row) for row in hexgrid.rows(side)]
    game = th.load("orochi", side=side, opening=opening)
    return game.position(f"{'/'.join(reversed(rows))} {player} 20")


@pytest.mark.parametrize("colour", ["w", "b"])
@pytest.mark.parametrize("player", ["w", "b"])
@pytest.mark.parametrize("same", range(7))
def test_c4_four_or_more_neighbours_of_either_colour(colour: str, player: str, same: int) -> None:
    ring = {cell: colour if i < same else OTHER[colour] for i, cell in enumerate(RING)}
    position = with_pieces(3, ring, player).play(f"{colour}c3")
    assert over_connected(position) == ({"c3"} if same >= 4 else set())
    assert (position.legal == ("xc3",)) == (same >= 4)
    assert (position.player == "wb".index(player)) == (same >= 4)


@pytest.mark.parametrize("colour", ["w", "b"])
@pytest.mark.parametrize("player", ["w", "b"])
def test_c5_a_replacement_makes_another_piece_over_connected(colour: str, player: str) -> None:
    """The chain in the figures of the source; C6 gives one more turn for all of it."""
    other = OTHER[colour]
    on = {**dict.fromkeys(("d4", "d3", "e3", "c3"), colour), "d5": other}
    on.update(dict.fromkeys(("d6", "e5", "c5"), other))
    mover = "wb".index(player)
    position = with_pieces(4, on, player).play(f"{colour}c4")
    assert (position.player, position.legal) == (mover, ("xd4",))
    position = position.play("xd4")
    assert (position.player, position.legal) == (mover, ("xd5",))
    position = position.play("xd5")
    assert (pieces(position)["d4"], pieces(position)["d5"]) == (other, colour)
    assert position.player == mover  # C6
    assert len(position.legal) == 2 * (37 - 9)
    assert position.play("wa1").player == 1 - mover


def test_c6_as_often_as_it_happens() -> None:
    """Two turns in a row end with a replacement, and a third turn follows."""
    on = dict.fromkeys(("b2", "b3", "c2", "f2", "f3", "e2"), "w")
    position = with_pieces(4, {**on, "c4": "w", "e4": "w"}, "w")
    for placed, due in (("wc3", "xc3"), ("we3", "xe3")):
        position = position.play(placed)
        assert (position.player, position.legal) == (WHITE, (due,))
        position = position.play(due)
        assert position.player == WHITE
    assert position.play("bg4").player == BLACK


@pytest.mark.parametrize(
    ("drawing", "winner"),
    [
        # 7 black; white groups of 5 and 4 are not added up.
        ("  b b b\n w b w b\nw w b w w\n b w b w\n  b w .", BLACK),
        ("  b b .\n w w w b\nb w b b w\n b w b w\n  w b w", WHITE),
        # The larger of two groups counts, wherever it touches the cell.
        ("  b b b\n w b w .\nb w b w b\n w b w b\n  b b w", BLACK),
        ("  b w b\n b b w b\nb w w b b\n b b w w\n  w . w", WHITE),
        ("  b w b\n w w b w\nb w b b w\n . b w w\n  b w w", BLACK),
        ("  . w b\n w b b w\nw w w w b\n b b b b\n  b w b", WHITE),
        # 6 black, 3 white; the white group of 8 does not touch the cell.
        ("  w w b\n w w b w\nw b b w b\n w w b w\n  w b .", BLACK),
    ],
)
def test_c8_the_largest_touching_group_of_each_colour(drawing: str, winner: int) -> None:
    for player in ("w", "b"):
        assert drawn(drawing, player).winners == (winner,)


@pytest.mark.parametrize("side", range(2, 9))
def test_c8_c9_results_on_boards_of_every_side(side: int) -> None:
    """Results of random games are those of groups found cell by cell."""
    chance = random.Random(side)
    game = th.load("orochi", side=side)
    for _ in range(60 // side**2 + 2):
        position = game.start()
        placed_last = WHITE
        for _ in range(10 * len(position.legal)):
            if position.over:
                break
            move = chance.choice(position.legal)
            if move[0] != "x":
                placed_last = position.player
            position = position.play(move)
        assert position.over
        white, black = sizes_at_the_last_cell(position)
        larger = WHITE if white > black else BLACK
        assert position.winners == (1 - placed_last if white == black else larger,)


def sizes_at_the_last_cell(position: th.Position) -> tuple[int, int]:
    """Return the sizes of the largest group of each colour there, straight from C8."""
    side = position.game.options["side"]
    on = pieces(position)
    names = (*hexgrid.names(side), "")
    near = {
        name: [names[cell] for cell in cells]
        for name, cells in zip(names, hexgrid.neighbours(side), strict=False)
    }
    (last,) = near.keys() - on.keys()
    largest = {"w": 0, "b": 0}
    for first in near[last]:
        group = {first} & on.keys()
        rest = [*group]
        while rest:
            found = {cell for cell in near[rest.pop()] if on.get(cell) == on[first]} - group
            group |= found
            rest += found
        if group:
            largest[on[first]] = max(largest[on[first]], len(group))
    return largest["w"], largest["b"]


@pytest.mark.parametrize("player", ["w", "b"])
def test_c9_the_player_of_the_last_turn_loses(player: str) -> None:
    mover = "wb".index(player)
    by_placement = drawn(" w b\nw . b\n w .", player).play("ba2")
    assert by_placement.over and by_placement.winners == (1 - mover,)
    # The last placement is followed by a replacement, and each colour has two.
    by_replacement = drawn(" b w\nw . w\n w .", player).play("wb2").play("xb2")
    assert by_replacement.over and by_replacement.winners == (1 - mover,)


def test_c10_replacements_give_another_turn_as_usual() -> None:
    position = with_pieces(3, dict.fromkeys(RING[:4], "w"), "b", "swap").play("wc3")
    assert (position.player, position.legal) == (BLACK, ("xc3",))
    position = position.play("xc3")
    assert position.player == BLACK
    assert position.play("wa1").player == WHITE


def test_sides_from_2_to_8() -> None:
    assert th.load("orochi").options == {"side": 4}
    for side in range(2, 9):
        cells = 3 * side * (side - 1) + 1
        assert len(th.load("orochi", side=side).start().legal) == 2 * cells
    for side in (1, 9):
        with pytest.raises(th.OptionError, match="side must be"):
            th.load("orochi", side=side)
