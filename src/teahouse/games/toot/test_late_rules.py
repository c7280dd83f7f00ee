"""A test for every rule of rules.md from T10: turns without tiles in hand, captures, the end."""

import pytest

import teahouse as th
from teahouse.games.toot.test_support import (
    BLUE,
    QUIET,
    RED,
    field,
    free_cells,
    moves,
    on_table,
    state_of,
    table,
)


def test_t10_without_a_tile_in_hand_pieces_step_and_jump() -> None:
    position = table(
        """
    j  k  l  m  n
12  b  B  R  b
11     r  r
10     b
""",
        pieces=3,
        captured=(1, 0),
        sacrificed="b",
    )
    assert moves(position, "-") | moves(position, "^") == {"k12-j12", "k12^m12", "k12^k10"}
    assert position.play("k12-j12").player == RED
    assert set(position.play("k12^m12").legal) == {"m12^k12", "."}
    with pytest.raises(th.IllegalMove, match="no tile in hand"):
        position.play("+k13")
    with pytest.raises(th.IllegalMove, match="no piece in hand"):
        position.play("*")


CROSS = """
    i  j  k  l  m
13        b
12     r  b  r
11        B  b
10        r
"""


def test_t11_a_captured_piece_returns_lying_on_a_loose_tile() -> None:
    position = table(CROSS, captured=(2, 0), sacrificed="b", tiles=4)
    # k12 has four adjacent tiles, on k11 stands a piece.
    assert {move.split(">")[0] for move in moves(position, ">")} == {"k13", "l11"}
    after = position.play("k13>i12")
    assert on_table(after)["i12"] == "B="
    assert "k13" not in on_table(after)
    assert field(after, "captured")[BLUE] == 1
    assert field(after, "remaining") == field(position, "remaining")
    assert after.player == RED
    with pytest.raises(th.IllegalMove, match="k12 has four adjacent tiles"):
        position.play("k12>i12")
    with pytest.raises(th.IllegalMove, match="k11 is occupied by a piece"):
        position.play("k11>i12")
    with pytest.raises(th.IllegalMove, match="Blue has no tile on j12"):
        position.play("j12>i12")
    none_waits = table(CROSS.replace("B  b", "B  B"), sacrificed="b", tiles=4)
    assert not moves(none_waits, ">")
    with pytest.raises(th.IllegalMove, match="no captured piece"):
        none_waits.play("k12>i12")


def test_t12_each_player_sacrifices_once() -> None:
    drawing = CROSS.replace("B  b", "B  B")
    position = table(drawing, tiles=4)
    assert moves(position, ">") == moves(position, "!")
    after = position.play("k11!k13>i12")
    assert on_table(after)["i12"] == "B="
    assert on_table(after)["k11"] == "b"
    assert field(after, "sacrificed") == [1, 0]
    assert field(after, "remaining") == field(position, "remaining")
    used = table(drawing, sacrificed="b", tiles=4)
    assert not moves(used, "!")
    with pytest.raises(th.IllegalMove, match="Blue has already sacrificed"):
        used.play("k11!k13>i12")
    lying = table(CROSS.replace("B  b", "B= B"), tiles=4)
    assert {move[:3] for move in moves(lying, "!")} == {"l11"}  # a first life has to be there
    with pytest.raises(th.IllegalMove, match="the piece on k11 is on its second life"):
        lying.play("k11!k13>i12")


def test_t13_where_the_tile_may_go() -> None:
    position = table(CROSS, captured=(1, 0), tiles=4)
    free = free_cells(position)
    assert moves(position, "k13>") - moves(position, "!") == {
        f"k13>{name}" for name in free - {"k14"}
    }
    assert moves(position, "l11>") - moves(position, "!") == {
        f"l11>{name}" for name in free - {"m11"}
    }
    with pytest.raises(th.IllegalMove, match="k14 is not adjacent to a remaining tile"):
        position.play("k13>k14")
    with pytest.raises(th.IllegalMove, match="k13 is occupied"):
        position.play("k13>k13")
    # A sacrifice is allowed while a piece waits, and of the piece's own tile.
    assert {move.split(">")[0] for move in moves(position, "!")} == {
        "k11!k13",
        "k11!l11",
        "k11!k11",
    }
    # Also the lifted piece's tile must be loose: k12 has four adjacent tiles.
    enclosed = table(CROSS.replace("r  b  r", "r  B  r"), tiles=4)
    assert {move.split(">")[0] for move in moves(enclosed, "k12!")} == {"k12!k13", "k12!l11"}
    split = position.play("k11!k11>k9")
    assert field(split, "captured") == field(position, "captured")  # the captured one still waits
    assert on_table(split)["k9"] == "B="
    assert {"l10", "m11", "k11"} <= free_cells(split)  # l11 lies apart from the rest


