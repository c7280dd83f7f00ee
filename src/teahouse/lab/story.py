"""Measures of a game's course from its winning chances: leads, decision, drama.

A search is biased towards the side that moves last in its lines, so chances oscillate with the
turns; `smoothed_chances` corrects for that. Every other function returns a number for one game, or
None if the game has none: a draw has no winner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from teahouse.lab.games import PlayedGame

SETTLED = 0.8
"""The winning chance from which on a game counts as decided."""
LEAD = 0.1
"""By how much a side has to be better than all others to take the lead."""
PROVEN = 0.9995
"""A winning chance that counts as certain."""


def smoothed_chances(game: PlayedGame) -> list[tuple[float, ...]]:
    """Return the chances of each side in every position, corrected for the side to move.

    They are the mean of the latest evaluations with each side to move, unless a result is proven.
    """
    first: dict[int, tuple[float, ...]] = {}
    for side, now in zip(game.sides, game.chances, strict=False):
        first.setdefault(side, now)
    latest = dict(first)
    found = []
    for side, now in zip(game.sides, game.chances, strict=False):
        latest[side] = now
        found.append(now if max(now) >= PROVEN else _mean(list(latest.values())))
    return [*found, *game.chances[-1:]]


def _mean(chances: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(sum(values) / len(chances) for values in zip(*chances, strict=True))


def settled(game: PlayedGame) -> float | None:
    """Return the part of the game after which the winner's chance stays above `SETTLED`."""
    if game.winner is None:
        return None
    open_plies = [
        ply for ply, now in enumerate(smoothed_chances(game)) if now[game.winner] < SETTLED
    ]
    return (open_plies[-1] + 1) / len(game.moves) if open_plies else 0.0


def drama(game: PlayedGame) -> float | None:
    """Return the mean root of the winner's deficit where it was behind; 0 if it never was."""
    if game.winner is None:
        return None
    deficits = [deficit for deficit in _deficits(game, game.winner) if deficit > 0]
    return sum(map(math.sqrt, deficits)) / len(deficits) if deficits else 0.0


def behind(game: PlayedGame) -> float | None:
    """Return the share of positions in which another side had better chances than the winner."""
    if game.winner is None:
        return None
    deficits = _deficits(game, game.winner)
    return sum(deficit > 0 for deficit in deficits) / len(deficits)


def lead_changes(game: PlayedGame) -> float | None:
    """Return how often the lead passes from one side to another."""
    leader, changes = None, 0
    for now in smoothed_chances(game):
        best = max(range(len(now)), key=lambda side: now[side])
        second = max(chance for side, chance in enumerate(now) if side != best)
        if best != leader and now[best] - second >= LEAD:
            changes += leader is not None
            leader = best
    return float(changes)


def comeback(game: PlayedGame) -> float | None:
    """Return whether the winner's chance was at most half of an even share."""
    if game.winner is None:
        return None
    lowest = min(now[game.winner] for now in smoothed_chances(game))
    return float(lowest <= 0.5 / len(game.chances[0]))


def killer_move(game: PlayedGame) -> float | None:
    """Return the most that a side's chances rose within a round, in points.

    A round ends where the side that began it has its next turn, or with the game.
    """
    chances = smoothed_chances(game)
    best = 0.0
    for ply, before in enumerate(chances[:-1]):
        for after in chances[ply + 1 : _round_end(game.sides, ply) + 1]:
            best = max(best, *(late - early for early, late in zip(before, after, strict=True)))
    return 100 * best


def _round_end(sides: Sequence[int], ply: int) -> int:
    """Return the ply at which the side to move begins its next turn, or the end of the game."""
    turns = (
        later
        for later in range(ply + 1, len(sides))
        if sides[later] == sides[ply] != sides[later - 1]
    )
    return next(turns, len(sides))


def one_good_move(game: PlayedGame) -> float | None:
    """Return the share of plies with a choice in which one move was clearly the best."""
    chosen = sum(choices > 1 for choices in game.choices)
    return len(game.only) / chosen if chosen else None


def _deficits(game: PlayedGame, winner: int) -> list[float]:
    """Return by how much the best other side was ahead of the winner before each move."""
    return [
        max(chance for side, chance in enumerate(now) if side != winner) - now[winner]
        for now in smoothed_chances(game)[:-1]
    ]
