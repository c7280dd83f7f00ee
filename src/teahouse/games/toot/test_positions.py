"""More drawn positions, invariants of random games, and invalid positions."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.games.toot import LAST_CAPTURE
from teahouse.games.toot.bitboards import OFF
from teahouse.games.toot.links import DOWN, IN_ROW, TILE_BITS, UP, ranks_of
from teahouse.games.toot.notation import NAMES
from teahouse.games.toot.test_support import (
    QUIET,
    free_cells,
    on_table,
    state_of,
    table,
)

ENDINGS = st.sampled_from([False, True, LAST_CAPTURE])
SIZES = st.integers(3, 20).flatmap(
    lambda tiles: st.tuples(st.just(tiles), st.integers(2, tiles - 1))
)


def neighbours(name: str) -> set[str]:
    column, row = ord(name[0]), int(name[1:])
    return {f"{chr(column + right)}{row + up}" for right, up in ((-1, 0), (1, 0), (0, -1), (0, 1))}


def lives(position: th.Position, player: int) -> int:
    """Return two for each piece never captured, one for each captured once."""
    state = state_of(position)
    glyph = "BR"[player]
    on = list(on_table(position).values())
    return (
        2 * (state.pieces_in_hand[player] + on.count(glyph))
        + state.captured[player]
        + on.count(f"{glyph}=")
    )


def linked(on: dict[str, str], name: str) -> list[set[str]]:
    """Return the tiles of the same colour that a tile leads to, in its row and in its column."""
    found: list[set[str]] = [set(), set()]
    for right, up in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        column, row = ord(name[0]) + right, int(name[1:]) + up
        end = f"{chr(column)}{row}"
        while end in on and on[end][0].lower() != on[name][0].lower():
            column, row = column + right, row + up
            end = f"{chr(column)}{row}"
        if end in on:
            found[abs(up)].add(end)
    return found


def _bits(word: int) -> list[int]:
    return [bit for bit in range(word.bit_length()) if word >> bit & 1]


def check(position: th.Position) -> None:
    """Tiles and pieces are complete, and the bitboards agree with the text."""
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
    for player, letter in enumerate("br"):
        names = [NAMES[cell] for cell in state.cells[player] if cell != OFF]
        assert names == [name for name, glyph in on.items() if glyph[0].lower() == letter]
        padding = [OFF] * (game.options["tiles"] - len(names))
        assert state.cells[player] == sorted(state.cells[player])
        assert state.cells[player][len(names) :] == padding
        words = enumerate(state.tiles[player])
        assert [NAMES[word << 6 | bit] for word, bits in words for bit in _bits(bits)] == names
        assert [names[rank] for rank in _bits(ranks_of(state.pieces[player]))] == [
            name for name in names if on[name][0].isupper()
        ]
        assert [names[rank] for rank in _bits(ranks_of(state.lying[player]))] == [
            name for name in names if on[name].endswith("=")
        ]
        links = 0
        for rank, name in enumerate(names):
            row, column = ({names.index(end) for end in ends} for ends in linked(on, name))
            assert row <= {rank - 1, rank + 1}
            leading_here = sum(
                (UP if start < rank else DOWN) << TILE_BITS * start for start in column
            )
            assert state.column_links[player][rank] == leading_here
            links |= (IN_ROW if rank + 1 in row else 0) << TILE_BITS * rank
            links |= 0 if on[name][0].isupper() else leading_here
        assert state.links[player] == links
        assert not any(state.column_links[player][len(names) :])


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
    left = table(
        """
    a  b  c
 2  B  r
 1  R
