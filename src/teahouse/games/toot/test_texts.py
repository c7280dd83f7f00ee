"""Prompts and advice name only what is possible."""

import random

import pytest

import teahouse as th
from teahouse.games.toot import coach
from teahouse.games.toot.test_late_rules import STUCK
from teahouse.games.toot.test_support import table

ENCLOSED = """
    j  k  l
14     R
13  R  b  R
12  B  b  B
11     r
"""


def test_a_prompt_offers_a_return_only_with_a_tile_that_can_be_taken() -> None:
    """Both empty tiles of Blue have four neighbours (T11); a piece's own tile is loose (T13)."""
    blue = table(ENCLOSED, captured=(1, 0), pieces=3)
    assert not any(">" in move and "!" not in move for move in blue.legal)
    assert blue.scene.prompt == "Step, jump or sacrifice a piece."
    assert "return" not in blue.scene.notation_hint
    used = table(ENCLOSED, captured=(1, 0), pieces=3, sacrificed="b")
    assert used.legal == ("j12-k12", "l12-k12")
    assert used.scene.prompt == "Step or jump."
    loose = table(ENCLOSED.replace("R  b  R", "R  b   "), captured=(1, 0), pieces=3, sacrificed="b")
    assert loose.scene.prompt == "Step, jump or return a captured piece."


@pytest.mark.parametrize("seed", range(12))
def test_prompts_offer_what_is_legal(seed: int) -> None:
    rng = random.Random(seed)
    pieces = rng.randrange(2, 6)
    position = th.load("toot", tiles=pieces + 1, pieces=pieces, quiet_limit=20).start()
    while not position.over:
        prompt = position.scene.prompt
        returns = any(">" in move and "!" not in move for move in position.legal)
        assert ("return a captured piece" in prompt.lower()) == returns, str(position)
        sacrifices = any("!" in move for move in position.legal)
        assert ("sacrifice a piece" in prompt.lower()) == sacrifices, str(position)
        position = position.play(rng.choice(position.legal))


def test_advice_names_the_only_thing_to_do() -> None:
    stuck = table(STUCK, sacrificed="br", pieces=3)
    assert stuck.legal == ("-",)
    assert "pass" in coach.advise(stuck)
    entering = th.load("toot", tiles=3, pieces=2).start().play("+k13")
    assert entering.legal == ("*",)  # T9
    assert coach.advise(entering) == (
        "Let a piece enter on the new tile: nothing else is possible now."
    )
    standing = table(STUCK.replace("B=", "B "), sacrificed="r", pieces=3)
    assert all("!" in move for move in standing.legal)
    assert "you sacrifice one" in coach.advise(standing)
    waiting = table(STUCK, sacrificed="br", pieces=3, captured=(1, 0))
    assert all(">" in move for move in waiting.legal)
    assert coach.advise(waiting).startswith("Bring a captured piece back")
