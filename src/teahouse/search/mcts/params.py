"""Parameters of tree search; `search` in a game's `bots.json` overrides the defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from teahouse.core.errors import OptionError


@dataclass(frozen=True)
class SearchParams:
    """Parameters of selection, expansion, rollouts and proofs."""

    exploration: float = 0.6
    """UCT exploration constant."""
    expansion_threshold: int = 8
    """Visits of a leaf before its children are added to the tree."""
    first_play_urgency: float = -1.0
    """Value of an unvisited move; negative to use its parent's value."""
    proofs: bool = True
    """Back up proven wins, losses and draws (MCTS-Solver)."""
    rave_equivalence: float = 300.0
    """Visits at which a move's own value outweighs its AMAF value."""
    amaf_threshold: int = 0
    """Update AMAF statistics at nodes with at most this many visits; 0 for no AMAF."""
    prior_visits: int = 0
    """AMAF visits that the evaluation of a new child counts for; 0 for no priors."""
    rollout_cutoff: int = -1
    """Moves of a rollout before it is cut off and evaluated; -1 to play to the end."""
    weighted_rollouts: bool = False
    """Choose rollout moves by the game's `playout_move` instead of uniformly at random."""
    solver_share: float = 0.0
    """Share of the budget that df-pn may use before tree search; 0 for none."""
    solver_horizon: int = 0
    """Run df-pn only if random games take at most this many moves on average."""

    def __post_init__(self) -> None:
        """Raise `OptionError` if a parameter is out of range."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value):
                raise OptionError(f"{field.name} must be a number, got {value}.")
        if self.expansion_threshold < 1:
            raise OptionError(
                f"expansion_threshold must be at least 1, got {self.expansion_threshold}."
            )
        if self.rave_equivalence <= 0:
            raise OptionError(f"rave_equivalence must be above 0, got {self.rave_equivalence}.")


DEFAULT_PARAMS = SearchParams()

PLAIN_UCT = SearchParams(
    exploration=0.7, expansion_threshold=1, first_play_urgency=10.0, proofs=False
)
"""Plain UCT: visit every move once, uniform rollouts to the end, no proofs, no AMAF."""
