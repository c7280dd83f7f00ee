"""Invariants of random games of Oolong, and the parsing and rejection of its texts."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.core.random import bounded
from teahouse.games.oolong import EXAMPLE, equipment, rules

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"markers_stay": True},
    {"specials": False},
    {"stock": 8},
)


def played(data: st.DataObject) -> Iterator[tuple[th.Position, str, th.Position]]:
    """Yield the moves of a random game, each with the positions before and after it."""
    game = th.load("oolong", **data.draw(st.sampled_from(OPTIONS)))
    chance = data.draw(st.randoms(use_true_random=False))
    eager = data.draw(st.booleans())
    position = game.start(data.draw(st.integers(0, 10**9)))
    while not position.over:
        move = chance.choice(position.legal)
        if eager and move == "-":
            move = position.legal[0]
        after = position.play(move)
        yield position, move, after
        position = after


def counts(position: th.Position) -> tuple[int, int]:
    """Return the numbers of black and green tokens on the tables."""
    seats = str(position).split(" ")[0]
    return seats.count("B"), seats.count("G")


def claims(position: th.Position) -> list[int]:
    """Return the number of tables on which each player has five tokens."""
    tables = str(position).split(" ")[0].split("/")
    return [sum(table.count(letter) >= 5 for table in tables) for letter in "BG"]


def used(position: th.Position) -> int:
    """Return the number of face-down markers."""
    return str(position).split(" ")[1].count("x")


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_tokens_claims_and_markers(data: st.DataObject) -> None:
    """Tokens are conserved, claims are permanent, one marker acts at a time, 80 servings end it."""
    servings = 0
    for before, move, after in played(data):
        serving = "." in move and ">" not in move
        servings += serving
        black, green = counts(after)
        assert black + green == servings <= 80
        assert black - green == servings % 2
        assert all(new >= old for new, old in zip(claims(after), claims(before), strict=True))
        assert vars(after.unpack())["claims"] == claims(after)
        assert used(after) - used(before) == (not serving and move != "-")
        kinds = {tuple(sign for sign in "!@<>." if sign in text) for text in after.legal} - {()}
        assert len(kinds) == (not after.over)
        assert ("-" in after.legal) == bool(vars(after.unpack())["pending"])
        assert after.over == (max(claims(after)) == 5 or (servings == 80 and not after.legal))
    assert after.winners == tuple(who for who in (0, 1) if claims(after)[who] == 5)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_random_moves_are_those_of_the_list(data: st.DataObject) -> None:
    for before, _, _ in played(data):
        board, state = before.game.board, before.unpack()
        moves = [0] * before.game.layout.max_moves
        count = rules.legal(board, state, moves)
        listed = moves[:count]
        for index in {0, 1 % count, count // 2, count - 1}:
            random = -(-(index << 32) // count)  # the smallest that `bounded` maps to the index
            assert bounded(random, count) == index
            assert rules.random_move(board, state, moves, random) == listed[index]


def changed(before: th.Position, *steps: Any) -> str:
    """Return the position's text after functions that change its state."""
    board, state = before.game.board, before.unpack()
    for step in steps:
        step(board, state)
    return str(before.game.notation.position_text(board, state))


@settings(max_examples=20, deadline=None)
@given(data=st.data(), first=st.integers(0, 7), second=st.integers(1, 8))
def test_rotations_and_swaps_are_inverted(data: st.DataObject, first: int, second: int) -> None:
    """Eight eighths are the identity, k of them one rotation by k; so are two swaps."""

    def turn(eighths: int) -> Any:
        return lambda board, state: rules.rotate_table(state, eighths)

    def swap(board: Any, state: Any) -> None:
        rules.swap_tables(board, state, first, max(first + 1, second))

    for before, _, _ in islice(played(data), None, None, 4):
        same = changed(before)
        assert changed(before, *[turn(1)] * 8) == same
        for eighths in range(1, 8):
            assert changed(before, *[turn(1)] * eighths) == changed(before, turn(eighths))
        assert changed(before, swap, swap) == same


