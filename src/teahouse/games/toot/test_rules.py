"""A test for every rule of rules.md, each on a position drawn as the text board draws it."""

import re
from typing import Any

import pytest

import teahouse as th

BLUE, RED = 0, 1


def table(
    drawing: str,
    player: str = "b",
    *,
    due: str = "-",
    aside: tuple[int, int] = (0, 0),
    sacrificed: str = "-",
    quiet: int = 0,
    passes: int = 0,
    **options: Any,
) -> th.Position:
    """The position of a drawn layout.

    Unless told, each player has as many tiles as the one who has drawn more of them, so that this
    one has none in hand, and five pieces. Who has tiles in hand holds as many of the missing pieces
    as there can be, and the rest is put aside; otherwise what is neither drawn nor aside is gone.
    """
    lines = [line for line in drawing.splitlines() if line.strip()]
    columns = {place.start(): place[0] for place in re.finditer("[a-u]", lines[0])}
    rows = []
    for line in lines[1:]:
        cells = {place.start(): place[0] for place in re.finditer("[BR]=|[br]|[BR]", line)}
        assert cells.keys() <= columns.keys(), line
        rows.append([cells.get(at, ".") for at in columns])
    glyphs = [glyph for row in rows for glyph in row]
    drawn = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join("".join(row) for row in rows))
    tiles = [sum(glyph[0].lower() == letter for glyph in glyphs) for letter in "br"]
    options = {"tiles": max(tiles), **options}
    options.setdefault("pieces", min(5, options["tiles"] - 1))
    hands, asides = [], []
    for seat, letter in enumerate("br"):
        missing = options["pieces"] - sum(glyph[0] == letter.upper() for glyph in glyphs)
        tiles_in_hand = options["tiles"] - tiles[seat]
        entering = due[:1] == "+" and len(due) > 1 and player == letter
        hands.append(min(missing - aside[seat], tiles_in_hand + entering))
        asides.append(missing - hands[-1] if tiles_in_hand else aside[seat])
    corner = f"{next(iter(columns.values()))}{lines[1].split()[0]}"
    text = (
        f"{corner}:{drawn} {player} {due}"
        f" {hands[0]},{hands[1]} {asides[0]},{asides[1]} {sacrificed} {quiet} {passes} 30"
    )
    return th.load("toot", **options).position(text)


def on_table(position: th.Position) -> dict[str, str]:
    return {spot.name: spot.glyph for spot in position.scene.spots if spot.glyph != "."}


def free_cells(position: th.Position) -> set[str]:
    return {spot.name for spot in position.scene.spots if spot.glyph == "."}


def moves(position: th.Position, sign: str) -> set[str]:
    """The legal moves that have this sign in their text."""
    return {move for move in position.legal if sign in move}


def state_of(position: th.Position) -> Any:
    return position.unpack()


def field(position: th.Position, name: str) -> list[int]:
    return list(getattr(position.unpack(), name))


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
    assert field(start, "tiles_in_hand") == [11, 11]
    assert field(start, "pieces_in_hand") == [5, 5]


def test_t2_blue_begins_and_pieces_keep_to_their_colour() -> None:
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
    with pytest.raises(th.IllegalMove, match="l12 holds no tile of Blue's"):
        position.play("k12-l12")
    with pytest.raises(th.IllegalMove, match="Blue has no piece on l12"):
        position.play("l12-l11")


def test_t3_a_tile_goes_beside_any_tile() -> None:
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
    with pytest.raises(th.IllegalMove, match="m11 touches no tile"):
        position.play("+m11")
    with pytest.raises(th.IllegalMove, match="k11 holds a tile"):
        position.play("+k11")
    with pytest.raises(th.IllegalMove, match="begins with a tile"):
        position.play("l12-l13")


def test_t4_a_piece_enters_on_the_tile_just_placed() -> None:
    position = th.load("toot").start().play("+k13")
    assert position.legal == ("*",)  # k12 is empty, but no piece can move yet
    after = position.play("*")
    assert on_table(after) == {"k13": "B", "k12": "b", "k11": "r"}
    assert field(after, "pieces_in_hand") == [4, 5]
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
    with pytest.raises(th.IllegalMove, match="a piece stands on k11"):
        position.play("k12-k11")


def test_t6_a_jump_crosses_the_other_colour_alone() -> None:
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
        aside=(3, 0),
    )
    # Left over two tiles, up and down over one; to the right there is a gap.
    assert moves(position, "^") == {"k12^h12", "k12^k14", "k12^k10"}
    up = position.play("k12^k14")
    assert on_table(up)["k13"] == "r"
    assert field(up, "aside") == [3, 1]
    assert field(position.play("k12^k10"), "aside") == [3, 0]
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
    assert field(third, "aside")[RED] == 3
    assert third.legal == ("n8^n10", ".")
    with pytest.raises(th.IllegalMove, match="only the piece on k10 may jump on"):
        first.play("k13-l13")
    with pytest.raises(th.IllegalMove, match="no chain of jumps"):
        position.play(".")


