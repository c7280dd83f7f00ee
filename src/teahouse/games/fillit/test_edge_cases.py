"""Edge cases of the rules: only exits, the third side, every direction, the last turn."""

import pytest

import teahouse as th
from teahouse.core import hexgrid
from teahouse.games.fillit.test_rules import BLUE, RED, board, drawn, fields, hands

# Slides along the edges of the small board, one for each direction.
EDGES = {
    "E": ("a1", "a2", "a3", "a4"),
    "NE": ("a4", "b5", "c6", "d7"),
    "NW": ("d7", "e6", "f5", "g4"),
    "W": ("g4", "g3", "g2", "g1"),
    "SW": ("g1", "f1", "e1", "d1"),
    "SE": ("d1", "c1", "b1", "a1"),
}
EDGE_CELLS = {cell for edge in EDGES.values() for cell in edge}
INSIDE = [name for name in hexgrid.names(4) if name not in EDGE_CELLS and name != "d4"]


def on_the_edge(
    edge: tuple[str, ...], in_hand: int, *, path: str = "o..", turns: int = 10
) -> th.Position:
    """Return the position before a slide along an edge, over these chips and empty cells."""
    inside = "rrrbbbB" + "+" * (13 - in_hand - path.count("+"))
    on = {"d4": "#", **dict(zip(edge, "R" + path, strict=True))}
    on.update(zip(INSIDE, inside, strict=False))
    names = hexgrid.names(4)
    rows = ["".join(on.get(names[cell], ".") for cell in row) for row in hexgrid.rows(4)]
    text = f"{'/'.join(reversed(rows))} R both {turns} 20"
    return th.load("fillit", mode="2mini").position(text)


def test_f4_a_stone_may_close_one_of_two_exits() -> None:
    position = drawn(
        """
           g . . . .
          f . . . . .
         e r r . . . .
        d . . . # . . B
         c r . . . . .
          b . b . . .
           a R . b b
        """,
        mode="2mini",
    )
    assert position.play("Sc1-b1").legal == ("Pa1-a2",)


def test_f4_the_pawn_that_can_move_may_not_be_swapped_into_a_trap() -> None:
    drawing = """
           g . . . .
          f . . r . .
         e . . r . . .
        d . . . # . . B
         c . . . . . .
          b b b . . .
           a r R . b
        """
    position = drawn(drawing, mode="2mini")
    assert {"Pa2-a3", "Pa2-f5", "Sf3-f4"} <= {*position.legal}
    with pytest.raises(th.IllegalMove, match="could not move afterwards"):
        position.play("Sa1-a2")
    # Once it has moved it may (F3, F8).
    after = drawn(drawing, due="stone", mode="2mini").play("Sa1-a2")
    assert (board(after)["a1"], board(after)["a2"], after.player) == ("R", "r", BLUE)


def test_f7_chips_of_the_own_side_cost_nothing() -> None:
    position = on_the_edge(EDGES["E"], 2, path="++.")
    assert hands(position) == [2, 13]
    after = position.play("Pa1-a4")
    assert not after.over
    assert hands(after) == [1, 13]


def test_f7_f8_chips_of_all_three_sides() -> None:
    position = drawn(
        """
            i Y . . . .
           h . y . . . .
          g . . . y b . .
         f . . . . . . . .
        e . . y . # . . b B
         d . . r . . b . .
          c . o * + r . .
           b . r . . . .
            a R * o + .
        """,
        mode="3",
    )
    assert hands(position) == [15, 15, 15]
    after = position.play("Pa1-a5")
    assert [board(after)[f"a{number}"] for number in range(1, 6)] == ["+", "+", "+", "+", "R"]
    assert hands(after) == [12, 16, 16]
    for move, cell, chip in (("Sb2-c2", "c2", "o"), ("Sb2-c3", "c3", "*"), ("Sd3-c3", "c3", "*")):
        swapped = after.play(move)
        assert (board(swapped)[cell], board(swapped)[move[1:3]]) == ("r", chip)
        assert hands(swapped) == hands(after)


@pytest.mark.parametrize("edge", EDGES.values(), ids=EDGES)
def test_f9_chips_are_laid_in_the_order_of_travel(edge: tuple[str, ...]) -> None:
    move = f"P{edge[0]}-{edge[3]}"

    position = on_the_edge(edge, 2)
    assert hands(position) == [2, 12]
    won = position.play(move)
    assert won.over and won.winners == (RED,) and won.legal == ()
    assert [board(won).get(cell) for cell in edge] == ["+", "+", "R", None]
    assert hands(won) == [0, 13]
    assert won.game.position(str(won)) == won

    won = on_the_edge(edge, 3).play(move)  # the last chip on the last cell
    assert won.over and won.winners == (RED,) and won.legal == ()
    assert [board(won)[cell] for cell in edge] == ["+", "+", "+", "R"]

    after = on_the_edge(edge, 4).play(move)
    assert not after.over and after.player == RED
    assert {text[0] for text in after.legal} == {"S"}
    assert hands(after) == [1, 13]


@pytest.mark.parametrize("edge", EDGES.values(), ids=EDGES)
def test_f9_what_lies_beyond_the_last_chip_stays(edge: tuple[str, ...]) -> None:
    won = on_the_edge(edge, 2, path="o.o").play(f"P{edge[0]}-{edge[3]}")
    assert [board(won)[cell] for cell in edge] == ["+", "+", "R", "o"]
    assert hands(won) == [0, 12]


def test_f10_the_last_chip_in_turn_300_wins() -> None:
    edge = EDGES["W"]
    position = on_the_edge(edge, 2, turns=299)
    assert position.play("Pg4-g1").winners == (RED,)
    after_stone = position.play("Sb2-b1")
    assert not after_stone.over
    assert after_stone.play("Pg4-g1").winners == (RED,)
    draw = on_the_edge(edge, 4, turns=299).play("Pg4-g1").play("Sb2-b1")
    assert (draw.over, draw.winners, fields(draw).turns) == (True, (), 300)
