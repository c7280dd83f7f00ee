"""OpenSpiel's MCTS plays Orochi against a random player.

python examples/openspiel_mcts.py [GAMES]
"""

import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import teahouse.rl.openspiel  # noqa: F401 - registers python_teahouse_orochi and the others

SIMULATIONS = 30


def play(game: pyspiel.Game, seat: int, seed: int) -> float:
    """Play one game with MCTS on a seat; return its reward."""
    rng = np.random.RandomState(seed)
    evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = mcts.MCTSBot(game, 2.0, SIMULATIONS, evaluator, random_state=rng)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.current_player() == seat:
            action = bot.step(state)
        else:
            action = rng.choice(state.legal_actions())
        state.apply_action(action)
    return float(state.returns()[seat])


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    game = pyspiel.load_game("python_teahouse_orochi(side=2)")
    rewards = [play(game, seat=number % 2, seed=number) for number in range(games)]
    wins = sum(reward > 0 for reward in rewards)
    print(f"{game}: MCTS won {wins} of {games} games against a random player")


if __name__ == "__main__":
    main()
