"""A table's clock: whose time runs, and how much everybody has left."""

from __future__ import annotations

from typing import Any

from teahouse.server.events import Now
from teahouse.server.messages import DaysClock, NoClock, RealClock

DAY = 86_400.0


class Clock:
    """Time for each seat, in seconds. A bot's seat has no time (None) and cannot run out of it.

    Time in real games is that of the open house; days are those of the calendar.
    """

    def __init__(self, choice: NoClock | RealClock | DaysClock, people: list[bool]) -> None:
        self._choice = choice
        self._since = 0.0
        self.running: int | None = None
        full = self._full
        self.left: list[float | None] | None = (
            None if full is None else [full if person else None for person in people]
        )

    @property
    def _full(self) -> float | None:
        match self._choice:
            case RealClock(seconds=seconds):
                return float(seconds)
            case DaysClock(days=days):
                return days * DAY
        return None

    def _scale(self, now: Now) -> float:
        return now.wall if isinstance(self._choice, DaysClock) else now.open

    def settle(self, now: Now) -> None:
        """Take the time that has passed from the seat whose time runs."""
        if self.left is not None and self.running is not None:
            self.left[self.running] = self._left_of(self.running, now)
        self._since = self._scale(now)

    def run(self, seat: int | None, now: Now) -> None:
        """Let another seat's time run, or nobody's."""
        self.settle(now)
        self.running = (
            None if self.left is None or seat is None or self.left[seat] is None else seat
        )

    def passed(self, before: int, after: int) -> None:
        """The turn has passed from one seat to another: the increment, or new days."""
        if self.left is None:
            return
        match self._choice:
            case RealClock(increment=increment):
                left = self.left[before]
                self.left[before] = None if left is None else left + increment
            case DaysClock():
                self.renew(after)

    def renew(self, seat: int) -> None:
        """With days for each turn: all of them."""
        if self.left is not None and isinstance(self._choice, DaysClock):
            self.left[seat] = None if self.left[seat] is None else self._full

    def retire(self, seat: int) -> None:
        """A bot sits here now."""
        if self.left is not None:
            self.left[seat] = None

    def _left_of(self, seat: int, now: Now) -> float:
        left = self.left[seat] if self.left is not None else None
        assert left is not None, "only a seat with time runs"
        return max(0.0, left - max(0.0, self._scale(now) - self._since))

    def fallen(self, now: Now) -> bool:
        """Whether the running seat has no time left."""
        return self.running is not None and self._left_of(self.running, now) <= 0

    def wait(self, now: Now) -> float | None:
        """Seconds until the running seat's time is up, if nothing happens."""
        return None if self.running is None else self._left_of(self.running, now)

    def shown(self, now: Now) -> dict[str, Any] | None:
        """The clock as the page gets it: milliseconds left at a moment."""
        if self.left is None:
            return None
        left = [
            None
            if seconds is None
            else round(1000 * (self._left_of(seat, now) if seat == self.running else seconds))
            for seat, seconds in enumerate(self.left)
        ]
        return {"left": left, "running": self.running, "at": now.wall}
