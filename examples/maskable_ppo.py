"""Train MaskablePPO of sb3-contrib on Orochi (side 2) against random play; evaluate it.

pip install 'teahouse[rl]' sb3-contrib
python examples/maskable_ppo.py [STEPS]
"""

import sys

import torch
from sb3_contrib import MaskablePPO

from teahouse.rl.gymnasium import AgainstBots

STEPS = 20_000


def train(steps: int, seed: int = 1) -> MaskablePPO:
    """Train a policy for this many actions of the agent."""
    torch.set_num_threads(1)  # the network is too small for more
    env = AgainstBots("orochi", "random", side=2)
    model = MaskablePPO("MlpPolicy", env, n_steps=512, batch_size=128, seed=seed, device="cpu")
    return model.learn(steps)


def win_rate(model: MaskablePPO | None, games: int, seed: int = 1_000_000) -> float:
    """Return the share of games won against random play; without a model, of random play."""
    env = AgainstBots("orochi", "random", side=2)
    wins = 0
    for number in range(games):
        observation, info = env.reset(seed=seed + number)
        over, reward = False, 0.0
        while not over:
            if model is None:
                action = env.action_space.sample(info["action_mask"])
            else:
                masks = env.action_masks()
                action, _ = model.predict(observation, action_masks=masks, deterministic=True)
            observation, reward, over, _, info = env.step(int(action))
        wins += reward > 0
    return wins / games


if __name__ == "__main__":
    print(f"Random play wins {win_rate(None, 500):.0%} of 500 games against random play.")
    model = train(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
    print(f"MaskablePPO wins {win_rate(model, 500):.0%}.")
