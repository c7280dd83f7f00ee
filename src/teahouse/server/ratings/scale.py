"""The scale of ratings: that of the levels' measured strength."""

from __future__ import annotations

import math
from dataclasses import dataclass

POINTS = 400 / math.log(10)
"""Points of one natural unit: 400 points are odds of 10 : 1."""

START_DEVIATION = 500.0
MAX_DEVIATION = 500.0
MIN_DEVIATION = 60.0
"""The smallest deviation: players change, so no rating is more certain."""
PROVISIONAL_DEVIATION = 110.0
"""Above it a rating is shown as provisional."""
START_VOLATILITY = 0.06
PERIOD_DAYS = 4.665
"""Days of a rating period: with the start volatility a deviation of 60 grows to 110 in a year."""
POINTS_PER_DAY = (START_VOLATILITY * POINTS) ** 2 / PERIOD_DAYS
"""Growth of a squared deviation in a day, at the start volatility."""


@dataclass(frozen=True, slots=True)
class Rating:
    """An estimate of a player's strength."""

    value: float
    deviation: float
    volatility: float = START_VOLATILITY

    @property
    def provisional(self) -> bool:
        """Whether the rating is still too uncertain to be shown without a mark."""
        return self.deviation > PROVISIONAL_DEVIATION

    @property
    def text(self) -> str:
        """The rating as players read it: "1,240", or "1,240?" while it is provisional."""
        return number_text(self.value) + ("?" if self.provisional else "")


def number_text(points: float) -> str:
    """Return points as players read them, with a minus sign below zero."""
    return f"{round(points):,}".replace("-", "−")


def clamp(value: float, low: float, high: float) -> float:
    """Return the value within limits."""
    return min(max(value, low), high)
