"""Parameters of PUCT search; `network` in a game's `bots.json` overrides the defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from teahouse.core.errors import OptionError

MAX_BATCH = 256


@dataclass(frozen=True)
class PuctParams:
    """Parameters of selection and of batches."""

    c_puct: float = 1.3
    """Weight of the prior against the value, which is from 0 to 1."""
    fpu_reduction: float = 0.1
    """First play urgency: how far below its parent's an unvisited action is valued, times the root
    of the prior that is visited."""
    policy_temperature: float = 1.0
    """Divisor of the network's policy logits."""
    virtual_loss: float = 1.0
    """Losses that each evaluation in progress counts for in the values of its path."""
    batch: int = 16
    """Leaves that are evaluated together, at most."""
    batch_growth: float = 16.0
    """Visits of the root for each leaf of a batch, so that small trees get small batches."""
    lcb: float = 0.5
    """Lower confidence bound: the move to play has the highest value less this over the root of its
    visits, of the moves with enough visits. 0: it is the most visited one."""

    def __post_init__(self) -> None:
        """Raise `OptionError` if a parameter is out of range."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value >= 0):
                raise OptionError(f"{field.name} must be a number from 0, got {value}.")
        for name in ("policy_temperature", "batch_growth"):
            if getattr(self, name) == 0:
                raise OptionError(f"{name} must be above 0.")
        if self.batch != int(self.batch) or not 1 <= self.batch <= MAX_BATCH:
            raise OptionError(f"batch must be an integer from 1 to {MAX_BATCH}, got {self.batch}.")
