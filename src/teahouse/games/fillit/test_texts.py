"""Advice counts the chips of each side."""

import teahouse as th
from teahouse.games.fillit import coach


def test_advice_warns_of_every_side_that_is_close() -> None:
    three = th.load("fillit", mode="3mini", chips=5)
    position = three.start().play("Pa1-d1")
    position = position.play(position.legal[-1])
    assert position.game.players[position.player] == "Yellow"
    hands = coach._hands(position)
    assert hands == [1, 4, 4]
    assert (
        "Beware: Red has only 1 chip and Blue has only 4 chips left. Use a stone as a brake."
        in coach.advise(position)
    )
    teams = th.load("fillit", mode="teams", chips=6).start()
    assert "Beware: Blue and Green have only 4 chips left." in coach.advise(teams)
