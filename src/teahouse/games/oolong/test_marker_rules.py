"""More positions for the rules of claims and markers: who acts, on what, and who wins by it."""

import pytest

from teahouse.games.oolong import EXAMPLE
from teahouse.games.oolong.test_support import (
    BLACK,
    FULL_BLACK,
    FULL_GREEN,
    GREEN,
    fields,
    room,
    table,
)

TRIGGER = None  # the player who serves


def marked(code: str) -> str:
    """Return the layout EXAMPLE with a marker swapped to the north."""
    codes = EXAMPLE.split(",")
    at = codes.index(code)
    codes[0], codes[at] = codes[at], codes[0]
    return ",".join(codes)


def test_o5_a_complete_table_opens_claimed_tables_and_the_centre() -> None:
    claims = {"N": FULL_BLACK, "C": "GGG GG. ...", "E": "BBB BB. ..."}
    position = room("N.S", **claims, S="B.. ... ...", W="G.. ... ...")
    assert {"C.SE", "C.SW", "E.SE", "E.SW", "S.N", "W.N"} <= set(position.legal)
    assert len(position.legal) == 4 + 4 + 8 + 8 + 4 * 9


@pytest.mark.parametrize("server", [BLACK, GREEN])
@pytest.mark.parametrize(
    ("code", "threshold", "actor"),
    [
        ("mb", 3, BLACK),
        ("mg", 3, GREEN),
        ("ro", 4, TRIGGER),
        ("su", 4, TRIGGER),
        ("sc", 5, TRIGGER),
        ("wb", 5, BLACK),
        ("wg", 5, GREEN),
    ],
)
def test_o13_the_threshold_and_the_player_of_each_marker(
    code: str, threshold: int, actor: int | None, server: int
) -> None:
    own, other = "BG"[server], "GB"[server]
    for before in range(1, 6):
        served = (own * before).ljust(9, ".")
        extra = 1 + before if server == GREEN else before  # Black has served one more
        rest = (other * (extra // 2)).ljust(9, "."), (other * (extra - extra // 2)).ljust(9, ".")
        position = room("N.S", markers=marked(code), N=served, C=rest[0], W=rest[1])
        after = position.play("N.SE")
        triggered = "bg"[server if actor is None else actor] + ":N"
        expected = triggered if before + 1 == threshold else "bg"[1 - server]
        assert fields(after)[2] == expected


FOUR_BLACK = dict.fromkeys(("NE", "E", "SE", "SW"), FULL_BLACK)


def test_o11_no_marker_is_triggered_by_the_winning_token() -> None:
    tables = {"W": "BBB B.. ...", "C": "GGG G.. ...", "S": "GGG G.. ..."}
    won = room("W.C", **tables, **FOUR_BLACK).play("W.E")
    assert (won.over, fields(won)[0], fields(won)[2]) == (True, EXAMPLE, "g")
    assert won.game.position(str(won)) == won


def test_o16_a_single_unclaimed_table_leaves_no_way_to_move_a_token() -> None:
    claimed = dict.fromkeys(("C", "NE", "E"), FULL_BLACK) | {
        "N": "BBB BBG G..",  # mb: Green serves the third token here
        "SE": "GGG GGB BB.",
        "SW": FULL_GREEN,
        "W": FULL_GREEN,
    }
    only_waiters_seat = room("N.C", **claimed, NW=FULL_GREEN, S="B.B BBG GGG").play("N.S")
    assert fields(only_waiters_seat) == (EXAMPLE, "S.N", "b")
    free_seat = room("N.C", **claimed, NW="GGG GGB BB.", S="B.B BB. GGG").play("N.S")
    assert fields(free_seat) == (EXAMPLE, "S.N", "b")
    two = claimed | {"SE": FULL_GREEN, "NW": "GG. ... ..."}
    other_table = room("N.C", **two, S="B.B BBG GGG").play("N.S")
    assert fields(other_table)[2] == "b:N"
    assert len(other_table.legal) == 4 * 7 + 1  # four tokens of S, seven seats of NW


def test_o16_two_unclaimed_tables_can_be_swapped() -> None:
    claimed = dict.fromkeys(("C", "N", "NE", "E"), FULL_BLACK)
    claimed |= dict.fromkeys(("SE", "SW", "NW"), FULL_GREEN)
    position = room("S.C", **claimed, S="BBB ... ...", W="GGG G.. ...").play("S.SE")
    assert position.legal == ("S<>W", "-")


def test_o18_tokens_move_between_different_unclaimed_tables() -> None:
    claimed = {"E": "BBB BB. ...", "S": "GGG GGB ..."}
    position = room("N.S", N="BB. ... ...", C="GGG ... ...", **claimed).play("N.W")
    moves = [move.split(">") for move in position.legal if move != "-"]
    assert {source for source, _ in moves} == {"N.NW", "N.N", "N.W"}
    targets = {target.split(".")[0] for _, target in moves}
    assert targets == {"C", "NE", "SE", "SW", "W", "NW"}
    assert {"N.NW>SE.N", "N.NW>W.C"} <= set(position.legal)  # only W.N is under the waiter
    # Either player's claim bars a table, also one made a turn ago.
    green = room("S.C", S="G.G GGB ...", N="BB. ... ...", C="BB. ... ...").play("S.N")
    after = green.play("N.W")
    assert fields(after)[2] == "b:N"
    assert not [move for move in after.legal if move.startswith("S.") or ">S." in move]


def test_o20_the_waiter_and_claims_go_with_the_table() -> None:
    position = room("S.N", S="BBB ... ...", SE="G.. ... .GG").play("S.SE")
    assert fields(position.play("N<>SE"))[1] == "N.S"
    # sc moves Black's table to S; then mg may move a token to W, but not to S.
    claimed = room("W.C", W="BBB B.. ...", E="GG. ... ...", C="GG. ... ...").play("W.E")
    moving = claimed.play("S<>W").play("E.C")
    assert fields(moving)[2] == "g:E"
    assert table(moving, "S") == "BBB B.B ..."
    targets = {move.split(">")[1].split(".")[0] for move in moving.legal if ">" in move}
    assert targets == {"C", "N", "NE", "E", "SE", "SW", "W", "NW"}


def test_o22_a_moved_token_claims_and_wins_for_the_player_who_did_not_serve() -> None:
    tables = {"E": "BB. ... ...", "W": "GGG G.. ...", "NW": "G.. ... ...", "C": "BBB B.. ..."}
    three = dict.fromkeys(("S", "SE", "SW"), FULL_GREEN)
    position = room("E.S", N="BB. ... ...", **tables, **three).play("E.C")
    assert fields(position)[2] == "g:E"  # mg: Green acts on Black's serving
    claimed = position.play("NW.NW>W.C")
    assert "Tables claimed: Black 0, Green 4" in claimed.text()
    assert fields(claimed)[2] == "g:W"  # and the fifth token triggers sc
    four = three | {"NE": FULL_GREEN}
    won = room("E.S", N="BBB ... ...", **tables, **four).play("E.C").play("NW.NW>W.C")
    assert (won.over, won.winners) == (True, (GREEN,))
