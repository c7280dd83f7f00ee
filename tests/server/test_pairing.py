"""Quick pairing without a server: any order of seeks, withdrawals and waiting."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from teahouse.server.lobby.pairing import ANYBODY_SECONDS, WIDENING, WIDTH, PairingPool, Seek

PLAYERS = [f"player {number}" for number in range(8)]


class PairingMachine(RuleBasedStateMachine):
    """A pool against a plain model of who waits."""

    @initialize(size=st.integers(2, 4))
    def create(self, size: int) -> None:
        self.size = size
        self.pool = PairingPool(size)
        self.waiting: dict[str, Seek] = {}
        self.now = 0.0

    @rule(
        player=st.sampled_from(PLAYERS),
        rating=st.sampled_from([0.0, 100.0, 400.0, 2000.0]),
        deviation=st.sampled_from([0.0, 500.0]),
        refused=st.frozensets(st.sampled_from(PLAYERS), max_size=1),
    )
    def seek(self, player: str, rating: float, deviation: float, refused: frozenset[str]) -> None:
        seek = Seek(player, rating, deviation, self.now, refused)
        self.pool.add(seek)
        self.waiting[player] = seek

    @rule(player=st.sampled_from(PLAYERS))
    def stop(self, player: str) -> None:
        assert self.pool.remove(player) == (player in self.waiting)
        self.waiting.pop(player, None)

    @rule(seconds=st.sampled_from([0.5, 3.0, ANYBODY_SECONDS]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def match(self) -> None:
        for group in self.pool.match(self.now):
            assert len(group) == self.size
            for seek in group:
                assert self.waiting.pop(seek.player) is seek, "everybody is paired once"
            for one in group:
                for other in group:
                    if one is not other:
                        assert self.fits(one, other)
        patient = [one for one in self.waiting.values() if self.waited(one) >= ANYBODY_SECONDS]
        if self.size == 2:
            assert not any(
                self.fits(one, other) for one in patient for other in patient if one is not other
            ), "after a while anybody is good enough"

    def waited(self, seek: Seek) -> float:
        return self.now - seek.since

    def fits(self, one: Seek, other: Seek) -> bool:
        limits = [
            WIDTH + seek.deviation + WIDENING * self.waited(seek)
            for seek in (one, other)
            if self.waited(seek) < ANYBODY_SECONDS
        ]
        distance = abs(one.rating - other.rating)
        blocked = one.player in other.refused or other.player in one.refused
        return not blocked and all(distance <= limit for limit in limits)

    @invariant()
    def nobody_is_lost(self) -> None:
        if hasattr(self, "pool"):
            assert len(self.pool) == len(self.waiting)


TestPairing = PairingMachine.TestCase
TestPairing.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_the_nearest_opponent_comes_first() -> None:
    pool = PairingPool(2)
    for player, rating in (("a", 1000.0), ("b", 1140.0), ("c", 1010.0)):
        pool.add(Seek(player, rating, 0.0, 0.0))
    (group,) = pool.match(0.0)
    assert {seek.player for seek in group} == {"a", "c"}
    assert len(pool) == 1


@pytest.mark.parametrize("waited", [0.0, 5.0, ANYBODY_SECONDS])
def test_limits_widen_with_waiting(waited: float) -> None:
    pool = PairingPool(2)
    pool.add(Seek("a", 0.0, 0.0, 0.0))
    pool.add(Seek("b", WIDTH + 5.0 * WIDENING, 0.0, 0.0))
    assert bool(pool.match(waited)) == (waited > 0.0)
