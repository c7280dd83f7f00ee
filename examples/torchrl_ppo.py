"""Train a policy with TorchRL's PPO on Orochi (side 2) against random play; evaluate it.

    pip install 'teahouse[rl]' torchrl
    python examples/torchrl_ppo.py [STEPS]

The mask of legal actions is in the environment's info; `MaskedCategorical` gives others no chance.
"""

import sys

import torch
from tensordict.nn import ProbabilisticTensorDictModule, TensorDictModule
from tensordict.nn import ProbabilisticTensorDictSequential as Policy
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Categorical
from torchrl.envs import GymWrapper, default_info_dict_reader
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from teahouse.rl.gymnasium import AgainstBots

STEPS = 16_384
FRAMES = 1024  # of each iteration
EPOCHS, BATCH = 4, 256


def environment() -> GymWrapper:
    """Return the environment with its mask of legal actions as `action_mask`."""
    env = GymWrapper(AgainstBots("orochi", "random", side=2), categorical_action_encoding=True)
    masks = {"action_mask": Categorical(2, (env.action_spec.space.n,), dtype=torch.int8)}
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], masks))
    return env


def networks(env: GymWrapper) -> tuple[Policy, ValueOperator]:
    """Return a policy and a value network."""
    shape = env.observation_spec["observation"].shape
    size, actions = shape.numel(), env.observation_spec["action_mask"].shape[-1]

    def body(outputs: int) -> nn.Sequential:
        return nn.Sequential(nn.Flatten(-3), nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, outputs))

    policy = Policy(
        TensorDictModule(body(actions), ["observation"], ["logits"]),
        TensorDictModule(torch.Tensor.bool, ["action_mask"], ["legal"]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": "logits", "mask": "legal"},
            out_keys=["action"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
            default_interaction_type=ExplorationType.RANDOM,
        ),
    )
    return policy, ValueOperator(body(1), in_keys=["observation"])


def train(steps: int, seed: int = 1) -> Policy:
    """Train a policy for this many actions of the agent."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the networks are too small for more
    env = environment()
    env.set_seed(seed)
    policy, value = networks(env)
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=value)
    loss = ClipPPOLoss(policy, value, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(
        env,
        policy,
        frames_per_batch=FRAMES,
        total_frames=steps,
        auto_register_policy_transforms=True,
    )
    for frames in collector:
        for _ in range(EPOCHS):
            with torch.no_grad():
                advantage(frames)
            for rows in torch.randperm(len(frames)).split(BATCH):
                losses = loss(frames[rows])
                names = [name for name in losses.keys() if name.startswith("loss_")]  # noqa: SIM118
                total = sum(losses[name] for name in names)
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
    return policy


def win_rate(policy: Policy, games: int, seed: int = 1_000_000) -> float:
    """Return the share of games that the most probable actions win."""
    env = environment()
    wins = 0
    with torch.no_grad(), set_exploration_type(ExplorationType.MODE):
        for number in range(games):
            env.set_seed(seed + number)
            game = env.rollout(100, policy)
            wins += int(game["next", "reward"][-1].item() > 0)
    return wins / games


if __name__ == "__main__":
    policy = train(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
    print(f"PPO wins {win_rate(policy, 200):.0%} of 200 games against random play.")
