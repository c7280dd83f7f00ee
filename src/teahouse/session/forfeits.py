"""Forfeits: a side loses, a bot takes over, or the game ends without a result."""

from __future__ import annotations

from teahouse.core.result import UNFINISHED, winners_text
from teahouse.session import events as ev
from teahouse.session.events import Event
from teahouse.session.start import awaited_seats
from teahouse.session.state import GameSession

REPLACEMENT_LEVEL = 3
"""The level of the bot that takes over a seat in a game of three or more sides."""


def forfeit(session: GameSession, seat: int, reason: ev.EndReason) -> Event:
    """Return the other side's win, or with several other sides the replacement by a bot."""
    others = [team for team in session.game.teams if seat not in team]
    if len(others) > 1:
        return ev.Replaced(seat=seat, level=REPLACEMENT_LEVEL, reason=reason)
    result = winners_text(session.game, sorted(others[0]))
    return ev.Ended(result=result, reason=reason, seat=seat)


def give_up_start(session: GameSession) -> list[Event]:
    """Return the end of a game that did not start in time: in tournaments the absent side loses."""
    late = awaited_seats(session)
    if session.created.tournament is None:
        return [ev.Ended(result=UNFINISHED, reason="aborted", seat=late[0])]
    if all(set(team) & set(late) for team in session.game.teams):
        return [ev.Ended(result=UNFINISHED, reason="absent", seat=None)]
    events = [forfeit(session, seat, "absent") for seat in late]
    return events[:1] if isinstance(events[0], ev.Ended) else events


def has_left(session: GameSession, seat: int) -> bool:
    """Return whether a bot plays on for the person who had this seat."""
    return session.is_bot(seat) and not isinstance(session.created.seats[seat], ev.BotSeat)
