"""An agent of your own in the arena: a function, a class, and a match with the levels.

python examples/own_agent.py [GAME]
teahouse arena orochi python:examples/own_agent.py:OneMoveAhead level1 --games 20
"""

import random
import sys

import teahouse as th
from teahouse.search.arena import play_match


def choose(position: th.Position, seed: int) -> str:
    """Win at once if possible, else play at random; the same seed gives the same move."""
    wins = [move for move in position.legal if position.player in position.play(move).winners]
    return random.Random(seed).choice(wins or position.legal)


class OneMoveAhead:
    """Plays the move after which the most random games are won; one object for each game."""

    def __init__(self) -> None:
        self.games = 30
        self.simulations = 0  # the arena reports this field

    def choose(self, position: th.Position, seed: int) -> str:
        def wins(move: str) -> float:
            after = position.play(move)
            if after.over:
                return float(position.player in after.winners) * self.games
            self.simulations += self.games
            return after.playouts(self.games, seed=seed).wins[position.player]

        return max(position.legal, key=wins)


if __name__ == "__main__":
    game = th.load(sys.argv[1] if len(sys.argv) > 1 else "orochi")
    results = play_match(game, [OneMoveAhead, choose, "level1"], games=4)
    for row in results.standings():
        print(f"{row.player}: {row.games} games, score {row.score.value:.0%}")
