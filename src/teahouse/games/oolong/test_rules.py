"""A test for every rule of rules.md, each on a set-up position."""

from collections import Counter

import pytest

import teahouse as th
from teahouse.games.oolong import EXAMPLE
from teahouse.games.oolong.notation import NAMES
from teahouse.games.oolong.test_support import (
    BLACK,
    FULL_BLACK,
    FULL_GREEN,
    GREEN,
    fields,
    room,
    table,
)


def test_o1_empty_tables_and_shuffled_markers() -> None:
    game = th.load("oolong")
    layouts = Counter(fields(game.start(seed))[0] for seed in range(3000))
    for layout in layouts:
        assert sorted(layout.split(",")) == sorted(EXAMPLE.split(","))
    assert len(layouts) > 2500  # of 20160
    for place in range(8):
        seen = Counter(layout.split(",")[place] for layout in layouts.elements())
        for code in EXAMPLE.split(","):
            assert seen[code] == pytest.approx(3000 / 8 * EXAMPLE.count(code), rel=0.25)
    assert all(table(game.start(1), name) == "... ... ..." for name in NAMES)
    assert fields(th.load("oolong", markers=EXAMPLE).start(7))[0] == EXAMPLE
    assert fields(th.load("oolong", specials=False).start(7))[0] == "-"


@pytest.mark.parametrize("stock", [2, 8])
def test_o23_markers_drawn_from_several_sets(stock: int) -> None:
    game = th.load("oolong", stock=stock)
    layouts = [fields(game.start(seed))[0].split(",") for seed in range(2000)]
    drawn = Counter(code for layout in layouts for code in layout)
    for code in {*EXAMPLE.split(",")}:
        each, most = EXAMPLE.count(code), min(8, stock * EXAMPLE.count(code))
        assert drawn[code] == pytest.approx(2000 * each, rel=0.1)
        assert max(layout.count(code) for layout in layouts) <= most
    # Without putting back: the chance that the first two markers differ in kind.
    others = 1 - sum(
        stock * EXAMPLE.count(code) / (8 * stock) * (stock * EXAMPLE.count(code) - 1)
        for code in {*EXAMPLE.split(",")}
    ) / (8 * stock - 1)
    differ = sum(layout[0] != layout[1] for layout in layouts)
    assert differ == pytest.approx(2000 * others, rel=0.05)
    assert len({tuple(layout) for layout in layouts}) > 1900
    assert fields(game.start(5)) == fields(game.start(5))


def test_o23_each_marker_acts_on_its_own() -> None:
    markers = "su,su,su,su,su,su,su,su"
    game = th.load("oolong", stock=8, markers=markers)
    assert fields(game.start(1))[0] == fields(game.start(2))[0] == markers
    tables = "9/BBB6/9/9/9/GGG6/9/9/9"
    triggered = game.position(f"{tables} {markers} N.W b 6").play("N.E")
    assert fields(triggered)[2] == "b:N"
    swapped = triggered.play("C<>N")
    assert fields(swapped)[0] == "-,su,su,su,su,su,su,su,xsu"
    assert game.position(str(swapped)) == swapped
    again = game.position(f"BBBB5/9/9/9/9/GGG6/9/9/9 {fields(swapped)[0]} S.W g 8").play("S.E")
    assert fields(again)[2] == "g:S"  # the same kind at another table


def test_o2_the_waiter_starts_at_the_centre_and_black_moves_first() -> None:
    start = th.load("oolong").start(3)
    assert fields(start)[1:] == ("C.C", "b")
    assert start.text().splitlines()[7][15:26] == "  O   W   O"
    assert start.player == BLACK
    assert start.legal == ("C.N", "C.NE", "C.E", "C.SE", "C.S", "C.SW", "C.W", "C.NW")


def test_o3_one_own_token_on_an_empty_seat_of_the_waiters_table() -> None:
    position = room("C.W", C="B.. ... ..G")
    assert position.legal == ("C.C", "C.N", "C.NE", "C.E", "C.S", "C.SW")
    assert table(position.play("C.S"), "C") == "B.. ... .BG"
    with pytest.raises(th.IllegalMove, match=r"C\.SE is occupied by a green cup"):
        position.play("C.SE")
    with pytest.raises(th.IllegalMove, match="the waiter is at table C"):
        position.play("N.SE")


