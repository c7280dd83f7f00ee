"""How a search goes: what a game's folder or a match may change about it."""

from __future__ import annotations

from dataclasses import dataclass

from teahouse.search.mcts import layout

UNVISITED_FIRST = 10.0  # worth more than any move that was tried


@dataclass(frozen=True)
class Settings:
    """How a search chooses the moves it looks into, and how it judges where they lead."""

    exploration: float = 0.6
    """How much doubt counts beside the score."""
    expand_after: int = 8
    """Visits of a node before its children get room in the tree."""
    unvisited_first: bool = False
    """Whether every move is tried once before any is tried again."""
    proofs: bool = True
    """Whether wins, losses and draws are proven."""
    trust: float = 300.0
    """Visits until what was seen of a move outweighs hearsay."""
    replay: int = 0
    """Moves played later in a playout count as hearsay at nodes with at most so many visits."""
    prior: int = 0
    """How many visits the estimate of where a move leads stands for; 0 to do without."""
    cutoff: int = -1
    """Decisions of a playout before it is cut off and estimated; -1 to play to the end."""
    lean: bool = False
    """Whether playouts lean to moves that the game's folder thinks good."""
    exact: float = 0.0
    """The share of the budget for working out exactly who wins, where the end is near."""
    exact_within: int = 0
    """The end is near if random games take at most so many decisions."""

    def weights(self) -> list[float]:
        """The same as kernels take it."""
        weights = [0.0] * layout.WEIGHTS
        weights[layout.EXPLORATION] = self.exploration
        weights[layout.EXPAND_AFTER] = self.expand_after
        weights[layout.FIRST_PLAY] = UNVISITED_FIRST if self.unvisited_first else -1.0
        weights[layout.PROOFS] = self.proofs
        weights[layout.TRUST] = self.trust
        weights[layout.REPLAY] = self.replay
        weights[layout.PRIOR] = self.prior
        weights[layout.CUTOFF] = self.cutoff
        weights[layout.LEAN] = self.lean
        return weights


DEFAULT = Settings()

PLAIN = Settings(exploration=0.7, expand_after=1, unvisited_first=True, proofs=False)
"""Plain UCT: uniform playouts to the end, no proofs, no hearsay."""