""",
        tiles=8,
    )
    assert set(left.legal) == {"+a3", "+b3", "+c2", "+b1"}


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


def test_t7_a_piece_can_always_jump_back() -> None:
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
@given(sizes=SIZES, most_pieces=ENDINGS, data=st.data())
def test_invariants(sizes: tuple[int, int], most_pieces: bool | str, data: st.DataObject) -> None:
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
def test_max_moves_is_sufficient(sizes: tuple[int, int]) -> None:
    """No tile touches another one, which leaves the most free cells."""
    tiles, pieces = sizes
    game = th.load("toot", tiles=tiles, pieces=pieces, most_pieces=False)
    for standing in range(1, pieces + 1):
        glyphs = ["B"] * standing + ["b"] * (tiles - standing) + ["r"] * tiles
        rows = ["1".join(glyphs[at : at + 10]) for at in range(0, len(glyphs), 10)]
        position = game.position(
            f"a20:{'/21/'.join(rows)} b - 0,0 {pieces - standing},{pieces} - 0 0 0"
        )
        # The tail of the list is reserved for the targets of relocations.
        assert len(position.legal) < game.layout.max_moves - 8 * tiles
        assert len(set(position.legal)) == len(position.legal)


LARGE = th.load("toot", tiles=12, pieces=5, most_pieces=False)


def test_the_start_as_text() -> None:
    assert str(th.load("toot").start()) == "k12:b/r b - 4,4 0,0 - 0 0 - 0"
    assert str(LARGE.start()) == "k12:b/r b - 5,5 0,0 - 0 0 0"


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "k12:b/r b - 5,5 0,0 - 0 0": "expected 8 fields before .* got 7",
        "k12:b/r w - 5,5 0,0 - 0 0 0": "the player to move must be b or r",
        "k12:b/r b ? 5,5 0,0 - 0 0 0": "the phase must be",
        "k12:b/r b +z9 5,5 0,0 - 0 0 0": "the phase must be",
        "k12:b/r b - 5 0,0 - 0 0 0": "two integers with a comma",
        "k12:b/r b - 5,-1 0,0 - 0 0 0": "pieces in hand must be an integer from 0",
        "k12:b/r b - 5,5 0,0 rb 0 0 0": "who has sacrificed",
        "k12:b/r b - 5,5 0,0 - 61 0 0": "progress must be an integer from 0 to 60",
        "k12:b/r b - 5,5 0,0 - 3 3 0": "passes must be an integer from 0 to 2",
        "k12:b/r b - 5,5 0,0 - 0 1 0": "passes cannot outnumber",
        "k12:b/r b - 5,5 0,0 - 1 1 0": "the player to move need not pass",
        "b/r b - 5,5 0,0 - 0 0 0": "must begin with its top left cell",
        "k12:b/x b - 5,5 0,0 - 0 0 0": "row 'x'",
        "k2:b/r/1/b b - 5,5 0,0 - 0 0 0": "beyond the edge",
        "u12:bb/r b - 5,5 0,0 - 0 0 0": "beyond the edge",
        "k12:b b - 5,5 0,0 - 0 0 0": "Red must have 1 to 12 tiles on the table, not 0",
        "f12:bbbbbbbbbbbbb/r b - 5,5 0,0 - 0 0 0": "1 to 12 tiles on the table, not 13",
        "k12:b/r b - 6,5 0,0 - 0 0 0": "Blue must have at most 5 pieces, not 6",
        "k12:b/r b - 4,5 0,0 - 0 0 0": "Blue has tiles in hand",
        "k12:B=/r b - 4,5 0,0 - 0 0 0": "Blue has tiles in hand",
        "k12:b/r b - 5,5 0,0 b 0 0 0": "Blue has tiles in hand",
        "f12:bbbbbbbbbbb/r b - 5,5 0,0 - 0 0 0": "more pieces than tiles in hand",
        "k12:b/r b + 5,5 0,0 - 0 0 0": r"\+ must be followed by the cell of an own tile",
        "k12:b/r b +k11 5,5 0,0 - 0 0 0": r"\+ must be followed by the cell of an own tile",
        "k12:b/r b + 0,5 5,0 - 0 0 0": "needs an empty hand of pieces",
        "k12:B/r b ^k12 4,4 0,1 - 0 0 0": "own piece that can jump",
        "k12:B/r/b b ^k12 4,5 0,0 - 0 0 0": "must follow a capture",
        "k12:B/r/b b ^k12 4,4 0,1 - 3 0 0": "must follow a capture",
        "k12:B/r/b b ^k12 4,4 0,1 - 60 0 0": "must follow a capture",
        "k12:b/r b +k12 5,5 0,0 - 60 0 0": "the phase must be -",
        "f12:bbbbbbbbbbbb/r b - 0,5 1,0 - 0 0 0": "T16",
    }.items(),
)
def test_invalid_positions(text: str, why: str) -> None:
    with pytest.raises(th.PositionError, match=why):
        LARGE.position(text)


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "k12:b/r b - 4,4 0,0 - 0 - 0": "Blue must have at most 5 pieces|passes must be",
        "k12:b/r b - 4,4 0,0 - 0 0 - - 0": "expected 9 fields before .* got 10",
        "k12:b/r b - 4,4 0,0 - 0 0 x 0": "who captured last must be -, b or r, not 'x'",
        "k12:b/r b - 4,4 0,0 - 0 0 b 0": "Blue has captured no piece",
        "k12:b/r b - 4,3 0,1 - 0 0 - 0": "Blue has captured, so b or r captured last",
        "k12:b/r b - 4,3 0,1 - 0 0 r 0": "Red has captured no piece",
        "k12:B/r/b b ^k12 3,3 0,1 - 0 0 r 0": "Red has captured no piece",
        "k12:B/r/b b ^k12 2,3 1,1 - 0 0 r 0": "may jump again captured last",
        "f12:Bbbbbbbbbb/Rrrrrrrrrr b - 0,0 1,0 b 0 0 r 0": "the winner captured last",
    }.items(),
)
def test_invalid_last_captures(text: str, why: str) -> None:
    with pytest.raises(th.PositionError, match=why):
        th.load("toot").position(text)


def test_a_return_after_a_set_up_sacrifice_keeps_the_last_capture() -> None:
    """Red's sacrificed piece is not in the set-up position, and the captured one returns."""
    position = table(
        """
    j  k  l
13  b
12  B  R  b
11  B  r  r
10  R
""",
        sacrificed="r",
        captor="-",
        pieces=2,
    )
    for move in ("j12^l12", ".", "l11>m12"):
        position = position.play(move)
    assert str(position).endswith(" b - 0,0 0,0 r 0 0 b 33")
    assert position.game.position(str(position)) == position


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
        st.sampled_from(["", " -", " b", " r"]),
    ),
    tiles=st.integers(3, 6),
)
def test_odd_positions_are_rejected_or_playable(
    layout: list[str], corner: str, rest: tuple[str, ...], tiles: int
) -> None:
    *fields, captor = rest
    game = th.load("toot", tiles=tiles, pieces=2)
    try:
        position = game.position(f"{corner}:{'/'.join(layout)} {' '.join(fields)}{captor} 0")
    except th.PositionError:
        return
    check(position)
    assert (position.game == game) == bool(captor)
    assert game.position(str(position)) == position
    assert position.over == (not position.legal)
    assert position.text().isascii()
    assert position.playouts(3, seed=1).games == 3
    for move in position.legal[:20]:
        check(position.play(move))
    for ply in range(12):
        if position.legal:
            position = position.play(position.legal[-1 - ply % len(position.legal)])
        assert position.game.position(str(position)) == position


def test_input_is_normalised() -> None:
    position = th.load("toot").start()
    assert position.play(" K13 ") == position.play("+k13")
    assert position.play("+k13").play("Enter").player == 1
    with pytest.raises(th.IllegalMove, match="a move has one of the forms"):
        position.play("hello")
    with pytest.raises(th.IllegalMove, match="z9 is not a cell of the table"):
        position.play("+z9")


def test_option_combinations() -> None:
    with pytest.raises(th.OptionError, match="pieces must be fewer than tiles, got 4 and 4"):
        th.load("toot", tiles=4)
    for tiles, pieces in ((3, 2), (20, 2), (20, 19)):
        start = th.load("toot", tiles=tiles, pieces=pieces).start()
        assert state_of(start).tiles_in_hand == [tiles - 1] * 2
        assert state_of(start).pieces_in_hand == [pieces] * 2
    for options in ({"tiles": 2}, {"tiles": 21}, {"pieces": 1}):
        with pytest.raises(th.OptionError, match="must be an integer from"):
            th.load("toot", **options)
