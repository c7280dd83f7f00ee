"""Quick pairing: who plays whom, by strength and by how long they have waited. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WIDTH = 150.0
"""Rating difference allowed at once, in addition to both rating deviations."""
WIDENING = 60.0
"""Growth of the allowed difference per second of waiting."""
ANYBODY_SECONDS = 10.0
"""Seconds after which any opponent is accepted."""


@dataclass(frozen=True, slots=True)
class Seek:
    """Somebody who looks for opponents."""

    player: str
    """Who it is; a player has one seek at a time."""
    rating: float
    deviation: float
    since: float
    refused: frozenset[str] = frozenset()
    """Players that this one is not paired with: blocked ones."""

    def window(self, now: float) -> float:
        """Return by how much an opponent's rating may differ."""
        waited = now - self.since
        if waited >= ANYBODY_SECONDS:
            return float("inf")
        return WIDTH + self.deviation + WIDENING * waited


@dataclass(frozen=True, slots=True)
class PoolKey:
    """What seeks must agree on: a game with its default options, and a time control by name."""

    game: str
    pace: str


class PairingPool:
    """The seeks for one game and time control; `size` players make a game.

    A seek is in the pool or in one group that was returned, never in both.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._seeks: dict[str, Seek] = {}

    def __len__(self) -> int:
        return len(self._seeks)

    def add(self, seek: Seek) -> None:
        """Add a seek; it replaces an earlier one of its player."""
        self._seeks[seek.player] = seek

    def remove(self, player: str) -> bool:
        """Remove a player's seek; return whether there was one."""
        return self._seeks.pop(player, None) is not None

    def match(self, now: float) -> list[list[Seek]]:
        """Remove and return all groups that can play now, longest waiting first."""
        groups = []
        for seek in sorted(self._seeks.values(), key=lambda one: (one.since, one.player)):
            if seek.player in self._seeks:
                group = self._group(seek, now)
                if group is not None:
                    for one in group:
                        del self._seeks[one.player]
                    groups.append(group)
        return groups

    def _group(self, first: Seek, now: float) -> list[Seek] | None:
        """Return a seek with the nearest others that fit it and each other, if there are enough."""
        group = [first]
        others = sorted(self._seeks.values(), key=lambda one: _distance(first, one))
        for other in others:
            if _fits(other, group, now):
                group.append(other)
            if len(group) == self._size:
                return group
        return None


def _distance(one: Seek, other: Seek) -> tuple[float, float, str]:
    return abs(one.rating - other.rating), other.since, other.player


def _fits(seek: Seek, group: Iterable[Seek], now: float) -> bool:
    return all(
        seek.player != one.player
        and seek.player not in one.refused
        and one.player not in seek.refused
        and abs(seek.rating - one.rating) <= min(seek.window(now), one.window(now))
        for one in group
    )
