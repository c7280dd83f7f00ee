"""Measure OpenSpiel's C++ MCTS with random rollouts in its own environment; print JSON.

python openspiel_peer.py GAME SECONDS
"""

import json
import random
import sys
import time

import pyspiel

SIMULATIONS = 20_000


def mean_length(game: "pyspiel.Game", games: int = 300) -> float:
    """Return the mean number of moves of random games."""
    rng = random.Random(1)
    moves = 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
    return moves / games


def simulations_per_second(game: "pyspiel.Game", seconds: float) -> float:
    """Return simulations per second from the start, with one random rollout each."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    start = game.new_initial_state()
    best = 0.0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 1000, False, 1, False)
        begin = time.perf_counter()
        bot.mcts_search(start)
        best = max(best, SIMULATIONS / (time.perf_counter() - begin))
    return best


def main() -> None:
    name, seconds = sys.argv[1], float(sys.argv[2])
    game = pyspiel.load_game(name)
    length = mean_length(game)
    rate = simulations_per_second(game, seconds)
    print(json.dumps({"simulations": rate, "length": length, "moves": rate * length}))


if __name__ == "__main__":
    main()
