"""Measure OpenSpiel's C++ MCTS with random rollouts, the peer of playouts and searches.

A program of its own, run by a Python that has OpenSpiel. It reads lines with the seconds and a game
and prints a line of JSON for each, so that it can be measured in turns with ours. Rates are per
second of CPU time: its search has one thread.
"""

import json
import random
import sys
import time
from functools import cache
from typing import Any

SIMULATIONS = 5_000


@cache
def _game(name: str) -> tuple[Any, float]:
    """Return a game and the mean number of moves of random games."""
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(1)  # noqa: S311 - no secret
    moves, games = 0, 300
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
    return game, moves / games


def simulations_per_second(game: Any, seconds: float) -> float:
    """Return simulations per second from the start, with one random rollout each."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    start = game.new_initial_state()
    best = 0.0
    end = time.process_time() + seconds
    while time.process_time() < end:
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 1000, False, 1, False)
        begin = time.process_time()
        bot.mcts_search(start)
        best = max(best, SIMULATIONS / (time.process_time() - begin))
    return best


def main() -> None:
    for line in sys.stdin:
        seconds, name = line.split()
        game, length = _game(name)
        rate = simulations_per_second(game, float(seconds))
        found = {"simulations": rate, "length": length, "moves": rate * length}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
