"""The start of a game with a time limit to join and to make the first move.

The limit counts server uptime, as realtime clocks do, and restarts with every player who joins and
with every first move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from teahouse.session.events import Timestamp

if TYPE_CHECKING:
    from teahouse.session.state import GameSession


def awaited_seats(session: GameSession) -> list[int]:
    """Return the seats that the start of a game waits for: absent players, or the one to move.

    It is empty once the game is under way, and where there is no limit.
    """
    if session.created.start_within is None or session.over:
        return []
    absent = [number for number, seat in enumerate(session.seats) if not seat.joined]
    if absent:
        return absent
    player = session.position.player
    moved = any(played.player == player for played in session.moves)
    return [] if moved or session.is_bot(player) else [player]


def start_deadline(session: GameSession, now: Timestamp) -> float | None:
    """Return the seconds until the awaited seats are too late, or None if there are none."""
    limit = session.created.start_within
    if limit is None or not awaited_seats(session):
        return None
    return max(0.0, limit - max(0.0, now.uptime - session.start_since))


def next_deadline(session: GameSession, now: Timestamp) -> float | None:
    """Return the seconds until `commands.time_out` has to be called, or None."""
    if session.over:
        return None
    found = (session.clock.expires_in(now), start_deadline(session, now))
    return min((seconds for seconds in found if seconds is not None), default=None)