STUCK = """
    j  k  l  m  n
13  B=    B=    b
12     b
11     r
10  R=    R=
 9     R=
"""


def test_t14_a_player_without_a_move_passes() -> None:
    stuck = table(STUCK, sacrificed="br", pieces=3, captured=(0, 0))
    assert stuck.legal == ("-",)
    with pytest.raises(th.IllegalMove, match="Blue has no legal move and must pass"):
        stuck.play("j13-j12")
    lively = table(STUCK.replace("R=    R=", "R= R="), sacrificed="br", pieces=3)
    after = lively.play("-")
    assert after.player == RED
    assert (state_of(after).quiet_turns, state_of(after).passes) == (1, 0)
    assert "k10-k11" in after.legal
    with pytest.raises(th.IllegalMove, match="may not pass"):
        after.play("-")
    # Red's step lets Blue pass again, and nothing has ended.
    assert not after.play("k10-k11").play("-").over


def test_t14_two_passes_in_a_row_end_the_game() -> None:
    for most_pieces, winners in ((False, ()), (True, (RED,))):
        stuck = table(STUCK, sacrificed="br", pieces=3, most_pieces=most_pieces)
        after = stuck.play("-")
        assert not after.over
        assert after.legal == ("-",)
        end = after.play("-")
        assert (end.over, end.winners) == (True, winners)
        assert "both players passed" in end.scene.prompt


def test_t15_a_second_capture_is_permanent() -> None:
    position = table(
        """
    j  k  l  m
12  B  R= R  b
11  B  r  b  r
""",
        sacrificed="br",
        pieces=3,
        captured=(0, 1),
    )
    after = position.play("j12^m12")
    assert field(after, "captured") == [0, 2]  # the standing one may return,
    assert field(after, "remaining") == [2, 2]  # the lying one may not


def test_t16_one_piece_left_loses_even_within_a_chain() -> None:
    position = table(
        """
    j  k  l  m  n
12  B  R= b  R= b
11  B  r  r
""",
        sacrificed="br",
        pieces=2,
    )
    after = position.play("j12^l12")  # from which l12^n12 would capture the last one
    assert after.over
    assert after.winners == (BLUE,)
    assert after.legal == ()
    assert after.scene.prompt == "Blue wins: Red has one piece left."
    assert [score.value for score in after.scene.scores] == ["2", "1"]
    assert after.scene.deciding == ("m12",)
    waiting = table(
        """
    j  k  l  m  n
12  B  R= b  R= b
11  B  r  r
""",
        sacrificed="br",
        pieces=3,
        captured=(0, 1),
    )
    assert set(waiting.play("j12^l12").legal) == {"l12^n12", "l12^j12", "."}


def test_t16_no_piece_left_loses_too() -> None:
    position = table(
        """
    j  k  l  m
12  B  R= R= b
11  B  r
""",
        sacrificed="br",
        pieces=2,
    )
    after = position.play("j12^m12")
    assert (after.over, after.winners) == (True, (BLUE,))
    assert field(after, "remaining") == [2, 0]


def test_t16_pieces_in_hand_are_left() -> None:
    position = table(
        """
    j  k  l
12  B  R  b
11  B  r
""",
        due="+",
        captured=(0, 0),
        tiles=5,
        pieces=2,
    )
    assert field(position, "pieces_in_hand") == [0, 1]
    assert set(position.play("j12^l12").legal) == {"l12^j12", "."}


def test_t17_sixty_turns_without_progress() -> None:
    for most_pieces, winners in ((False, ()), (True, (RED,))):
        position = table(
            QUIET, sacrificed="br", quiet=59, pieces=3, captured=(0, 1), most_pieces=most_pieces
        )
        after = position.play("j12-k12")
        assert after.over
        assert after.winners == winners
        assert not table(QUIET, sacrificed="br", quiet=58).play("j12-k12").over
    equal = table(QUIET, sacrificed="br", quiet=59, most_pieces=True).play("j12-k12")
    assert (equal.over, equal.winners) == (True, ())


def test_t17_pieces_in_hand_are_left() -> None:
    position = table(
        """
    j  k  l  m
12  B  b  r  R
11  B     R
10  b
""",
        sacrificed="b",
        quiet=9,
        quiet_limit=10,
        pieces=3,
        most_pieces=True,
    )
    assert field(position, "pieces_in_hand") == [0, 1]
    after = position.play("j12-k12")
    assert (after.over, after.winners) == (True, (RED,))  # two pieces each on the table