def test_o4_the_seat_under_the_waiter_is_not_served() -> None:
    position = room("NE.C", C="..B ... ...")
    assert "NE.C" not in position.legal
    with pytest.raises(th.IllegalMove, match=r"the waiter is on NE\.C"):
        position.play("NE.C")


def test_o5_a_complete_table_lets_one_serve_any_other() -> None:
    position = room("C.N", C=FULL_BLACK, N="... .G. ...")
    assert len(position.legal) == 71
    assert not [move for move in position.legal if move.startswith("C.")]
    assert "the centre one is full" in position.scene.prompt
    after = position.play("SW.E")
    assert table(after, "SW") == "... ..B ..."  # five tokens of each colour lay: Black's turn
    assert fields(after)[1] == "E.SW"


def test_o6_only_the_seat_under_the_waiter_is_empty() -> None:
    position = room("C.C", C="BGB G.G BGB")
    assert len(position.legal) == 72
    assert "C.C" not in position.legal
    with pytest.raises(th.IllegalMove, match=r"the waiter is on C\.C"):
        position.play("C.C")


def test_o7_nothing_else_is_barred_when_one_serves_elsewhere() -> None:
    position = room("C.N", C=FULL_BLACK)
    assert {"N.C", "N.N", "C.N"} & set(position.legal) == {"N.C", "N.N"}
    sent_back = position.play("N.C")  # back to the complete table
    assert fields(sent_back)[1] == "C.N"
    assert len(sent_back.legal) == 71


def test_o8_the_waiter_goes_to_the_table_of_the_seat() -> None:
    assert fields(room("C.C").play("C.NE"))[1] == "NE.C"
    stays = room("NW.S", C="..B ... ...", NE="... ... .G.", S="B.. ... ...").play("NW.NW")
    assert fields(stays)[1] == "NW.NW"
    assert table(stays, "NW") == "G.. ... ..."
    assert "NW.NW" not in stays.legal
    taken = room("C.S", C="B.. ... ...", N="... .G. ...").play("C.N")
    assert fields(taken)[1] == "N.C"  # a taken seat
    assert len(taken.legal) == 8


def test_o9_the_other_players_turn_comes_whoever_acted() -> None:
    black_serves = room("E.S", E="BB. ... ...", C="GG. ... ...").play("E.C")
    assert fields(black_serves)[2] == "g:E"  # mg: Green acts on Black's serving
    assert fields(black_serves.play("-"))[2] == "g"
    assert fields(black_serves.play("C.N>S.S"))[2] == "g"
    green_serves = room("N.S", N="GG. ... ...", C="BBB ... ...").play("N.C")
    assert fields(green_serves)[2] == "b:N"
    assert fields(green_serves.play("-"))[2] == "b"
    assert fields(room("C.C").play("C.N"))[2] == "g"


def test_o10_five_tokens_claim_for_good_and_play_goes_on() -> None:
    position = room("C.SE", C="BBB B.. ...", S="GGG G.. ...")
    assert "BLACK" not in position.text()
    claimed = position.play("C.C")
    assert "WB" in claimed.text()  # the waiter beside the cup
    assert "BLACK" in claimed.text()
    assert "Tables claimed: Black 1, Green 0" in claimed.text()
    assert claimed.legal  # the claimed table is where the waiter still is
    assert set(claimed.legal) == {"C.E", "C.SW", "C.S", "C.SE"}
    assert "Black 1, Green 0" in claimed.play("C.E").text()


def test_o11_five_tables_win_at_once_before_any_action() -> None:
    four = dict.fromkeys(("N", "NE", "E", "SE"), FULL_BLACK)
    position = room("W.C", W="BBB B.. ...", C="GGG G.. ...", S="GGG G.. ...", **four)
    assert position.player == BLACK
    won = position.play("W.E")  # the fifth token would trigger sc
    assert won.over
    assert won.winners == (BLACK,)
    assert won.legal == ()
    assert won.status == "Black wins: Black has claimed five tables, Green none."
    assert [score.value for score in won.scene.scores] == ["5 / 5", "0 / 5"]
    assert set(won.scene.deciding) == {*four, "W"}