@pytest.mark.parametrize(
    ("typed", "exact"),
    [
        *(("ne", "C.NE"), ("NE", "C.NE"), ("c ne", "C.NE"), ("C,NE", "C.NE"), ("(C, NE)", "C.NE")),
        *(
            ("center north-east", "C.NE"),
            ("c.Ne", "C.NE"),
            ("serve table C seat NorthEast", "C.NE"),
            ("serveTea(C,NE).", "C.NE"),
            ("serveTea(Board, C, NE).", "C.NE"),
        ),
        *(("Centre South", "C.S"), (" w ", "C.W"), ("north east", "C.NE"), ("C, s e", "C.SE")),
    ],
)
def test_servings_are_typed_by_compass_words(typed: str, exact: str) -> None:
    assert th.load("oolong").start().exact(typed) == exact


def test_two_compass_words_are_preferably_a_table_and_a_seat() -> None:
    north = th.load("oolong").start().play("C.N")
    assert north.exact("north east") == "N.E"
    assert north.exact("north north east") == "N.NE"
    assert north.play("N.NE").exact("north east south west") == "NE.SW"
    with pytest.raises(th.IllegalMove, match="the waiter is at table C"):
        th.load("oolong").start().exact("N.E")


@pytest.mark.parametrize(
    ("tables", "where", "typed", "exact"),
    [
        ("9/1BBB5/9/9/9/1GG6/9/9/9", "W.N b:N", "n n to w c", "N.N>W.C"),
        ("9/1BBB5/9/9/9/1GG6/9/9/9", "W.N b:N", "north.north -> west.center", "N.N>W.C"),
        ("9/1BBB5/9/9/9/1GG6/9/9/9", "W.N b:N", "N.N>W.C", "N.N>W.C"),
        ("9/1BBB5/9/9/9/1GG6/9/9/9", "W.N b:N", "Pass", "-"),
        ("9/9/1BBBB4/9/9/1GGG5/9/9/9", "W.NE b:NE", "rotate 3", "@3"),
        ("9/9/1BBBB4/9/9/1GGG5/9/9/9", "W.NE b:NE", "3", "@3"),
        ("9/9/1BBBB4/9/9/1GGG5/9/9/9", "W.NE b:NE", "decline", "-"),
        ("9/1GGG5/9/9/9/1BBBB4/9/9/9", "W.S b:S", "swap se and north", "N<>SE"),
        ("9/1GGG5/9/9/9/1BBBB4/9/9/9", "W.S b:S", "SE<>N", "N<>SE"),
        ("9/1GGGG4/9/9/9/9/1BBBBB3/9/9", "W.SW b:SW", "waiter to nw", "!NW"),
        ("9/1GGGG4/9/9/9/9/1BBBBB3/9/9", "W.SW b:SW", "waiter to the north west", "!NW"),
        ("9/1GGGG4/9/9/9/9/1BBBBB3/9/9", "W.SW b:SW", "!nw", "!NW"),
    ],
)
def test_actions_are_typed_in_words(tables: str, where: str, typed: str, exact: str) -> None:
    position = th.load("oolong").position(f"{tables} {EXAMPLE} {where} 20")
    assert position.exact(typed) == exact


def test_texts_of_other_decisions_are_not_servings() -> None:
    start = th.load("oolong").start()
    for text in ("!NE", "@3", "N<>SE", "C<>NE", "C.N>C.NE", "-", "pass", "", "C.", "N E S"):
        with pytest.raises(th.IllegalMove):
            start.play(text)


def test_illegal_moves_are_explained() -> None:
    game = th.load("oolong")
    triggered = game.position(f"9/1BBB5/9/9/9/1GG6/9/9/9 {EXAMPLE} W.N b:N 9")
    for text, why in {
        "N.NW>W.C": "Black has no cup on N.NW",
        "N.N>N.C": "to another table",
        "N.N>S.N": "S.N is occupied",
        "N.N>W.N": "the waiter is on W.N",
        "C.N": "such as NE.S>W.C, or - to decline",
    }.items():
        with pytest.raises(th.IllegalMove) as refused:
            triggered.play(text)
        assert why in str(refused.value)
    free = game.position(f"BBBBBGGGG/9/9/9/9/9/9/9/9 {EXAMPLE} C.N g 9")
    with pytest.raises(th.IllegalMove, match="give a table and a seat"):
        free.play("NE")
    with pytest.raises(th.IllegalMove, match="occupied by a black cup"):
        free.play("C.C")


