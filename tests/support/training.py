"""The smallest self-play and training run."""

from typing import Any

import torch

import teahouse as th
from teahouse.learn.network import NetworkShape, PolicyValueNetwork
from teahouse.learn.selfplay import SelfPlay, SelfPlaySettings
from teahouse.learn.trainer import TrainingSettings

SMALL = SelfPlaySettings(games=8, simulations=12, considered=4, ring=24)


def smallest() -> th.Game:
    return th.load("orochi", side=2)


def settings(minutes: float = 0.02) -> TrainingSettings:
    return TrainingSettings(
        minutes=minutes,
        shape=NetworkShape(blocks=2, channels=8),
        selfplay=SMALL,
        simulations=((0.0, 12),),
        batch=32,
        updates=1,
        warmup=4,
    )


def uniform(game: th.Game) -> Any:
    """Return an evaluator that knows nothing."""
    actions = PolicyValueNetwork(game, NetworkShape(1, 4)).policy.source.numel()

    def evaluate(planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        sides = len(game.teams)
        return torch.zeros(len(planes), actions), torch.full((len(planes), sides), 1 / sides)

    return evaluate


def play(game: th.Game, steps: int, seed: int = 1, chosen: SelfPlaySettings = SMALL) -> SelfPlay:
    """Return self-play of an evaluator that knows nothing, after some steps."""
    selfplay = SelfPlay(game, chosen, uniform(game), "cpu", seed)
    for _ in range(steps):
        selfplay.search()
        selfplay.act()
    return selfplay
