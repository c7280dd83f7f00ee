"""A test for every rule of rules.md, each on a drawn position."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.core import hexgrid
from teahouse.core.encoding import encoded_rules, observation_spec
from teahouse.core.jit import interpret
from teahouse.games.orochi import planes
from teahouse.games.orochi.evaluation import PAIR

WHITE, BLACK = 0, 1


def drawn(drawing: str, player: str, ply: int = 20) -> th.Position:
    """Return the position of a drawn board of any side."""
    rows = [line.split() for line in drawing.strip().splitlines()]
    text = "/".join("".join(row) for row in rows)
    return th.load("orochi", side=len(rows[0])).position(f"{text} {player} {ply}")


def pieces(position: th.Position) -> dict[str, str]:
    return {spot.name: spot.glyph for spot in position.scene.spots if spot.glyph != "."}


def over_connected(position: th.Position) -> set[str]:
    """Return the cells whose piece has four neighbours of its own colour, straight from C4."""
    side = position.game.options["side"]
    names = hexgrid.names(side)
    on = pieces(position)
    return {
        name
        for name, neighbours in zip(names, hexgrid.neighbours(side), strict=True)
        if name in on and sum(on.get((*names, "")[cell]) == on[name] for cell in neighbours) >= 4
    }


def same_pairs(position: th.Position) -> int:
    side = position.game.options["side"]
    names = (*hexgrid.names(side), "")
    on = pieces(position)
    return sum(
        on[name] == on.get(names[cell])
        for name, neighbours in zip(names, hexgrid.neighbours(side), strict=False)
        for cell in neighbours
        if name in on
    )


def test_c1_white_places_one_then_black_two() -> None:
    position = th.load("orochi").start()
    assert position.player == WHITE
    assert len(position.legal) == 74
    position = position.play("bd4")
    assert position.player == BLACK
    position = position.play("wa1")
    assert position.player == BLACK
    position = position.play("ba2")
    assert position.player == WHITE


def test_c2_turns_alternate_and_nobody_passes() -> None:
    position = drawn(
        """
          . w .
         . . . .
        . b . w .
         . . . .
          . . .
        """,
        "w",
    )
    assert not {"-", "", "pass"} & set(position.legal)
    players = []
    for move in ("we1", "be3", "wa1"):
        players.append(position.player)
        position = position.play(move)
    assert players == [WHITE, BLACK, WHITE]


def test_c3_either_colour_on_any_empty_cell() -> None:
    position = drawn(" w b\n. . b\n w .", "b")
    assert position.legal == ("wa2", "wb1", "wb2", "ba2", "bb1", "bb2")
    with pytest.raises(th.IllegalMove, match="a1 is occupied"):
        position.play("wa1")


def test_c4_four_neighbours_of_the_own_colour() -> None:
    position = drawn(" w w\nw . b\n b .", "w")
    assert over_connected(position.play("wb2")) == set()  # three
    position = drawn(" w w\nw . w\n b .", "w")
    assert over_connected(position.play("wb2")) == {"b2"}
    assert position.play("wb2").legal == ("xb2",)
    assert position.play("bb2").legal == ()


def test_c5_over_connected_pieces_are_replaced_one_by_one() -> None:
    position = drawn(
        """
           . . . .
          . . w w .
         . . . . . .
        . . w w w . .
         . . . w . .
          . . . . .
           . . . .
        """,
        "w",
    )
    position = position.play("we4")
    assert (
        set(position.legal) == {f"x{name}" for name in over_connected(position)} == {"xd4", "xe4"}
    )
    assert position.player == WHITE
    one = position.play("xe4")  # d4 keeps three white neighbours: it stays
    assert pieces(one)["e4"] == "b"
    assert over_connected(one) == set()
    assert "wa1" in one.legal


def test_c6_a_player_who_replaced_takes_another_turn() -> None:
    position = drawn(" w w .\n. . w .\n. w . w .\n. . . .\n . b .", "b").play("wd2")
    assert position.legal == ("xd2",) or over_connected(position)
    while position.legal[0].startswith("x"):
        assert position.player == BLACK
        position = position.play(position.legal[0])
    assert position.player == BLACK
    assert position.play("wa1").player == WHITE


def test_c7_the_game_ends_even_if_another_turn_was_earned() -> None:
    position = drawn(" w w\nw . w\n b .", "w").play("wb2")
    assert not position.over
    position = position.play("xb2")
    assert position.over
    assert position.legal == ()


def test_c8_the_larger_group_at_the_last_cell_wins() -> None:
    # White's ring of four touches a2; Black has b2 and a1, two.
    assert drawn(" w w\nw b w\n b .", "w").winners == (WHITE,)
    # Two white groups of three touch the cell, but only the largest of each colour counts: 3 to 5.
    several = drawn(
        """
          b w b
         w b b b
        w w . w w
         b b b w
          w w b
        """,
        "b",
    )
    assert several.winners == (BLACK,)
    # Nothing black touches the last cell, so Black's groups elsewhere count 0.
    alone = drawn(
        """
          w b w
         b b w b
        w w b w b
         . w b b
          w b w
        """,
        "w",
    )
    assert alone.winners == (WHITE,)
    assert alone.scene.reason.endswith(" has 4 stones, and no black stone touches that cell")
    assert [score.value for score in alone.scene.scores] == ["4", "0"]
    assert alone.scene.deciding == ("b1", "a1", "b2", "c1", "c2")


def test_c9_equal_groups_the_last_to_place_loses() -> None:
    board = " w b\nw . b\n w b"
    assert drawn(board, "w").winners == (BLACK,)
    assert drawn(board, "b").winners == (WHITE,)
    assert drawn(board, "b").status.endswith("have 3 stones, and Black placed the last stone.")


def test_c10_black_may_swap_instead_of_placing() -> None:
    start = th.load("orochi", opening="swap").start()
    assert len(start.legal) == 74
    with pytest.raises(th.IllegalMove, match="only Black may swap"):
        start.play("swap")
    first = start.play("wd4")
    assert (first.player, len(first.legal), first.legal[-1]) == (BLACK, 73, "swap")
    assert first.scene.prompt.endswith("or swap: then White's stone changes its colour.")
    swapped = first.play("SWAP")
    assert swapped.player == WHITE
    assert pieces(swapped) == {"d4": "b"}
    assert str(swapped) == "4/5/6/3b3/6/5/4 w 2"
    assert first.describe("swap") == "Black swapped sides: d4 is black now"
    assert "swap" not in swapped.legal
    with pytest.raises(th.IllegalMove, match="d4 is not over-connected"):
        swapped.play("xd4")
    assert [choice.name for choice in swapped.scene.choices] == ["white", "black", "swap"]
    # One stone a turn from then on, also without a swap.
    for position in (swapped.play("we4"), first.play("we4").play("wa1")):
        assert position.player == BLACK
        assert len(position.scene.choices) == 2
        assert position.play("ba2").player == WHITE


def test_c10_a_swap_is_an_exchange_of_the_colours() -> None:
    """The game after a swap is the one in which White had placed the other colour."""
    game = th.load("orochi", opening="swap", side=2)

    def exchanged(move: str) -> str:
        return {"w": "b", "b": "w"}.get(move[0], move[0]) + move[1:]

    swapped = game.start().play("wb2").play("swap")
    mirrored = game.start().play("wb2")
    while not swapped.over:
        assert {*swapped.legal} == {*map(exchanged, mirrored.legal)} - {"swap"}
        move = swapped.legal[swapped.ply % len(swapped.legal)]
        swapped, mirrored = swapped.play(move), mirrored.play(exchanged(move))
        assert swapped.player == 1 - mirrored.player
    assert mirrored.over
    assert swapped.winners == tuple(1 - player for player in mirrored.winners)


def test_c10_texts_and_clicks() -> None:
    game = th.load("orochi", opening="swap")
    for text in ("4/5/6/3w3/6/5/4 b 1", "4/5/6/3b3/6/5/4 w 2", "4/5/6/3wb2/6/5/4 b 3"):
        assert str(game.position(text)) == text
    with pytest.raises(th.PositionError, match="the player to move is w"):
        game.position("4/5/6/7/6/5/4 b 0")
    first = game.position("4/5/6/3w3/6/5/4 b 1")
    assert first.click_paths("swap") == (("d4",), ("swap",))
    record = th.Record.new(game)
    record.play("wd4")
    record.play("swap")
    assert '[Options "side=4; opening=swap"]' in record.text()
    assert th.Record.parse(record.text()).moves == ("wd4", "swap")
    assert '[Options "side=4"]' in th.Record.new(th.load("orochi")).text()
    with pytest.raises(th.IllegalMove, match="without a swap"):
        th.load("orochi").start().play("wd4").play("swap")


def test_c10_is_seen_by_learners() -> None:
    game = th.load("orochi", opening="swap", side=2)
    names = [plane.meaning for plane in observation_spec(game).planes]
    assert names[-1] == "all cells, if the player to move may swap (C10)"
    assert len(observation_spec(th.load("orochi")).planes) == len(names) - 1
    first = game.start().play("wb2")
    action = planes.action(game.board, first.unpack(), first.move("swap"), 0)
    assert action == 2 * 7 + 3  # flip the centre
    assert planes.move(game.board, first.unpack(), None, action) == first.move("swap")
    mask = [0] * 21
    mark_legal = interpret(planes.mark_legal, encoded_rules(game))
    assert mark_legal(game.board, first.unpack(), None, None, mask) == sum(mask) == 13
    assert mask[14:] == [0, 0, 0, 1, 0, 0, 0]


@settings(max_examples=60, deadline=None)
@given(side=st.integers(2, 8), opening=st.sampled_from(("two", "swap")), data=st.data())
def test_replacements_and_counts(side: int, opening: str, data: st.DataObject) -> None:
    """Replacing lowers the number of same-coloured pairs; the counts of pieces are right."""
    position = th.load("orochi", side=side, opening=opening).start()
    for _ in range(data.draw(st.integers(0, 3 * side * side))):
        if position.over:
            break
        move = data.draw(st.sampled_from(position.legal))
        after = position.play(move)
        if move == "swap":
            assert [*pieces(after)] == [*pieces(position)]
            assert pieces(after) != pieces(position)
        elif move[0] == "x":
            assert same_pairs(after) < same_pairs(position)
            assert len(pieces(after)) == len(pieces(position))
        else:
            assert len(pieces(after)) == len(pieces(position)) + 1
        due = {f"x{name}" for name in over_connected(after)}
        if due:
            assert set(after.legal) == due
            assert after.player == position.player
        elif not after.over:
            empty = [name for name in hexgrid.names(side) if name not in pieces(after)]
            placements = {colour + name for colour in "wb" for name in empty}
            swap = (
                {"swap"} if opening == "swap" and (after.ply, after.player) == (1, BLACK) else set()
            )
            assert set(after.legal) == placements | swap
        position = after


def test_invalid_positions() -> None:
    game = th.load("orochi", side=2)
    for text, why in {
        "2/3/2 b 0": "the player to move is w",
        "2/1w1/2 w 1": "the player to move is b",
        "ww/www/ww w 7": "at least one cell",
        "2/3 w 0": "expected 3 rows, got 2",
        "2/4/2 w 0": "row '4'",
        "2/3/2 white 0": "must be w or b",
        "2/3/2 w": "number of moves",
        "": "number of moves",
    }.items():
        with pytest.raises(th.PositionError, match=why):
            game.position(text)


def test_evaluation_counts_adjacent_pairs_of_a_colour() -> None:
    game = th.load("orochi")

    def evaluate(position: th.Position, player: int) -> float:
        return float(game.rules.evaluate(game.board, position.unpack(), player))

    position = game.start()
    assert evaluate(position, 0) == evaluate(position, 1) == 0.5
    paired = position.play("wd4").play("wd5")
    assert evaluate(paired, 0) == 1 / (1 + math.exp(-PAIR))
    assert math.isclose(evaluate(paired, 0) + evaluate(paired, 1), 1)
    assert evaluate(paired.play("bd3"), 0) == evaluate(paired, 0)