def test_invalid_marker_layouts() -> None:
    for layout, why in {
        "mb,mg": "expected 8 markers, got 2",
        EXAMPLE + ",ro": "expected 8 markers, got 9",
        EXAMPLE.replace("mb", "xy"): "unknown marker 'xy'",
        EXAMPLE.replace("mb", "ro"): "ro appears 3 times; missing: mb",
        EXAMPLE.replace("wg", "sc"): "sc appears 2 times; missing: wg",
        "": "unknown marker ''",
    }.items():
        with pytest.raises(th.OptionError, match="markers") as refused:
            th.load("oolong", markers=layout)
        assert why in str(refused.value)
    for options in ({"markers": EXAMPLE}, {"stock": 2}):
        with pytest.raises(th.OptionError, match="needs the special markers"):
            th.load("oolong", specials=False, **options)
    with pytest.raises(th.OptionError, match="su appears 3 times; stock=2 has 2"):
        th.load("oolong", markers="su,su,su,ro,ro,ro,ro,mb", stock=2)
    assert (
        th.load("oolong", markers=EXAMPLE.upper().replace(",", " , ")).options["markers"] == EXAMPLE
    )


EMPTY = "/".join("9" * 9)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{EMPTY} {EXAMPLE} C.C", "a position is its tables"),
        (f"{EMPTY}/9 {EXAMPLE} C.C b", "expected 9 tables, got 10"),
        (f"8{EMPTY[1:]} {EXAMPLE} C.C b", "table C must have nine seats"),
        (f"8b{EMPTY[1:]} {EXAMPLE} C.C g", "table C must have nine seats"),
        (f"8G{EMPTY[1:]} {EXAMPLE} C.C g", "0 black and 1 green"),
        ("/".join(["BGBGBGBGB"] * 9) + f" {EXAMPLE} C.C g", "45 black and 36 green"),
        (f"{EMPTY} {EXAMPLE} X.C b", "the waiter must be at a table"),
        (f"{EMPTY} {EXAMPLE} C b", "the waiter must be at a table"),
        (f"{EMPTY} {EXAMPLE} C.C g", "the player to move is b"),
        (f"{EMPTY} {EXAMPLE} C.C x", "the player to move must be b or g"),
        (f"{EMPTY} {EXAMPLE} C.C b:", "the player to move must be b or g"),
        (f"{EMPTY} {EXAMPLE} C.C b:N", "mb triggers at 3 tokens"),
        (f"{EMPTY} {EXAMPLE} C.C g:N", "mb is decided by Black"),
        (f"{EMPTY} {EXAMPLE} C.C b:C", "no face-up marker at C"),
        (f"{EMPTY} x{EXAMPLE} C.C b:N", "no face-up marker at N"),
        (f"{EMPTY} - C.C b", "expected eight markers"),
        (f"{EMPTY} {EXAMPLE},- C.C b", "expected eight markers"),
        (f"{EMPTY} mb,mb,mg,ro,su,wb,sc,wg C.C b", "one each of"),
        (f"{EMPTY} zz,ro,mg,ro,su,wb,sc,wg C.C b", "unknown marker 'zz'"),
        (f"{EMPTY} -,ro,mg,ro,su,wb,sc,wg,mb C.C b", "no marker before a swap"),
        ("9/1BBB5/9/9/9/1GG6/9/9/9 ro,mb,mg,ro,su,wb,sc,wg W.N b:N", "ro triggers at 4 tokens"),
        ("9/1GGGBBBBB/9/9/9/9/9/9/G8 mb,ro,mg,ro,su,wb,sc,wg W.N b:N", "mb has no legal action"),
    ],
)
def test_invalid_positions(text: str, why: str) -> None:
    with pytest.raises(th.PositionError) as refused:
        th.load("oolong").position(f"{text} 3")
    assert why in str(refused.value)


