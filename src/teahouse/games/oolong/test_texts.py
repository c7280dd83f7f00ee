"""Explanations and advice are true where the waiter's table has no seat left."""

import random

import pytest

import teahouse as th
from teahouse.games.oolong import coach
from teahouse.games.oolong.test_support import FULL_BLACK, FULL_GREEN, room

CENTRE_FREE = "BBB B.G GGG"  # only the centre seat is free


def test_a_seat_that_points_to_a_table_without_a_seat() -> None:
    """O5, O6: the opponent pours at any other table."""
    position = room("C.W", N=FULL_BLACK, SE=FULL_GREEN, E=CENTRE_FREE)
    assert position.explain("C.S").endswith("south table, so your opponent pours there.")
    for seat, name in (("C.N", "north"), ("C.SE", "south-east"), ("C.E", "east")):
        assert position.explain(seat).endswith(
            f"sends the waiter to the {name} table, where no seat is left for your opponent, who"
            " pours at any other table."
        )
        assert "without a seat for you" in coach.remark(position, seat, 1 - position.player)
    assert "you there" in coach.remark(position, "C.S", 1 - position.player)


def test_the_waiter_at_a_table_without_a_seat() -> None:
    full = room("N.S", N=FULL_BLACK)
    assert full.explain("N.S").startswith(
        "The waiter: at his table no seat is free, so the next cup is poured at any other one. A "
    )
    assert full.explain("E.E").endswith("A cup poured here brings the waiter here.")
    own = room("E.C", E="BBB B.B GGG", W="GG. ... ...")
    assert own.explain("E.C") == (
        "The waiter: at his table only his own seat is free, so the next cup is poured at any"
        " other one."
    )
    for position in (full, own):
        assert coach.advise(position).startswith("The waiter's table has no seat for you")
    assert "At this table you have no cup" in coach.advise(room("E.C", C=CENTRE_FREE))


@pytest.mark.parametrize("seed", range(3))
def test_explanations_of_seats_say_where_the_opponent_pours(seed: int) -> None:
    rng = random.Random(seed)
    position = th.load("oolong", specials=False).start()
    while not position.over:
        for move in position.legal:
            after = position.play(move)
            anywhere = {seat.partition(".")[0] for seat in after.legal} != {move.partition(".")[2]}
            if not after.over:
                assert position.explain(move).endswith("any other table.") == anywhere, move
        position = position.play(rng.choice(position.legal))
    waiter = str(position).split(" ")[2]
    assert position.explain(waiter).startswith("The waiter.")