FOUR_EACH = dict.fromkeys(("C", "E", "W", "NW"), FULL_BLACK) | dict.fromkeys(
    ("N", "NE", "SW", "SE"), FULL_GREEN
)


def test_o12_no_token_left_is_a_draw_after_the_last_actions() -> None:
    position = room("S.N", S="BBB B.. GGG", **FOUR_EACH)
    assert set(position.legal) == {"S.C", "S.E"}
    drawn = position.play("S.C")  # would trigger su, but a single table is unclaimed (O16)
    assert (drawn.over, drawn.winners) == (True, ())
    markers = EXAMPLE.replace("su", "xx").replace("ro", "su", 1).replace("xx", "ro")
    last_action = room("S.N", markers=markers, S="BBB B.. GGG", **FOUR_EACH).play("S.C")
    assert (last_action.over, fields(last_action)[2]) == (False, "g:S")
    for move in ("-", "@3"):
        drawn = last_action.play(move)
        assert (drawn.over, drawn.winners) == (True, ())
    # The last token may also win.
    tables = FOUR_EACH | {"E": "BBB BBG GG.", "S": "GGG GBB BB."}
    won = room("S.N", **tables).play("S.SE")
    assert won.winners == (GREEN,)


def test_o13_a_token_that_makes_the_count_triggers_either_colour() -> None:
    fourth = room("NE.S", NE="BBB ... ...", C="GGG ... ...").play("NE.C")
    assert fields(fourth)[2] == "b:NE"
    beyond = room("NE.S", NE="BBB B.. ...", C="GGG G.. ...").play("NE.E")
    assert fields(beyond)[2] == "g"  # five is not four
    both = room("NE.N", NE="BB. G.. ...", C="... .G. ...", W="... B.. ...").play("NE.S")
    assert fields(both)[2] == "b"  # four tokens, but two of each colour
    no_marker = room("C.S", C="BBB ... ...", N="GGG ... ...").play("C.C")
    assert fields(no_marker)[2] == "g"
    claimed = room("NE.N", NE="BBB BB. GGG", C="G.. ... ...").play("NE.E")
    assert fields(claimed)[2] == "g:NE"  # Green's fourth on Black's table
    turned = room("E.C", due="b:NE", NE="BBB B.. ...", E="GGG ... ...").play("@4")
    assert fields(turned)[2] == "g"  # three green tokens, but none has come


def test_o14_the_action_comes_after_the_waiter_and_is_optional() -> None:
    position = room("NE.S", NE="BBB ... ...", C="GGG ... ...").play("NE.SW")
    assert fields(position)[1:] == ("SW.NE", "b:NE")
    assert position.legal[-1] == "-"
    assert fields(position.play("-"))[1:] == ("SW.NE", "g")
    green = room("N.S", N="BB. ... ...", C="GG. ... ...", markers="mg,mb,ro,ro,su,sc,wb,wg")
    assert green.play("N.C").player == GREEN  # by the marker, not by who served


def test_o15_a_taken_action_turns_its_marker_face_down() -> None:
    position = room("NE.S", NE="BBB ... ...", C="GGG ... ...").play("NE.SW")
    assert fields(position.play("@1"))[0] == "mb,xro,mg,ro,su,wb,sc,wg"
    used = room("NE.S", NE="BBB ... ...", C="GGG ... ...", markers="mb,xro,mg,ro,su,wb,sc,wg")
    assert fields(used.play("NE.SW"))[2] == "g"
    # First the marker, then the effect: a used su travels with its own table.
    swap = room("S.N", S="BBB ... ...", C="GGG ... ...").play("S.SE")
    assert fields(swap.play("N<>S"))[0] == "xsu,ro,mg,ro,mb,wb,sc,wg"


