"""Train a small policy for Orochi of side 3 by self-play, and let it play a bot of level 1.

    python examples/train_policy.py [ROUNDS]

A network of scikit-learn's gets the planes of a position and gives each action's probability. It
plays many games against itself in a batch, and then learns to do more of what the winners did:
the simplest kind of policy gradient. The board's symmetries make twelve positions out of one.
"""

import sys
import time

import numpy as np
from sklearn.neural_network import MLPClassifier

from teahouse.rl import Batch
from teahouse.rl.gymnasium import AgainstBots

GAMES = 512  # side by side
STEPS = 60  # of each round, two games or so


class Policy:
    """A network that chooses actions."""

    def __init__(self, batch: Batch) -> None:
        actions = np.arange(batch.spec.action_count)
        inputs = int(np.prod(batch.observation.shape[1:]))
        self.network = MLPClassifier((128,), learning_rate_init=0.001, random_state=1)
        self.network.partial_fit(np.zeros((len(actions), inputs)), actions, classes=actions)

    def scores(self, observation: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """The logarithm of each action's probability, for many positions at once."""
        flat = observation.reshape(len(observation), -1).astype(np.float32)
        return np.where(legal, np.log(self.network.predict_proba(flat) + 1e-9), -np.inf)


def play_round(
    policy: Policy, batch: Batch, chance: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """What the winners saw and did."""
    seen, done, taken, players, rewards = [], [], [], [], []
    for _ in range(STEPS):
        # A step overwrites the batch's arrays, so what is kept is copied.
        seen.append(batch.observation.copy())
        players.append(batch.player.copy())
        scores = policy.scores(batch.observation, batch.legal)
        # The greatest of such sums is an action drawn with its probability.
        taken.append((scores + chance.gumbel(size=scores.shape)).argmax(axis=1))
        batch.step(taken[-1])
        done.append(batch.done.copy())
        rewards.append(batch.rewards.copy())
    won = np.zeros((STEPS, batch.size), bool)
    result = np.zeros(batch.rewards.shape, np.float32)
    for step in reversed(range(STEPS)):
        result[done[step]] = rewards[step][done[step]]
        won[step] = result[np.arange(batch.size), players[step]] > 0
    return np.array(seen)[won], np.array(taken)[won]


def train(rounds: int) -> Policy:
    """A policy that has played so many rounds against itself."""
    batch = Batch("orochi", GAMES, seed=1, side=3)
    chance = np.random.default_rng(1)
    policy = Policy(batch)
    symmetries = batch.symmetries
    for number in range(rounds):
        seen, taken = play_round(policy, batch, chance)
        turn = chance.integers(len(symmetries.names))
        flat = seen.reshape(*seen.shape[:2], -1)[..., symmetries.plane_source[turn]]
        policy.network.partial_fit(
            flat.reshape(len(flat), -1), symmetries.action_image[turn][taken]
        )
        if (number + 1) % 10 == 0:
            print(f"{number + 1} rounds played", flush=True)
    return policy


def wins_against_a_bot(policy: Policy, games: int, level: int = 1) -> int:
    """How many games the policy wins, taking what it thinks best; on each seat by turns."""
    wins = 0
    for number in range(games):
        env = AgainstBots("orochi", level, seat=number % 2, illegal="error", side=3)
        observation, _ = env.reset(seed=number)
        over, reward = False, 0.0
        while not over:
            scores = policy.scores(observation[None], env.action_masks()[None])
            observation, reward, over, _, _ = env.step(int(scores.argmax()))
        wins += reward > 0
    return wins


def main() -> None:
    start = time.perf_counter()
    policy = train(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    print(f"trained in {time.perf_counter() - start:.0f} s")
    games = 200
    wins = wins_against_a_bot(policy, games)
    print(f"won {wins} of {games} games against level 1")


if __name__ == "__main__":
    main()
