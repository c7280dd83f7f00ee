"""More drawn positions, what holds in every position, and which positions are refused."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.games.toot.bitboards import SIDE, cell_at, contains
from teahouse.games.toot.test_support import (
    QUIET,
    free_cells,
    on_table,
    state_of,
    table,
)

SIZES = st.integers(3, 20).flatmap(
    lambda tiles: st.tuples(st.just(tiles), st.integers(2, tiles - 1))
)


def neighbours(name: str) -> set[str]:
    column, row = ord(name[0]), int(name[1:])
    return {f"{chr(column + right)}{row + up}" for right, up in ((-1, 0), (1, 0), (0, -1), (0, 1))}


def lives(position: th.Position, player: int) -> int:
    """Two for each piece that was never captured, one for each that was captured once."""
    state = state_of(position)
    glyph = "BR"[player]
    on = list(on_table(position).values())
    return (
        2 * (state.pieces_in_hand[player] + on.count(glyph))
        + state.captured[player]
        + on.count(f"{glyph}=")
    )


def check(position: th.Position) -> None:
    """Tiles and pieces are all there, and each piece stands on its own colour."""
    game, state, on = position.game, state_of(position), on_table(position)
    assert state.remaining != [0, 0]
    for player, letter in enumerate("br"):
        tiles = [glyph for glyph in on.values() if glyph[0].lower() == letter]
        pieces = [glyph for glyph in tiles if glyph[0].isupper()]
        assert len(tiles) + state.tiles_in_hand[player] == game.options["tiles"]
        left = len(pieces) + state.pieces_in_hand[player] + state.captured[player]
        assert state.remaining[player] == left <= game.options["pieces"]
        if state.tiles_in_hand[player]:
            assert left == game.options["pieces"]
    for upright, transposed in (*zip(*state.tiles, strict=True), state.pieces):
        for column in range(SIDE):
            for row in range(SIDE):
                assert contains(upright, cell_at(column, row)) == contains(
                    transposed, cell_at(row, column)
                )


def test_t3_the_table_has_an_edge() -> None:
    position = table(
        """
    s  t  u
21     b  R
20        B
""",
        tiles=8,
    )
    assert set(position.legal) == {"+s21", "+t20", "+u19"}


def test_t6_no_jump_onto_pieces_or_off_the_layout() -> None:
    position = table(
        """
    i  j  k  l  m  n
13        B
12        r
11  r  r  B  r  b  r
10        r        b
""",
        due="+",
        tiles=7,
        pieces=2,
    )
    # From k11 left and down lead nowhere, up is taken; right ends on the first blue tile.
    assert set(position.legal) == {"k11^m11"}


def test_t7_the_way_back_is_always_open() -> None:
    position = table(
        """
    j  k  l  m
12  B  R  b
11  r  r
""",
        due="+",
        captured=(4, 0),
        tiles=8,
    )
    assert position.play("j12^l12").legal == ("l12^j12", ".")


def test_t17_what_counts_as_progress() -> None:
    game = th.load("toot")
    entered = game.start().play("+k13").play("*")
    assert state_of(entered).quiet_turns == 0
    position = table(QUIET, quiet=40, pieces=3, captured=(1, 0))
    for move, quiet in {
        "j12-k12": 41,
        "k12>k11": 0,
        "j12!k12>k11": 0,
    }.items():
        assert state_of(position.play(move)).quiet_turns == quiet
    chain = table(
        """
    j  k  l