def test_o16_declined_or_impossible_leaves_the_marker_face_up() -> None:
    position = room("NE.S", NE="BBB ... GGG").play("NE.W").play("-")
    assert fields(position)[0] == EXAMPLE
    again = room("NE.S", NE="BBB B.. GGG").play("NE.C")
    assert fields(again)[2] == "g:NE"  # the same marker, now at Green's fourth
    lonely = room("S.N", S="BBB B.. GGG", **FOUR_EACH).play("S.C")
    assert fields(lonely)[0] == EXAMPLE  # no second unclaimed table: nothing to decide
    assert lonely.over
    # mb, but Black has no token on an unclaimed table.
    tables = {"N": "GG. BBB BB.", "C": "GG. ... ..."}
    assert fields(room("N.S", **tables).play("N.NE"))[::2] == (EXAMPLE, "b")


def test_o17_markers_travel_with_tables_or_stay() -> None:
    tables = {"S": "BBB ... ...", "C": "GG. ... ...", "W": "G.. ... ..."}
    travel = room("S.N", **tables).play("S.C").play("C<>N")
    assert fields(travel) == ("-,ro,mg,ro,xsu,wb,sc,wg,mb", "N.S", "g")
    assert fields(travel.play("N.C"))[2] == "b"  # three green ones at N, but mb lies at C
    stay = room("S.N", stay="true", **tables).play("S.C").play("C<>N")
    assert fields(stay) == ("mb,ro,mg,ro,xsu,wb,sc,wg", "N.S", "g")
    assert fields(stay.play("N.C"))[2] == "b:N"
    centre = room("C.S", markers="-,ro,mg,ro,xsu,wb,sc,wg,mb", C="BB. ... ...", W="GG. ... ...")
    assert fields(centre.play("C.C"))[2] == "b:C"


def test_o18_no_token_goes_under_the_waiter_but_from_there() -> None:
    position = room("N.S", N="BB. ... ...", C="GG. ... ...").play("N.W")
    assert fields(position)[1:] == ("W.N", "b:N")
    assert "N.N>W.N" not in position.legal
    assert "N.N>W.C" in position.legal
    with pytest.raises(th.IllegalMove, match=r"the waiter is on W\.N"):
        position.play("N.N>W.N")
    position = room("N.S", N="BB. ... ...", C="GG. ... ...", W=".B. ... ...", S="G.. ... ...")
    position = position.play("N.W")
    freed = position.play("W.N>S.S")
    assert table(freed, "W") == "... ... ..."
    assert "W.N" not in freed.legal  # he still stands there
    claimed = {"C": "GGG GG. ...", "NE": "BBB ... ..."}
    position = room("N.S", N="BB. ... ...", **claimed).play("N.W")
    targets = {move.split(">")[1].split(".")[0] for move in position.legal if ">" in move}
    assert targets == {"N", "NE", "E", "SE", "S", "SW", "W", "NW"}


def test_o19_rotating_turns_tokens_and_waiter_clockwise() -> None:
    position = room("NE.S", NE="BBB ... ...", W="GGB ... ...", C="G.. ... ...", S="..G ... ...")
    position = position.play("NE.W")
    assert position.legal == ("@1", "@2", "@3", "@4", "@5", "@6", "@7", "-")
    one = position.play("@1")  # the waiter's table, not the marker's
    assert table(one, "NE") == "BBB B.. ..."
    assert table(one, "W") == ".GG ..B ..."
    assert fields(one)[1] == "W.E"
    assert fields(position.play("@7"))[1] == "W.N"
    assert table(position.play("@4"), "W") == "... ... BGG"
    centre = room("E.C", due="b:NE", NE="BBB B.. ...", E="G.. .G. ...", S="... ... GG.")
    assert table(centre.play("@1"), "E") == ".G. .G. ..."
    assert fields(centre.play("@1"))[1] == "E.C"


