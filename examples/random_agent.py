"""Random agents in a batch, in a PettingZoo environment and in a Gymnasium environment.

python examples/random_agent.py [GAME]
"""

import sys

import gymnasium
import numpy as np

import teahouse.rl.gymnasium  # noqa: F401 - registers the environments
from teahouse.rl import Batch, pettingzoo


def play_batch(game: str, games: int = 1000) -> None:
    """Step many games together; finished games are replaced automatically."""
    batch = Batch(game, size=256, seed=1)
    rng = np.random.default_rng(1)
    ended, rewards = 0, np.zeros(batch.rewards.shape[1])
    while ended < games:
        # A uniformly random legal action for each game; batch.sample() does this faster.
        weights = rng.random(batch.legal.shape) * batch.legal
        batch.step(weights.argmax(axis=1))
        ended += int(batch.done.sum())
        rewards += batch.rewards.sum(axis=0)
    print(f"{batch!r}: {ended} games ended, mean reward by player {(rewards / ended).round(3)}")


def play_pettingzoo(game: str) -> None:
    """PettingZoo's agent loop: the mask in the observation tells what is legal."""
    env = pettingzoo.env(game)
    env.reset(seed=1)
    actions = 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            print(f"{agent}: reward {reward:+.1f} after {actions} actions")
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(observation["action_mask"]))
        actions += 1


def play_gymnasium(game: str, games: int = 10) -> None:
    """Gymnasium's loop: bots of level 1 play the other seats."""
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
    play_batch(chosen)
    play_pettingzoo(chosen)
    play_gymnasium(chosen)
