"""Lag compensation as on lichess: the transit time of moves is given back, within a quota.

The server measures a client's round trip. When a move arrives, that much of the time used is given
back, at most what is left of the seat's quota. The quota grows with every move up to a limit, so a
short lag spike costs nothing, and faking lag gains little.
"""

from __future__ import annotations

from dataclasses import dataclass

from teahouse.session.events import Realtime, TimeControl

TURNS = 40
"""Expected number of turns, to estimate the duration of a game."""
MAX_GAIN = 1.0
"""Seconds by which the quota grows with every move in games of three minutes and more."""
MIN_GAIN = 0.4
GAIN_PER_SECOND = 1 / 300
FIRST_MOVES = 3
"""The quota at the start, in moves."""
MAX_MOVES = 7
"""The largest quota, in moves."""


MAX_GRACE = 2.0
"""Seconds at most that a timeout waits for a move that may be on its way."""


@dataclass(frozen=True, slots=True)
class LagQuota:
    """The lag compensation that a seat may still get."""

    left: float

    def spend(self, seconds: float, gain: float) -> LagQuota:
        """Return the quota after a move for which some seconds were given back."""
        return LagQuota(min(self.left + gain - seconds, MAX_MOVES * gain))

    @property
    def grace(self) -> float:
        """Seconds that a timeout waits for a move that may get as much compensation."""
        return min(self.left, MAX_GRACE)


def lag_gain(control: TimeControl) -> float:
    """Return by how much a seat's quota grows with every move; 0 without a realtime clock."""
    if not isinstance(control, Realtime):
        return 0.0
    total = control.seconds + TURNS * control.increment
    return min(MAX_GAIN, MIN_GAIN + GAIN_PER_SECOND * total)


def first_quota(control: TimeControl) -> LagQuota:
    """Return the quota of a seat at the start of a game."""
    return LagQuota(FIRST_MOVES * lag_gain(control))
