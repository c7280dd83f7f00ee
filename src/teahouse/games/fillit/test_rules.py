"""A test for every rule of rules.md, each on a drawn position."""

from typing import Any

import pytest

import teahouse as th
from teahouse.games.fillit import notation
from teahouse.games.fillit.layouts import MODES, NAMES

RED, BLUE = 0, 1


def drawn(
    drawing: str, player: str = "R", due: str = "both", *, mode: str = "2", turns: int = 10
) -> th.Position:
    """Return the position of a drawn board with row letters."""
    rows = ["".join(line.split()[1:]) for line in drawing.strip().splitlines()]
    return th.load("fillit", mode=mode).position(f"{'/'.join(rows)} {player} {due} {turns} 20")


def board(position: th.Position) -> dict[str, str]:
    """Return the glyph of each cell that is not empty."""
    return {spot.name: spot.glyph for spot in position.scene.spots if spot.glyph != "."}


def hands(position: th.Position) -> list[int]:
    return notation.chips_in_hand(position.game.board, position.unpack())


def fields(position: th.Position) -> Any:
    return position.unpack()


def stones(position: th.Position) -> list[str]:
    return [move for move in position.legal if move[0] == "S"]


def test_f1_pawns_start_on_chips_of_their_side() -> None:
    in_hand = {"2": 24, "3": 17, "teams": 23, "2mini": 13, "3mini": 10}
    for mode, rules in MODES.items():
        for layout in NAMES:
            start = th.load("fillit", mode=mode, layout=layout).start()
            assert hands(start) == [in_hand[mode]] * len(rules.sides)
            glyphs = list(board(start).values())
            assert sorted(set(glyphs)) == sorted({*rules.pawn_letters, *rules.stone_letters, "#"})
            assert all(glyphs.count(letter) == rules.stones for letter in rules.stone_letters)
    glyphs_of = board(th.load("fillit").start())
    assert [cell for cell, sign in glyphs_of.items() if sign == "r"] == ["b3", "d3", "f3", "h3"]
    assert (glyphs_of["e1"], glyphs_of["e9"], glyphs_of["e5"]) == ("R", "B", "#")


@pytest.mark.parametrize(
    ("options", "turn_order"),
    [
        ({}, "Red Blue Red"),
        ({"mode": "3"}, "Red Yellow Blue Red"),
        ({"mode": "teams"}, "Red Blue Yellow Green Red"),
        ({"mode": "2mini", "first": "Blue"}, "Blue Red Blue"),
    ],
)
def test_f2_turns_go_round(options: dict[str, str], turn_order: str) -> None:
    position = th.load("fillit", **options).start()
    for name in turn_order.split():
        assert position.game.players[position.player] == name
        position = position.play(next(move for move in position.legal if move[0] == "P"))
        assert position.game.players[position.player] == name
        position = position.play(position.legal[-1])


def test_f3_the_pawn_and_a_stone_in_either_order() -> None:
    start = th.load("fillit").start()
    assert {move[0] for move in start.legal} == {"P", "S"}
    pawn_first = start.play("Pe1-i1")
    assert {move[0] for move in pawn_first.legal} == {"S"}
    assert pawn_first.player == RED
    stone_first = start.play("Sb3-b2")
    assert stone_first.legal == ("Pe1-e4", "Pe1-i1", "Pe1-a1")
    assert stone_first.player == RED
    assert pawn_first.play("Sb3-b2").player == BLUE
    assert str(pawn_first.play("Sb3-b2")) == str(stone_first.play("Pe1-i1"))
    with pytest.raises(th.IllegalMove, match="now slide the pawn"):
        stone_first.play("Sd3-d4")
    with pytest.raises(th.IllegalMove, match="now move a stone"):
        pawn_first.play("Pi1-i5")


def test_f3_every_stone_of_a_team() -> None:
    position = th.load("fillit", mode="teams", first="Yellow").start()
    assert position.player == 2
    assert {move[1:3] for move in position.legal} == {"i5", "c3", "d2", "f7", "g5"}


def test_f4_no_stone_may_block_the_pawn() -> None:
    position = drawn(
        """
           g . . . .
          f . . . . .
         e r . . . . .
        d . . . # . . B
         c r b . . . .
          b . b . . .
           a R b r .
        """,
        mode="2mini",
    )
    assert "Pa1-b1" in position.legal
    assert "Sc1-b1" not in position.legal  # b1 is the only exit
    assert {"Sc1-c2", "Sc1-d2", "Sc1-d1"} < set(position.legal)
    with pytest.raises(th.IllegalMove, match="could not move afterwards"):
        position.play("Sc1-b1")
    moved = position.play("Pa1-b1")
    assert "Sc1-b1" in moved.legal  # the pawn has moved: anything goes