def test_t18_the_last_capture_decides_an_equal_count() -> None:
    for captor, winners in {"b": (BLUE,), "r": (RED,)}.items():
        equal = table(QUIET, sacrificed="br", quiet=59, captor=captor).play("j12-k12")
        assert (equal.over, equal.winners) == (True, winners)
        # With more pieces left, Red wins after either player's capture.
        ahead = table(QUIET, sacrificed="br", quiet=59, pieces=3, captured=(0, 1), captor=captor)
        assert ahead.play("j12-k12").winners == (RED,)
    untouched = table(QUIET, quiet=59, pieces=2, captor="-").play("j12-k12")
    assert (untouched.over, untouched.winners) == (True, ())
    for captor, winners in {"b": (BLUE,), "r": (RED,)}.items():
        stuck = table(STUCK.replace(" 9     R=", " 9     r"), sacrificed="br", captor=captor)
        assert stuck.play("-").play("-").winners == winners  # also after two passes


def test_t18_the_last_capture_is_kept() -> None:
    position = table(
        """
    j  k  l
12  B  R  b
11  B  r  b
10     R
 9     R
""",
        captured=(1, 0),
        captor="r",
    )
    assert str(position.play("j12^l12").play(".")).endswith(" 1,1 - 0 0 b 32")
    assert str(position.play("j12!j12>i11")).endswith(" b 0 0 r 31")
    start = th.load("toot").start()
    assert str(start).endswith(" - 0 0 - 0")


def test_t18_texts_without_the_last_capture_keep_their_meaning() -> None:
    text = "k12:bB/rR/1b b +l10 4,4 0,0 - 0 0 5"
    first = th.load("toot", tiles=12, pieces=5, most_pieces=False)
    assert th.load("toot").position(text) == first.position(text)
    assert str(first.position(text)) == text
    small = th.load("toot", tiles=8, pieces=5)
    assert small.position(text).game == th.load("toot", tiles=8, pieces=5, most_pieces=False)
    tags = f'[Game "toot"]\n[Start "{text}"]\n\n*\n'
    assert th.Record.parse(tags).game == first
    options = '[Options "tiles=12; pieces=5; most_pieces=true"]'
    record = th.Record.parse(f'[Game "toot"]\n{options}\n\n1. +k13 2. * *\n')
    assert record.game == th.load("toot", tiles=12, pieces=5, most_pieces=True)
    assert str(record.position) == "k13:B/b/r r - 4,5 0,0 - 0 0 2"


def test_t18_the_end_is_announced() -> None:
    far = table(QUIET, sacrificed="br", quiet=39, captor="r")
    assert far.scene.prompt == "Step or jump."
    near = table(QUIET, sacrificed="br", quiet=40, captor="r")
    assert near.scene.prompt.endswith("After 20 more turns without progress Red wins.")
    assert "Red captured last" in near.scene.scores[RED].label
    last = table(QUIET, quiet=59, pieces=2, captor="-")
    assert last.scene.prompt.endswith("After 1 more turn without progress it is a draw.")
    assert "nobody" not in last.text()


@pytest.mark.parametrize("limit", [10, 60, 120])
def test_t19_another_number_of_quiet_turns(limit: int) -> None:
    def quiet(turns: int) -> th.Position:
        return table(QUIET, sacrificed="br", captor="b", quiet=turns, quiet_limit=limit)

    last = quiet(limit - 1)
    assert last.scene.prompt.endswith("After 1 more turn without progress Blue wins.")
    after = last.play("j12-k12")
    assert (after.over, after.winners) == (True, (BLUE,))
    assert after.scene.reason.startswith(f"{limit} turns passed without progress")
    assert after.game.position(str(after)) == after
    assert not quiet(limit - 2).play("j12-k12").over
    assert quiet(2).scene.prompt == "Step or jump."
    with pytest.raises(th.PositionError, match=f"progress must be an integer from 0 to {limit}"):
        quiet(limit + 1)


def test_t19_texts_name_the_limit_only_if_it_differs() -> None:
    for limit, text in ((60, ""), (30, "; quiet_limit=30")):
        record = th.Record.new(th.load("toot", quiet_limit=limit))
        options = f'[Options "tiles=10; pieces=4; most_pieces=last_capture{text}"]'
        assert options in record.text()
        assert th.Record.parse(record.text()).game == record.game
