"""Random agents in all the ways there are: a batch, a PettingZoo table, a Gymnasium opponent.

python examples/random_agent.py [GAME]
"""

import sys

import gymnasium
import numpy as np

import teahouse.rl.gymnasium  # noqa: F401 - registers the environments
from teahouse.rl import Batch
from teahouse.rl import pettingzoo as table


def in_a_batch(game: str, games: int = 1000) -> None:
    """Many games at once: an action for each, and finished games begin anew by themselves."""
    batch = Batch(game, size=256, seed=1)
    chance = np.random.default_rng(1)
    ended, rewards = 0, np.zeros(batch.rewards.shape[1])
    while ended < games:
        # A legal action of each game with equal chances. batch.sample() does this, and quicker.
        weights = chance.random(batch.legal.shape) * batch.legal
        batch.step(weights.argmax(axis=1))
        ended += int(batch.done.sum())
        rewards += batch.rewards.sum(axis=0)
    print(f"{batch!r}: {ended} games ended, mean reward by player {(rewards / ended).round(3)}")


def at_a_table(game: str) -> None:
    """PettingZoo's loop: agents take turns, and the mask says what is legal."""
    env = table.env(game)
    env.reset(seed=1)
    actions = 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            print(f"{agent} has got {reward:+.1f} after {actions} actions")
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(observation["action_mask"]))
        actions += 1


def against_a_bot(game: str, games: int = 10) -> None:
    """Gymnasium's loop: a bot of level 1 has the other seats."""
    names = [name for name in gymnasium.registry if name.lower() == f"teahouse/{game}-v0"]
    env = gymnasium.make(names[0], opponent=1)
    total = 0.0
    for seed in range(games):
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        while not over:
            action = env.action_space.sample(info["action_mask"])
            _, reward, over, _, info = env.step(action)
            total += float(reward)
    print(f"against level 1: mean reward {total / games:+.2f} in {games} games")


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "orochi"
    in_a_batch(chosen)
    at_a_table(chosen)
    against_a_bot(chosen)
