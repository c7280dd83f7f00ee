"""Train a small policy network for Orochi (side 3) by self-play; evaluate it against level 1.

    python examples/train_policy.py [ROUNDS]

A scikit-learn network maps the planes of a position to action probabilities. It plays a batch of
games against itself, then learns to imitate the winners' actions (a simple policy gradient).
Random symmetries of the board augment the data twelvefold.
"""

import sys
import time

import numpy as np
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from teahouse.rl import Batch
from teahouse.rl.gymnasium import AgainstBots

GAMES = 512  # in the batch
STEPS = 60  # per round, about two games


class Policy:
    """A network that maps observations to action probabilities."""

    def __init__(self, batch: Batch) -> None:
        actions = np.arange(batch.spec.action_count)
        input_size = int(np.prod(batch.observation.shape[1:]))
        self.network = MLPClassifier((128,), learning_rate_init=0.001, random_state=1)
        self.network.partial_fit(np.zeros((len(actions), input_size)), actions, classes=actions)

    def log_probabilities(self, observation: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return the log probability of each action; -inf for illegal ones."""
        flat = observation.reshape(len(observation), -1).astype(np.float32)
        return np.where(legal, np.log(self.network.predict_proba(flat) + 1e-9), -np.inf)


def play_round(
    policy: Policy, batch: Batch, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Play a round; return the observations and actions of the players who won."""
    observations, done, taken, players, rewards = [], [], [], [], []
    for _ in range(STEPS):
        # The next step overwrites the batch's arrays.
        observations.append(batch.observation.copy())
        players.append(batch.player.copy())
        scores = policy.log_probabilities(batch.observation, batch.legal)
        # Gumbel-max trick: sample from the policy.
        taken.append((scores + rng.gumbel(size=scores.shape)).argmax(axis=1))
        batch.step(taken[-1])
        done.append(batch.done.copy())
        rewards.append(batch.rewards.copy())
    won = np.zeros((STEPS, batch.size), bool)
    result = np.zeros(batch.rewards.shape, np.float32)
    for step in reversed(range(STEPS)):
        result[done[step]] = rewards[step][done[step]]
        won[step] = result[np.arange(batch.size), players[step]] > 0
    return np.array(observations)[won], np.array(taken)[won]


def train(rounds: int) -> Policy:
    """Train a policy for this many rounds of self-play."""
    threadpool_limits(1)  # the network is too small for more
    batch = Batch("orochi", GAMES, seed=1, side=3)
    rng = np.random.default_rng(1)
    policy = Policy(batch)
    symmetries = batch.symmetries
    for number in range(rounds):
        observations, taken = play_round(policy, batch, rng)
        symmetry = rng.integers(len(symmetries.names))
        planes = observations.reshape(*observations.shape[:2], -1)
        flat = planes[..., symmetries.plane_source[symmetry]]
        policy.network.partial_fit(
            flat.reshape(len(flat), -1), symmetries.action_image[symmetry][taken]
        )
        if (number + 1) % 10 == 0:
            print(f"{number + 1} rounds played", flush=True)
    return policy


def count_wins(policy: Policy, games: int, level: int = 1) -> int:
    """Return how many games the greedy policy wins against a bot, alternating seats."""
    wins = 0
    for number in range(games):
        env = AgainstBots("orochi", level, seat=number % 2, illegal="error", side=3)
        observation, _ = env.reset(seed=number)
        over, reward = False, 0.0
        while not over:
            scores = policy.log_probabilities(observation[None], env.action_masks()[None])
            observation, reward, over, _, _ = env.step(int(scores.argmax()))
        wins += reward > 0
    return wins


def main() -> None:
    start = time.perf_counter()
    policy = train(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    print(f"trained in {time.perf_counter() - start:.0f} s")
    games = 200
    wins = count_wins(policy, games)
    print(f"won {wins} of {games} games against level 1")


if __name__ == "__main__":
    main()
