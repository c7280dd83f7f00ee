"""A game and its mirror image played side by side."""

import random

import numpy as np

from teahouse.rl.single import Single
from teahouse.rl.symmetries import Symmetries


def moved(single: Single, number: int) -> np.ndarray:
    """What the decider sees, moved by a symmetry."""
    seen = single.observation()
    flat = seen.reshape(len(seen), -1)[:, Symmetries.of(single.game).places[number]]
    return flat.reshape(seen.shape)


def play_both(single: Single, twin: Single, number: int, seed: int = 1, most: int = 400) -> None:
    """Play random actions, and those they become in the twin, which was moved by a symmetry."""
    chance = random.Random(seed)
    tables = Symmetries.of(single.game)
    for _ in range(most):
        assert (moved(single, number) == twin.observation()).all()
        assert (single.legal[tables.actions[number]] == twin.legal).all()
        assert (single.player, single.over) == (twin.player, twin.over)
        if single.over:
            break
        action = chance.choice(single.legal_actions)
        single.step(action)
        twin.step(int(tables.renamed[number, action]))
    assert single.rewards == twin.rewards