12  B  R  b
11  B  r
10     R
""",
        quiet=40,
        pieces=2,
    )
    for move in ("l12^j12", "."):
        assert state_of(chain.play("j12^l12").play(move)).quiet_turns == 0


@settings(max_examples=40, deadline=None)
@given(sizes=SIZES, most_pieces=st.booleans(), data=st.data())
def test_every_move_keeps_what_must_be_kept(
    sizes: tuple[int, int], most_pieces: bool, data: st.DataObject
) -> None:
    tiles, pieces = sizes
    game = th.load("toot", tiles=tiles, pieces=pieces, most_pieces=most_pieces)
    position = game.start()
    chance = data.draw(st.randoms(use_true_random=False))
    for _ in range(data.draw(st.integers(0, 150))):
        if position.over:
            break
        move = chance.choice(position.legal)
        after = position.play(move)
        check(after)
        on = on_table(position)
        if move[0] == "+":
            assert neighbours(move[1:]) & on.keys()
            assert set(position.legal) == {f"+{name}" for name in free_cells(position)}
        if ">" in move:
            taken, cell = re.split("[!>]", move)[-2:]
            assert neighbours(cell) & (on.keys() - {taken})
            assert len(neighbours(taken) & on.keys()) <= 3
            assert cell not in on
        for player in range(2):
            assert lives(after, player) <= lives(position, player)
        if set(on_table(after).values()) == {"b", "r"}:
            assert state_of(after).remaining != [1, 1]
        position = after


@settings(max_examples=10, deadline=None)
@given(sizes=SIZES)
def test_the_list_of_moves_is_long_enough(sizes: tuple[int, int]) -> None:
    """Even where every tile lies alone, which leaves the most free cells."""
    tiles, pieces = sizes
    game = th.load("toot", tiles=tiles, pieces=pieces)
    for standing in range(1, pieces + 1):
        glyphs = ["B"] * standing + ["b"] * (tiles - standing) + ["r"] * tiles
        rows = ["1".join(glyphs[at : at + 10]) for at in range(0, len(glyphs), 10)]
        position = game.position(
            f"a20:{'/21/'.join(rows)} b - 0,0 {pieces - standing},{pieces} - 0 0 0"
        )
        # The end of the list, which holds the noted cells, stays untouched.
        assert len(position.legal) < game.layout.max_moves - 8 * tiles
        assert len(set(position.legal)) == len(position.legal)


START = "k12:b/r b - 5,5 0,0 - 0 0 0"


def test_the_start_as_text() -> None:
    assert str(th.load("toot").start()) == START


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "k12:b/r b - 5,5 0,0 - 0 0": "7 fields instead of 8",
        "k12:b/r w - 5,5 0,0 - 0 0 0": "who decides is b or r",
        "k12:b/r b ? 5,5 0,0 - 0 0 0": "what is due",
        "k12:b/r b +z9 5,5 0,0 - 0 0 0": "what is due",
        "k12:b/r b - 5 0,0 - 0 0 0": "two numbers with a comma",
        "k12:b/r b - 5,-1 0,0 - 0 0 0": "pieces in hand: a number from 0",
        "k12:b/r b - 5,5 0,0 rb 0 0 0": "who has sacrificed",
        "k12:b/r b - 5,5 0,0 - 61 0 0": "turns without progress: a number from 0 to 60",
        "k12:b/r b - 5,5 0,0 - 3 3 0": "turns passed: a number from 0 to 2",
        "k12:b/r b - 5,5 0,0 - 0 1 0": "a turn passed is one without progress",
        "k12:b/r b - 5,5 0,0 - 1 1 0": "the next player need not pass",
        "b/r b - 5,5 0,0 - 0 0 0": "begins with its top left cell",
        "k12:b/x b - 5,5 0,0 - 0 0 0": "row 'x'",
        "k2:b/r/1/b b - 5,5 0,0 - 0 0 0": "over the edge",
        "u12:bb/r b - 5,5 0,0 - 0 0 0": "over the edge",
        "k12:b b - 5,5 0,0 - 0 0 0": "Red has 0 tiles on the table",
        "f12:bbbbbbbbbbbbb/r b - 5,5 0,0 - 0 0 0": "Blue has 13 tiles on the table",
        "k12:b/r b - 6,5 0,0 - 0 0 0": "Blue has 6 pieces instead of 5 at most",
        "k12:b/r b - 4,5 0,0 - 0 0 0": "Blue has tiles in hand",
        "k12:B=/r b - 4,5 0,0 - 0 0 0": "Blue has tiles in hand",
        "k12:b/r b - 5,5 0,0 b 0 0 0": "Blue has tiles in hand",
        "f12:bbbbbbbbbbb/r b - 5,5 0,0 - 0 0 0": "more pieces than tiles in hand",
        "k12:b/r b + 5,5 0,0 - 0 0 0": r"what follows a tile is \+ and the cell",
        "k12:b/r b +k11 5,5 0,0 - 0 0 0": r"what follows a tile is \+ and the cell",
        "k12:b/r b + 0,5 5,0 - 0 0 0": "with no piece in hand",
        "k12:B/r b ^k12 4,4 0,1 - 0 0 0": "which can jump back",
        "k12:B/r/b b ^k12 4,5 0,0 - 0 0 0": "right after a capture",
        "k12:B/r/b b ^k12 4,4 0,1 - 3 0 0": "right after a capture",
        "k12:B/r/b b ^k12 4,4 0,1 - 60 0 0": "right after a capture",
        "k12:b/r b +k12 5,5 0,0 - 60 0 0": "nothing is due",
        "f12:bbbbbbbbbbbb/r b - 0,5 1,0 - 0 0 0": "T16",
    }.items(),
)
def test_positions_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(th.PositionError, match=why):
        th.load("toot").position(text)


@settings(max_examples=200, deadline=None)
@given(
    layout=st.lists(
        st.lists(st.sampled_from(["b", "r", "B", "R", "B=", "R=", "1", "2"]), max_size=6).map(
            "".join
        ),
        min_size=1,
        max_size=5,
    ),
    corner=st.sampled_from(["a21", "k12", "p5", "u3"]),
    rest=st.tuples(
        st.sampled_from("br"),
        st.sampled_from(["-", "+", "+k12", "^k12", "+a21", "^l11"]),
        st.sampled_from(["0,0", "0,2", "1,1", "2,0"]),
        st.sampled_from(["0,0", "1,1", "2,1", "2,2"]),
        st.sampled_from(["-", "b", "r", "br"]),
        st.sampled_from(["0", "7", "59", "60"]),
        st.sampled_from(["0", "1", "2"]),
    ),
    tiles=st.integers(3, 6),
)
def test_odd_positions_are_refused_or_played_to_the_end(
    layout: list[str], corner: str, rest: tuple[str, ...], tiles: int
) -> None:
    game = th.load("toot", tiles=tiles, pieces=2)
    try:
        position = game.position(f"{corner}:{'/'.join(layout)} {' '.join(rest)} 0")
    except th.PositionError:
        return
    check(position)
    assert game.position(str(position)) == position
    assert position.over == (not position.legal)
    assert position.text().isascii()
    assert position.playouts(3, seed=1).games == 3
    for move in position.legal[:20]:
        check(position.play(move))


def test_what_people_type() -> None:
    position = th.load("toot").start()
    assert position.play(" K13 ") == position.play("+k13")
    assert position.play("+k13").play("Enter").player == 1
    with pytest.raises(th.IllegalMove, match="a move is written like"):
        position.play("hello")
    with pytest.raises(th.IllegalMove, match="the table has no cell z9"):
        position.play("+z9")


def test_options_that_do_not_go_together() -> None:
    with pytest.raises(th.OptionError, match="pieces must be fewer than tiles, not 5 to 5"):
        th.load("toot", tiles=5)