def test_f4_a_stone_next_to_the_pawn_may_close_the_only_exit() -> None:
    """It opens another exit behind it, and may swap places with the pawn."""
    position = drawn(
        """
           g . . . .
          f . . . . .
         e . . r . . .
        d r . . # . . B
         c . b . . . .
          b . r . . .
           a R b b .
        """,
        mode="2mini",
    )
    assert position.play("Sb2-b1").legal == ("Pa1-c3",)
    assert position.play("Sb2-a1").legal == ("Pb2-b5", "Pb2-b1", "Pb2-c3")


def test_f4_a_swap_with_the_pawn_must_free_it() -> None:
    position = drawn(
        """
           g . . . .
          f . . . . .
         e . . . . . .
        d . . . # . . B
         c b r b . . .
          b r r . . .
           a R b . .
        """,
        mode="2mini",
    )
    assert position.legal == ("Sb2-b3", "Sb2-a1")  # on b1 the pawn would be blocked again


def test_f4_a_blocked_pawn_is_freed_first() -> None:
    position = drawn(
        """
            i . . . . .
           h . . . . . .
          g r . . . . . .
         f r . r . . . . .
        e . . . . # . . . B
         d . . . . . . . .
          c . . . . . b b
           b . . . . b b
            a . . . r R
        """
    )
    assert position.legal == ("Sa4-a5", "Sa4-a3", "Sa4-b4")
    with pytest.raises(th.IllegalMove, match="could not move afterwards"):
        position.play("Sa4-b5")  # a stone for a stone frees nothing
    with pytest.raises(th.IllegalMove, match="the pawn is blocked"):
        position.play("Pa5-a4")
    assert position.play("Sa4-b4").legal == ("Pa5-a1",)
    assert position.play("Sa4-a5").legal == ("Pa4-a1", "Pa4-e4")


def test_f5_a_stone_alone_when_nothing_frees_the_pawn() -> None:
    position = drawn(
        """
            i . . . . .
           h . . . . . .
          g r . . . . . .
         f r . r . . . . .
        e . . . . # . . . B
         d . . . . r . . .
          c . . . . . b .
           b . . . . b b
            a . . . b R
        """
    )
    assert len(position.legal) == len(stones(position)) == 18
    after = position.play("Sd5-d4")
    assert after.player == BLUE
    assert fields(after).turns == fields(position).turns + 1
    assert {move[0] for move in after.legal} == {"P", "S"}


def test_f6_the_pawn_slides_until_something_stops_it() -> None:
    position = drawn(
        """
            i . . . . .
           h . . . . . .
          g . . . . . . .
         f . . . r . . . .
        e . . . . # . . . .
         d . . r . . b . .
          c . . R + o + B
           b . . . . . .
            a r r b b b
        """
    )
    # East over chips to a pawn, west to the edge, NE to the wall, SW and SE to stones; not NW.
    pawn = [move for move in position.legal if move[0] == "P"]
    assert pawn == ["Pc3-c6", "Pc3-c1", "Pc3-d4", "Pc3-b2", "Pc3-b3"]
    with pytest.raises(th.IllegalMove, match="slides until something stops it"):
        position.play("Pc3-c5")


def test_f7_chips_are_laid_returned_and_kept() -> None:
    position = drawn(
        """
            i . . . . B
           h . . r b . .
          g . . . . . . .
         f . . r . . b . .
        e . . . . # . . . .
         d . . r . . b . .
          c . . . . . . .
           b . . r b . .
            a R . + o .
        """
    )
    assert hands(position) == [23, 23]
    after = position.play("Pa1-a5")
    assert [board(after)[f"a{number}"] for number in range(1, 6)] == ["+", "+", "+", "+", "R"]
    assert hands(after) == [20, 24]


def test_f8_a_stone_swaps_with_anything_but_the_wall() -> None:
    position = drawn(
        """
            i . . . . .
           h . . . . . .
          g . . . . . . .
         f . r . . . . . .
        e . . . . # . . . .
         d R . B b . . b b
          c . o r r b . .
           b . . + r . .
            a . . . . .
        """,
        due="stone",
    )
    own = [move for move in position.legal if move[1:3] == "c3"]
    assert own == ["Sc3-c4", "Sc3-c2", "Sc3-d4", "Sc3-b2", "Sc3-d3", "Sc3-b3"]
    assert board(position.play("Sc3-b2")) == {**_without(position, "c3"), "b2": "r"}
    assert board(position.play("Sc3-c2")) == {**board(position), "c2": "r", "c3": "o"}
    assert board(position.play("Sc3-d3")) == {**board(position), "d3": "r", "c3": "B"}
    assert board(position.play("Sc3-d4")) == {**board(position), "d4": "r", "c3": "b"}
    # The pawn took the chip below it along.
    assert board(position.play("Sc3-d3").play("Pc3-a1"))["c3"] == "o"
    # Own stones: one move, from the lower row or the left, and nothing changes.
    assert "Sc4-c3" not in position.legal and "Sb4-c4" in position.legal
    assert board(position.play("Sc3-c4")) == board(position)
    assert position.play("Sc4-c3") == position.play("Sc3-c4")  # accepted, but not canonical
    with pytest.raises(th.IllegalMove, match="one step"):
        position.play("Sc3-e3")
    by_wall = drawn(
        "\n".join(_drawing(position)).replace("# .", "# r").replace("f   . r", "f   . .")
    )
    with pytest.raises(th.IllegalMove, match="cannot enter the wall"):
        by_wall.play("Se6-e5")


