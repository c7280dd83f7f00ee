"""The smallest training run."""

import teahouse as th
from teahouse.learn.network import NetworkShape
from teahouse.learn.selfplay import SelfPlaySettings
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
