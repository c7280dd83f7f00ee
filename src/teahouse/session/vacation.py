"""Vacations: they pause a player's correspondence clocks."""

from __future__ import annotations

from teahouse.session import events as ev
from teahouse.session.events import Event, Timestamp
from teahouse.session.state import GameSession


def vacation_events(
    session: GameSession, account: str, until: float | None, now: Timestamp
) -> list[Event]:
    """Return the events that pause an account's clock until a time, or resume it.

    Games with another time control and games of tournaments have no vacation.
    """
    by_days = isinstance(session.created.time_control, ev.Correspondence)
    if session.over or not by_days or session.created.tournament is not None:
        return []
    return [
        ev.Vacation(seat=number, until=until)
        for number, seat in enumerate(session.seats)
        if seat.account == account
        and not session.is_bot(number)
        and session.clock.paused_until(number, now) != until
    ]
