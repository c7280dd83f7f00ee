"""The game clock: the time each seat has left, and whose time is running."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from teahouse.session.events import Correspondence, Realtime, TimeControl, Timestamp
from teahouse.session.lag import LagQuota, first_quota, lag_gain

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The clock at a moment. Only the running seat loses time from then on."""

    remaining_ms: list[int | None]
    running: int | None
    at: float
    """Unix time of the reading."""
    paused_until: float | None = None
    """Unix time from which the running seat loses time again; None unless it is on vacation."""


@dataclass(frozen=True, slots=True)
class ClockState:
    """The mutable state of a clock, for storage."""

    remaining: list[float | None] | None
    running: int | None
    since: float
    pauses: dict[int, float] = field(default_factory=dict)
    """When the vacation of a seat ends, by seat."""
    lags: dict[int, LagQuota] = field(default_factory=dict)
    """The remaining lag quota of seats that have used some of it."""


class Clock:
    """The seconds each seat has left; None for a bot, whose time never runs.

    Realtime clocks count server uptime, correspondence clocks count wall time and stand still
    during a player's vacation.

    A takeback gains nobody time: time used stays used, and the increments of the undone turns are
    deducted.
    """

    def __init__(self, control: TimeControl, timed: Sequence[bool]) -> None:
        self._control = control
        self._since = 0.0
        self._pauses: dict[int, float] = {}
        self._lags: dict[int, LagQuota] = {}
        self.running: int | None = None
        full = self._full
        self.remaining: list[float | None] | None = (
            None if full is None else [full if seat else None for seat in timed]
        )

    def copy(self) -> Clock:
        """Return an independent copy."""
        other = object.__new__(Clock)
        other.__dict__.update(self.__dict__)
        other.remaining = self.remaining and list(self.remaining)
        other._pauses = dict(self._pauses)
        other._lags = dict(self._lags)
        return other

    @property
    def state(self) -> ClockState:
        """The state for `restore`."""
        remaining = self.remaining and list(self.remaining)
        pauses, lags = dict(self._pauses), dict(self._lags)
        return ClockState(remaining, self.running, self._since, pauses, lags)

    def restore(self, state: ClockState) -> None:
        """Continue from a stored state."""
        self.remaining = state.remaining and list(state.remaining)
        self.running, self._since = state.running, state.since
        self._pauses = dict(state.pauses)
        self._lags = dict(state.lags)

    @property
    def _full(self) -> float | None:
        match self._control:
            case Realtime(seconds=seconds):
                return float(seconds)
            case Correspondence(days=days):
                return days * DAY
        return None

    def _time(self, now: Timestamp) -> float:
        return now.wall if isinstance(self._control, Correspondence) else now.uptime

    def pause(self, seat: int, until: float | None, now: Timestamp) -> None:
        """Pause a seat's clock from now until a Unix time; None resumes it.

        Only correspondence clocks can be paused.
        """
        if not isinstance(self._control, Correspondence):
            return
        self.settle(now)
        self._pauses.pop(seat, None)
        if until is not None:
            self._pauses[seat] = until

    def paused_until(self, seat: int, now: Timestamp) -> float | None:
        """Return the Unix time at which a seat's vacation ends, or None if it has none."""
        until = self._pauses.get(seat)
        return until if until is not None and until > self._time(now) else None

    def settle(self, now: Timestamp, lag: float = 0.0) -> None:
        """Deduct the elapsed time, except `lag` seconds of it, from the running seat."""
        if self.remaining is not None and self.running is not None:
            self.remaining[self.running] = self._left(self.running, now, lag)
        self._since = self._time(now)

    def compensation(self, seat: int, round_trip: float, now: Timestamp) -> float:
        """Return the lag compensation in seconds of a move after a round trip.

        It is limited by the quota and by the duration of the turn.
        """
        if seat != self.running or not lag_gain(self._control):
            return 0.0
        return round(max(0.0, min(round_trip, self._lag(seat).left, self._elapsed(seat, now))), 3)

    def stop_turn(self, seat: int, now: Timestamp, lag: float) -> None:
        """Settle after a move of a seat, with `lag` seconds of compensation from its quota."""
        timed = seat == self.running
        self.settle(now, lag)
        gain = lag_gain(self._control)
        if timed and gain and (lag or seat in self._lags):
            self._lags[seat] = self._lag(seat).spend(lag, gain)

    def _lag(self, seat: int) -> LagQuota:
        return self._lags.get(seat) or first_quota(self._control)

    def run(self, seat: int | None, now: Timestamp) -> None:
        """Stop the running seat and start another one, or none."""
        self.settle(now)
        timed = self.remaining is not None and seat is not None and self.remaining[seat] is not None
        self.running = seat if timed else None

    def pass_turn(self, before: int, after: int) -> None:
        """Add the increment to the seat that moved, or renew the days of the next one."""
        if self.remaining is None:
            return
        match self._control:
            case Realtime(increment=increment):
                left = self.remaining[before]
                self.remaining[before] = None if left is None else left + increment
            case Correspondence():
                self.renew(after)

    def undo_turns(self, seats: Sequence[int]) -> None:
        """Deduct the increments of turns that are taken back; `seats` has one entry for each."""
        self.remaining = self._without_increments(self.remaining, seats)

    def can_undo_turns(self, seats: Sequence[int], now: Timestamp) -> bool:
        """Return whether everybody would have time left if these turns were taken back."""
        settled = self.copy()
        settled.settle(now)
        left = self._without_increments(settled.remaining, seats) or []
        return all(left[seat] is None or left[seat] for seat in set(seats) & set(range(len(left))))

    def _without_increments(
        self, remaining: list[float | None] | None, seats: Sequence[int]
    ) -> list[float | None] | None:
        if remaining is None or not isinstance(self._control, Realtime):
            return remaining
        increment = self._control.increment
        return [
            None if left is None else max(0.0, left - increment * seats.count(seat))
            for seat, left in enumerate(remaining)
        ]

    def renew(self, seat: int) -> None:
        """Reset a seat's time to the full number of days, if the time control is per turn."""
        if self.remaining is not None and isinstance(self._control, Correspondence):
            self.remaining[seat] = None if self.remaining[seat] is None else self._full

    def remove(self, seat: int) -> None:
        """Stop timing a seat: a bot has taken it over."""
        if self.remaining is not None:
            self.remaining[seat] = None
        self._pauses.pop(seat, None)

    def _elapsed(self, seat: int, now: Timestamp) -> float:
        since = max(self._since, self._pauses.get(seat, self._since))
        return max(0.0, self._time(now) - since)

    def _left(self, seat: int, now: Timestamp, lag: float = 0.0) -> float:
        left = self.remaining[seat] if self.remaining is not None else None
        assert left is not None, "only a timed seat can run"
        return max(0.0, left - max(0.0, self._elapsed(seat, now) - lag))

    def expired(self, now: Timestamp, lag: float | None = None) -> bool:
        """Return whether the running seat has no time left, after `lag` seconds of compensation.

        Without `lag`, allow for the compensation that a move in transit may get.
        """
        if self.running is None:
            return False
        grace = self._lag(self.running).grace
        return self._left(self.running, now, grace if lag is None else lag) <= 0

    def seconds_left(self, now: Timestamp) -> float | None:
        """Return the time the running seat has left, or None if no time is running."""
        return None if self.running is None else self._left(self.running, now)

    def expires_in(self, now: Timestamp) -> float | None:
        """Return the seconds until the running seat's clock expires, vacation and lag included."""
        if self.running is None:
            return None
        settled = self.remaining[self.running] if self.remaining is not None else None
        assert settled is not None, "only a timed seat can run"
        grace = self._lag(self.running).grace
        left = max(0.0, settled + grace - self._elapsed(self.running, now))
        until = self.paused_until(self.running, now)
        return left + until - self._time(now) if until is not None and left else left

    @property
    def deadline(self) -> float | None:
        """The Unix time at which the running seat's days are over; None without days."""
        if self.running is None or not isinstance(self._control, Correspondence):
            return None
        left = self.remaining[self.running] if self.remaining is not None else None
        assert left is not None, "only a timed seat can run"
        return left + max(self._since, self._pauses.get(self.running, self._since))

    def reading(self, now: Timestamp) -> ClockReading | None:
        """Return every seat's time, or None in an untimed game."""
        if self.remaining is None:
            return None
        remaining_ms = [
            None
            if seconds is None
            else round(1000 * (self._left(seat, now) if seat == self.running else seconds))
            for seat, seconds in enumerate(self.remaining)
        ]
        paused = None if self.running is None else self.paused_until(self.running, now)
        return ClockReading(remaining_ms, self.running, now.wall, paused)
