"""Time that does not jump."""

from __future__ import annotations

import logging

import pytest

from teahouse.server.storage.steady_clock import SLEW, SteadyClock

DAY = 86_400.0


class Clocks:
    """The system's clock, and one that cannot be set."""

    def __init__(self) -> None:
        self.wall = 1e9
        self.elapsed = 50.0

    def steady(self, last: float = 0.0) -> SteadyClock:
        return SteadyClock(last, lambda: self.wall, lambda: self.elapsed)

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.elapsed += seconds


def test_a_jump_is_not_followed_at_once(caplog: pytest.LogCaptureFixture) -> None:
    clocks = Clocks()
    steady = clocks.steady()
    for jump in (3 * DAY, -6 * DAY):
        clocks.wall += jump
        before = steady.now()
        with caplog.at_level(logging.WARNING):
            clocks.wait(100.0)
            passed = steady.now() - before
        assert 100.0 * (1 - SLEW) - 1e-6 <= passed <= 100.0 * (1 + SLEW) + 1e-6
    assert caplog.messages[0].startswith("The system's clock is +259200 seconds off")
    assert len(caplog.messages) == 1  # it stays off


def test_small_corrections_are_followed() -> None:
    clocks = Clocks()
    steady = clocks.steady()
    clocks.wall += 0.5
    for _ in range(10):
        clocks.wait(10.0)
        steady.now()
    assert steady.now() == pytest.approx(clocks.wall)


def test_it_goes_on_from_the_last_stored_time() -> None:
    clocks = Clocks()
    last = clocks.wall + 10 * DAY  # the system's clock was set back while the server was stopped
    assert clocks.steady(last).now() == last
    stopped = clocks.wall - 2 * DAY  # the days of a stop count
    assert clocks.steady(stopped).now() == clocks.wall
