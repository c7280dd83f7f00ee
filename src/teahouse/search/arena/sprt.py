"""The generalised sequential probability ratio test (GSPRT) over the scores of rounds.

Between two sides a round is a game pair, whose score has five values: the pentanomial model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from teahouse.search.arena.ratings import expected_score

Hypothesis = Literal["H0", "H1"]


class SprtStatus(NamedTuple):
    """The state of a test: the accepted hypothesis, if any, the LLR, and the rounds counted."""

    accepted: Hypothesis | None
    llr: float
    rounds: int


@dataclass(frozen=True)
class Sprt:
    """A test of H0, that the first player is `elo0` above the second, against H1, `elo1`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The probability of each kind of error."""

    @property
    def bound(self) -> float:
        """The absolute LLR at which a hypothesis is accepted."""
        return math.log((1 - self.alpha) / self.alpha)

    def llr(self, rounds: Sequence[float], games_per_round: int, sides: int) -> float:
        """Return the log-likelihood ratio of H1 to H0 for the scores of rounds."""
        steps = games_per_round * sides
        counts = [0] * (steps + 1)
        for score in rounds:
            counts[round(score * steps)] += 1
        return self.counted_llr(counts, sides)

    def counted_llr(self, counts: Sequence[int], sides: int) -> float:
        """Return the same for the numbers of rounds with each score, from 0 to 1 in equal steps.

        Each likelihood is the maximum over all distributions of a round's score with the expected
        score of the hypothesis, so that no model of draws is needed.
        """
        h0, h1 = (
            _max_log_likelihood(tuple(counts), expected_score(elo, sides))
            for elo in (self.elo0, self.elo1)
        )
        return h1 - h0

    def accepted(self, llr: float) -> Hypothesis | None:
        """Return the hypothesis that an LLR accepts, or None to continue."""
        if abs(llr) < self.bound:
            return None
        return "H1" if llr > 0 else "H0"


@lru_cache(maxsize=1 << 16)
def _max_log_likelihood(counts: tuple[int, ...], mean: float) -> float:
    """Return the maximum log-likelihood of score counts over all distributions with this mean.

    The maximum has probabilities share / (1 + t (score - mean)); t is found by bisection.
    """
    smoothed = [count + 1e-3 for count in counts]  # no score is impossible
    total = sum(smoothed)
    steps = len(smoothed) - 1
    deviations = [step / steps - mean for step in range(steps + 1)]
    weighted = [count / total * away for count, away in zip(smoothed, deviations, strict=True)]
    low, high = -1 / deviations[-1], -1 / deviations[0]
    t = (low + high) / 2
    while low < t < high:
        if sum(w / (1 + t * away) for w, away in zip(weighted, deviations, strict=True)) > 0:
            low = t
        else:
            high = t
        t = (low + high) / 2
    return sum(
        count * math.log(count / total / (1 + low * away))
        for count, away in zip(smoothed, deviations, strict=True)
    )