def test_o20_swapped_tables_keep_their_orientation_and_the_waiter() -> None:
    position = room("S.N", S="BBB ... ...", SE="G.. ... .GG").play("S.SE")
    assert len(position.legal) == 36 + 1
    swapped = position.play("SE<>NW")
    assert table(swapped, "NW") == "G.. ... .GG"
    assert table(swapped, "SE") == "... ... ..."
    assert fields(swapped)[1] == "NW.S"
    assert fields(position.play("C<>N"))[1] == "SE.S"
    assert table(position.play("C<>S"), "C") == "BBB ... ..B"
    claims = {"W": "BBB B.. ...", "C": "GGG GG. ...", "E": "B.. ... ..."}
    claimed = room("W.C", **claims).play("W.E")  # sc: W or C with one of seven
    assert len(claimed.legal) == 14 + 1
    assert {"C<>N", "N<>W"} < set(claimed.legal)
    with pytest.raises(th.IllegalMove, match="both tables are claimed"):
        claimed.play("C<>W")
    with pytest.raises(th.IllegalMove, match="neither table is claimed"):
        claimed.play("N<>S")
    unclaimed = room("S.N", S="BBB ... ...", C="GGG GG. ...", E="BB. ... ...").play("S.SE")
    assert len(unclaimed.legal) == 28 + 1
    with pytest.raises(th.IllegalMove, match="C is claimed"):
        unclaimed.play("C<>N")


def test_o21_the_waiter_keeps_the_name_of_his_seat() -> None:
    tables = {"SW": "BBB B.. ...", "C": "GGG G.. ...", "N": FULL_BLACK, "S": "..G ... ..."}
    position = room("SW.C", **tables).play("SW.E")
    assert fields(position)[1:] == ("E.SW", "b:SW")
    assert position.legal == ("!C", "!N", "!NE", "!SE", "!S", "!SW", "!W", "!NW", "-")
    assert fields(position.play("!S"))[1:] == ("S.SW", "g")
    complete = position.play("!N")
    assert "the north one is full" in complete.scene.prompt
    greens = room("NW.C", NW="BBB B.. ...", C="GGG G.. ...").play("NW.E")
    assert fields(greens)[2] == "g:NW"  # wg: Green's, though Black served


def test_o22_a_moved_token_may_claim_win_and_trigger() -> None:
    tables = {"N": "BB. ... ...", "NE": "BBB ... ...", "C": "GGG GG. ..."}
    position = room("N.S", **tables).play("N.C")
    chained = position.play("N.N>NE.C")
    assert fields(chained) == ("xmb,ro,mg,ro,su,wb,sc,wg", "C.N", "b:NE")
    assert table(chained, "N") == "B.. .B. ..."
    assert fields(chained.play("@2"))[::2] == ("xmb,xro,mg,ro,su,wb,sc,wg", "g")
    # Who moved it acts: Green moves on Black's serving, and rotates.
    tables = {"E": "BB. ... ...", "SE": "GGG ... ...", "C": "G.. ... ...", "S": "BB. ... ..."}
    moved = room("E.S", **tables).play("E.C").play("C.NW>SE.C")
    assert fields(moved)[2] == "g:SE"
    assert fields(moved.play("-"))[::2] == ("mb,ro,xmg,ro,su,wb,sc,wg", "g")
    # Leaving four for three black tokens at E is no arrival.
    left = room("N.S", N="BB. ... ...", E="BBB B.. ...", C="GGG G.. ...", S="GG. ... ...")
    assert fields(left.play("N.C").play("E.N>W.W"))[2] == "g"
    claim = room("N.S", N="BB. ... ...", S="BBB B.. ...", C="GGG GGG ...").play("N.C")
    assert "Black 1, Green 1" in claim.play("N.N>S.C").text()
    four = dict.fromkeys(("NE", "E", "SE", "SW"), FULL_BLACK)
    tables = {"N": "BB. ... ...", "W": "BBB B.. ...", "C": "GGG G.. ...", "S": "GGG G.. ..."}
    won = (
        room("N.S", NW="GG. ... ...", **tables, **four).play("N.C").play("N.N>W.C")
    )  # sc would act
    assert won.winners == (BLACK,)


def test_the_stated_example() -> None:
    position = th.load("oolong").start(1)
    for move in ("C.NE", "NE.S", "S.NW", "NW.NW", "NW.C", "C.E", "E.N", "N.NW", "NW.W", "W.C"):
        position = position.play(move)
    assert fields(position)[1:] == ("C.W", "b")
    assert position.ply == 10