def test_markers_of_a_position_follow_the_options() -> None:
    other = f"{EMPTY} ro,mb,mg,ro,su,wb,sc,wg C.C b 0"
    assert th.load("oolong").position(other)
    with pytest.raises(th.PositionError, match="differ from the option"):
        th.load("oolong", markers=EXAMPLE).position(other)
    with pytest.raises(th.PositionError, match="without specials"):
        th.load("oolong", specials=False).position(other)
    swapped = f"{EMPTY} -,ro,mg,ro,xsu,wb,sc,wg,mb C.C b 0"
    assert th.load("oolong", markers=EXAMPLE).position(swapped)
    with pytest.raises(th.PositionError, match="before a swap"):
        th.load("oolong", markers_stay=True).position(swapped)
    several = "su,su,ro,ro,ro,ro,mb,mb"
    game = th.load("oolong", stock=2, markers=several)
    assert str(game.position(f"{EMPTY} {several} C.C b 0")) == str(game.start())
    assert game.position(f"{EMPTY} -,xsu,ro,ro,ro,ro,mb,mb,su C.C b 0")
    for markers in (EXAMPLE, "xsu,ro,ro,ro,ro,mb,mb,sc"):  # a swap does not change the kinds
        with pytest.raises(th.PositionError, match="differ from the option"):
            game.position(f"{EMPTY} {markers} C.C b 0")
    with pytest.raises(th.PositionError, match=r"eight, at most 2 each of .* and 4 ro"):
        th.load("oolong", stock=2).position(f"{EMPTY} {'ro,' * 5}mb,mb,mg C.C b 0")


def test_max_token_moves_is_sufficient() -> None:
    """Five crowded tables and four empty ones are close to the maximum."""
    tables = "/".join(["9", "1BBBGGG2", *["1BBBBGGGG"] * 4, "9", "9", "9"])
    position = th.load("oolong").position(f"{tables} {EXAMPLE} C.C b:N 38")
    assert 750 < len(position.legal) <= rules.MAX_TOKEN_MOVES + 1
    assert len(set(position.legal)) == len(position.legal)


@pytest.mark.parametrize("code", ["mb", "mg", "ro", "su", "sc", "wb", "wg"])
def test_prompts_of_actions(code: str) -> None:
    """The prompt has no signs or codes, and the longest one fits on two lines."""
    threshold = equipment.THRESHOLDS[equipment.CODES.index(code)]
    seats = "G" * threshold + str(9 - threshold)
    tables = "/".join(["B" * threshold + str(9 - threshold), *["9"] * 7, seats])
    letter = "b" if code in ("mb", "wb") else "g"
    markers = EXAMPLE.replace("wg", "?").replace(code, "wg", 1).replace("?", code)
    position = th.load("oolong").position(f"{tables} {markers} NE.NW {letter}:NW 10")
    assert position.scene.prompt.startswith("North-west marker: ")
    assert re.fullmatch(r"[A-Za-z', :?-]+, or Skip\.", position.scene.prompt)
    assert len(position.scene.prompt) <= 100
    assert position.scene.notation_hint.endswith(", or - to skip.")


def test_prompts_of_servings() -> None:
    eight = "/".join(["9"] * 8)
    game = th.load("oolong")
    for seats, seat, letter, words in (
        ("9", "C", "b", "free seat of the glowing north-west table (not the waiter's)."),
        ("B8", "C", "g", "free seat of the glowing north-west table."),
        ("BGBGBGBGB", "N", "g", "seat of another table (the north-west one is full)."),
        ("BGBGBGBG1", "NW", "b", "(the north-west one has no free seat but the waiter's)."),
    ):
        position = game.position(f"{eight}/{seats} {EXAMPLE} NW.{seat} {letter} 9")
        assert position.scene.prompt.startswith("Pour at any free seat of ")
        assert position.scene.prompt.endswith(words)


def test_the_state_is_small() -> None:
    assert th.load("oolong").layout.state.itemsize <= 96