def _without(position: th.Position, cell: str) -> dict[str, str]:
    return {name: sign for name, sign in board(position).items() if name != cell}


def _drawing(position: th.Position) -> list[str]:
    return position.text().splitlines()[:9]


def test_f9_the_last_chip_wins_in_the_middle_of_a_slide() -> None:
    position = drawn(
        """
           g + o . .
          f . + + b .
         e + + + . r .
        d . . + # b . B
         c . + + + . r
          b . + r b .
           a R . o .
        """,
        mode="2mini",
    )
    assert hands(position) == [2, 11]
    assert "Pa1-a4" in position.legal  # written with the end of the full slide
    won = position.play("Pa1-a4")
    assert won.over and won.winners == (RED,) and won.legal == ()
    assert (board(won)["a2"], board(won)["a3"]) == ("+", "R")
    assert "a4" not in board(won)
    assert hands(won) == [0, 12]
    assert won.status == "Red wins: Red laid the last chip."
    assert won.scene.deciding == ("a3",)
    assert [score.value for score in won.scene.scores] == ["0", "12"]


def test_f9_a_team_wins_together() -> None:
    position = drawn(
        """
            i B . . . Y
           h . b + + + +
          g . + + + + + .
         f . r . . r . . .
        e . . . . # . . . .
         d + + + . b + + +
          c + + + + + + +
           b . r . . b .
            a R r . b G
        """,
        "Y",
        mode="teams",
    )
    assert hands(position) == [1, 23]
    assert [score.value for score in position.scene.scores] == ["1", "23", "1", "23"]
    assert position.play("Pi5-i2").winners == (0, 2)
    assert position.play("Pi5-i2").status == "Red and Yellow win: Yellow laid the last chip."


def test_f10_a_draw_after_300_turns() -> None:
    corner = """
           g . . . .
          f . . . . .
         e . . . r . .
        d . . . # . . B
         c . . . . r .
          b b b . . r
           a R b . .
        """
    position = drawn(corner, mode="2mini", turns=298)
    position = position.play("Sc5-c4")
    assert (position.over, position.player, fields(position).turns) == (False, BLUE, 299)
    position = position.play("Pd7-c6")
    position = position.play("Sa2-a1")
    assert position.over and position.winners == () and position.legal == ()
    assert position.status == "Draw: 300 turns ended without a winner."
    last = drawn(corner, mode="2mini", turns=299).play("Sc5-c4")  # a turn of only a stone (F5)
    assert last.over and last.winners == ()


@pytest.mark.parametrize("first", ["Red", "Blue", "Yellow", "Green"])
def test_f11_turns_follow_the_table_from_any_first_player(first: str) -> None:
    position = th.load("fillit", mode="teams", first=first).start()
    order = [*position.game.players] * 3
    for name in order[order.index(first) :][:6]:
        for _ in range(2):
            assert position.game.players[position.player] == name
            position = position.play(position.legal[0])


def test_f12_another_number_of_chips() -> None:
    start = th.load("fillit", chips=4).start()
    assert hands(start) == [3, 3]
    assert [score.value for score in start.scene.scores] == ["3", "3"]
    assert "4 chips in hand" in start.scene.hands[0].label
    won = start.play("Pe1-e4")  # three cells, and no stone afterwards (F9)
    assert (won.over, won.winners, hands(won)) == (True, (RED,), [0, 3])
    assert won.game.position(str(won)) == won
    short = th.load("fillit", chips=3).start().play("Pe1-e4")
    assert board(short)["e3"] == "R" and short.over
    with pytest.raises(th.PositionError, match="side r has at most 4 chips, got 5"):
        start.game.position("5/2rb2/7/2r2b2/R+++#+2B/2r2b2/7/2rb2/5 B both 1 2")


def test_f12_the_usual_number_is_0() -> None:
    for mode, rules in MODES.items():
        usual = th.load("fillit", mode=mode, chips=rules.chips)
        assert usual == th.load("fillit", mode=mode, chips="0") == th.load("fillit", mode=mode)
        assert "chips" not in th.Record.new(usual).text()
        more = th.load("fillit", mode=mode, chips=rules.chips + 1)
        assert f"first=Red; chips={rules.chips + 1}" in th.Record.new(more).text()
        assert hands(more.start())[0] == hands(usual.start())[0] + 1


@pytest.mark.parametrize(
    ("mode", "most"), [("2", 40), ("3", 40), ("teams", 40), ("2mini", 29), ("3mini", 28)]
)
def test_f12_chips_have_to_find_a_cell(mode: str, most: int) -> None:
    assert th.load("fillit", mode=mode, chips=most).board.chips == most
    for chips in (1, 2, most + 1):
        with pytest.raises(th.OptionError, match="chips must be"):
            th.load("fillit", mode=mode, chips=chips)
