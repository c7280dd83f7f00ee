"""The story of a game by its winning chances: who led, when it was decided, how dramatic it was.

Every function returns a number of one game, or None if the game has none: a draw has no winner.
"""

from __future__ import annotations

import math

from teahouse.lab.games import PlayedGame

SETTLED = 0.8
"""The winning chance from which on a game counts as decided."""
LEAD = 0.1
"""By how much a side has to be better than all others to take the lead."""


def settled(game: PlayedGame) -> float | None:
    """Return the part of the game after which the winner's chance stays above `SETTLED`."""
    if game.winner is None:
        return None
    open_plies = [ply for ply, now in enumerate(game.chances) if now[game.winner] < SETTLED]
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
    for now in game.chances:
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
    lowest = min(now[game.winner] for now in game.chances)
    return float(lowest <= 0.5 / len(game.chances[0]))


def killer_move(game: PlayedGame) -> float | None:
    """Return the most that one move raised its player's winning chance, in points of %."""
    gains = [
        after[side] - before[side]
        for side, before, after in zip(game.sides, game.chances[:-1], game.chances[1:], strict=True)
    ]
    return 100 * max(gains, default=0.0)


def one_good_move(game: PlayedGame) -> float | None:
    """Return the share of plies with a choice in which one move was clearly the best."""
    chosen = sum(choices > 1 for choices in game.choices)
    return len(game.only) / chosen if chosen else None


def _deficits(game: PlayedGame, winner: int) -> list[float]:
    """Return by how much the best other side was ahead of the winner before each move."""
    return [
        max(chance for side, chance in enumerate(now) if side != winner) - now[winner]
        for now in game.chances[:-1]
    ]