def test_t8_a_turn_ends_with_the_tile_if_nothing_else_can_be_done() -> None:
    position = table(
        """
    j  k  l  m
12  r  B  R
11     R
""",
        aside=(1, 0),
        tiles=4,
        pieces=2,
    )
    assert set(position.play("+k13").legal) == {"k12-k13"}
    assert set(position.play("+m12").legal) == {"k12^m12"}
    done = position.play("+j13")
    assert done.player == RED
    assert field(done, "tiles_in_hand") == [2, 1]
    assert state_of(done).quiet == 1


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


def test_t10_without_a_tile_in_hand_pieces_step_and_jump() -> None:
    position = table(
        """
    j  k  l  m  n
12  b  B  R  b
11     r  r
10     b
""",
        pieces=3,
        aside=(1, 0),
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
    position = table(CROSS, aside=(2, 0), sacrificed="b", tiles=4)
    # k12 has four adjacent tiles, on k11 stands a piece.
    assert {move.split(">")[0] for move in moves(position, ">")} == {"k13", "l11"}
    after = position.play("k13>i12")
    assert on_table(after)["i12"] == "B="
    assert "k13" not in on_table(after)
    assert field(after, "aside")[BLUE] == 1
    assert field(after, "left") == field(position, "left")
    assert after.player == RED
    with pytest.raises(th.IllegalMove, match="k12 has four adjacent tiles"):
        position.play("k12>i12")
    with pytest.raises(th.IllegalMove, match="a piece stands on k11"):
        position.play("k11>i12")
    with pytest.raises(th.IllegalMove, match="j12 holds no tile of Blue's"):
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
    assert field(after, "left") == field(position, "left")
    used = table(drawing, sacrificed="b", tiles=4)
    assert not moves(used, "!")
    with pytest.raises(th.IllegalMove, match="Blue has sacrificed already"):
        used.play("k11!k13>i12")
    lying = table(CROSS.replace("B  b", "B= B"), tiles=4)
    assert {move[:3] for move in moves(lying, "!")} == {"l11"}  # a first life has to be there
    with pytest.raises(th.IllegalMove, match="the piece on k11 is on its second life"):
        lying.play("k11!k13>i12")


def test_t13_where_the_tile_may_go() -> None:
    position = table(CROSS, aside=(1, 0), tiles=4)
    free = free_cells(position)
    assert moves(position, "k13>") - moves(position, "!") == {
        f"k13>{name}" for name in free - {"k14"}
    }
    assert moves(position, "l11>") - moves(position, "!") == {
        f"l11>{name}" for name in free - {"m11"}
    }
    with pytest.raises(th.IllegalMove, match="k14 touches no tile that stays"):
        position.play("k13>k14")
    with pytest.raises(th.IllegalMove, match="k13 holds a tile"):
        position.play("k13>k13")
    # A sacrifice is allowed while a piece waits, and of the piece's own tile.
    assert {move.split(">")[0] for move in moves(position, "!")} == {
        "k11!k13",
        "k11!l11",
        "k11!k11",
    }
    split = position.play("k11!k11>k9")
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


def test_t14_who_can_do_nothing_passes() -> None:
    stuck = table(STUCK, sacrificed="br", pieces=3, aside=(0, 0))
    assert stuck.legal == ("-",)
    with pytest.raises(th.IllegalMove, match="Blue has no move and passes"):
        stuck.play("j13-j12")
    lively = table(STUCK.replace("R=    R=", "R= R="), sacrificed="br", pieces=3)
    after = lively.play("-")
    assert after.player == RED
    assert (state_of(after).quiet, state_of(after).passes) == (1, 0)
    assert "k10-k11" in after.legal
    with pytest.raises(th.IllegalMove, match="does not pass"):
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


def test_t15_a_second_capture_is_for_good() -> None:
    position = table(
        """
    j  k  l  m
12  B  R= R  b
11  B  r  b  r
""",
        sacrificed="br",
        pieces=3,
        aside=(0, 1),
    )
    after = position.play("j12^m12")
    assert field(after, "aside") == [0, 2]  # the standing one may return,
    assert field(after, "left") == [2, 2]  # the lying one may not


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
    assert after.scene.prompt == "Blue wins: Red has 1 piece left."
    waiting = table(
        """
    j  k  l  m  n
12  B  R= b  R= b
11  B  r  r
""",
        sacrificed="br",
        pieces=3,
        aside=(0, 1),
    )
    assert set(waiting.play("j12^l12").legal) == {"l12^n12", "l12^j12", "."}


QUIET = """
    j  k  l  m
12  B  b  r  R
11  B     R
10  b     r
"""


def test_t17_sixty_turns_without_progress() -> None:
    for most_pieces, winners in ((False, ()), (True, (RED,))):
        position = table(
            QUIET, sacrificed="br", quiet=59, pieces=3, aside=(0, 1), most_pieces=most_pieces
        )
        after = position.play("j12-k12")
        assert after.over
        assert after.winners == winners
        assert not table(QUIET, sacrificed="br", quiet=58).play("j12-k12").over
    equal = table(QUIET, sacrificed="br", quiet=59, most_pieces=True).play("j12-k12")
    assert (equal.over, equal.winners) == (True, ())
