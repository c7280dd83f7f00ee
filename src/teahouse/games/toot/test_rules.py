"""A test for every rule of rules.md up to T9: turns with tiles in hand."""

import pytest

import teahouse as th
from teahouse.games.toot.test_support import (
    BLUE,
    RED,
    field,
    moves,
    on_table,
    state_of,
    table,
)


def test_t1_the_lettered_tiles_and_full_hands() -> None:
    start = th.load("toot").start()
    drawn = """
    j  k  l
13     .
12  .  b  .
11  .  r  .
10     .
"""
    assert start.text().startswith(drawn.strip("\n"))
    assert field(start, "tiles_in_hand") == [9, 9]
    assert field(start, "pieces_in_hand") == [4, 4]


def test_t2_blue_moves_first_and_pieces_stay_on_their_colour() -> None:
    assert th.load("toot").start().player == BLUE
    position = table(
        """
    j  k  l
12     B  r
11     r
10     b  B
"""
    )
    assert moves(position, "-") == {"l10-k10"}
    assert moves(position, "^") == {"k12^k10"}
    with pytest.raises(th.IllegalMove, match="Blue has no tile on l12"):
        position.play("k12-l12")
    with pytest.raises(th.IllegalMove, match="Blue has no piece on l12"):
        position.play("l12-l11")


def test_t3_a_tile_goes_next_to_any_tile() -> None:
    position = table(
        """
    i  j  k  l  m
13           .
12     .  .  B  .
11  .  R  r     .
10     .  .
""",
        tiles=8,
    )
    cells = {"l13", "j12", "k12", "m12", "i11", "l11", "j10", "k10"}
    assert set(position.legal) == {f"+{name}" for name in cells}
    after = position.play("+l11")
    assert on_table(after)["l11"] == "b"
    assert after.player == BLUE
    with pytest.raises(th.IllegalMove, match="m11 is not adjacent to a tile"):
        position.play("+m11")
    with pytest.raises(th.IllegalMove, match="k11 is occupied"):
        position.play("+k11")
    with pytest.raises(th.IllegalMove, match="must place a tile first"):
        position.play("l12-l13")


def test_t4_a_piece_enters_on_the_tile_just_placed() -> None:
    position = th.load("toot").start().play("+k13")
    assert position.legal == ("*",)  # k12 is empty, but no piece can move yet
    after = position.play("*")
    assert on_table(after) == {"k13": "B", "k12": "b", "k11": "r"}
    assert field(after, "pieces_in_hand") == [3, 4]
    assert after.player == RED


def test_t5_a_step_goes_to_an_adjacent_empty_tile_of_the_colour() -> None:
    position = table(
        """
    j  k  l  m
13     b  b
12  b  B  r
11     B
10     r  b
""",
        due="+",
        pieces=2,
    )
    assert set(position.legal) == {"k12-j12", "k12-k13"}
    after = position.play("k12-j12")
    assert on_table(after)["j12"] == "B"
    assert on_table(after)["k12"] == "b"
    assert after.player == RED
    with pytest.raises(th.IllegalMove, match="l13 is not adjacent to k12"):
        position.play("k12-l13")
    with pytest.raises(th.IllegalMove, match="k11 is occupied by a piece"):
        position.play("k12-k11")


def test_t6_a_jump_crosses_only_the_other_colour() -> None:
    position = table(
        """
    h  i  j  k  l  m  n  o  p
14           b
13           R
12  b  r  R  B  r     r  b
11           r
10           b
 9           r
 8           b
""",
        due="+",
        pieces=4,
        captured=(3, 0),
    )
    # Left over two tiles, up and down over one; to the right there is a gap.
    assert moves(position, "^") == {"k12^h12", "k12^k14", "k12^k10"}
    up = position.play("k12^k14")
    assert on_table(up)["k13"] == "r"
    assert field(up, "captured") == [3, 1]
    assert field(position.play("k12^k10"), "captured") == [3, 0]
    with pytest.raises(th.IllegalMove, match="a jump goes straight"):
        position.play("k12^k8")


def test_t7_after_a_capture_the_same_piece_may_go_on_or_stop() -> None:
    position = table(
        """
    j  k  l  m  n
13     B  b
12     R
11     r
10     b  r  R  b
 9              R
 8              b
""",
        due="+l13",
        tiles=8,
        pieces=3,
    )
    assert set(position.legal) == {"*", "k13-l13", "k13^k10"}
    first = position.play("k13^k10")
    assert on_table(first)["k12"] == "r"
    assert first.player == BLUE
    assert set(first.legal) == {"k10^n10", "k10^k13", "."}  # back over the emptied tiles, too
    assert first.play(".").player == RED
    assert first.play("k10^k13").player == RED  # which captures nothing
    second = first.play("k10^n10")
    assert set(second.legal) == {"n10^n8", "n10^k10", "."}
    third = second.play("n10^n8")
    assert field(third, "captured")[RED] == 3
    assert third.legal == ("n8^n10", ".")
    with pytest.raises(th.IllegalMove, match="only the piece on k10 may jump again"):
        first.play("k13-l13")
    with pytest.raises(th.IllegalMove, match="no chain of jumps"):
        position.play(".")


def test_t7_a_piece_that_has_captured_does_not_step() -> None:
    position = table(
        """
    j  k  l  m
13        b
12  B  R  b  b
11  r  r
""",
        due="+",
        captured=(3, 0),
        pieces=4,
        tiles=8,
    )
    assert set(position.play("j12^l12").legal) == {"l12^j12", "."}


def test_t8_a_turn_ends_with_the_tile_if_nothing_else_can_be_done() -> None:
    position = table(
        """
    j  k  l  m
12  r  B  R
11     R
""",
        captured=(1, 0),
        tiles=4,
        pieces=2,
    )
    assert set(position.play("+k13").legal) == {"k12-k13"}
    assert set(position.play("+m12").legal) == {"k12^m12"}
    done = position.play("+j13")
    assert done.player == RED
    assert field(done, "tiles_in_hand") == [2, 1]
    assert state_of(done).quiet_turns == 1


def test_t9_pieces_must_enter_while_tiles_last() -> None:
    drawing = """
    j  k  l
12     B  r
11     R  r
10     b
"""
    position = table(drawing, tiles=5, pieces=4)
    assert field(position, "tiles_in_hand") == [3, 2]
    assert field(position, "pieces_in_hand") == [3, 2]
    after = position.play("+k13")  # three pieces and two tiles in hand: no step to k13
    assert after.legal == ("*",)
    with pytest.raises(th.IllegalMove, match="more pieces than tiles in hand"):
        after.play("k12-k13")
    freely = table(drawing, tiles=6, pieces=4).play("+k13")
    assert set(freely.legal) == {"*", "k12-k13", "k12^k10"}
