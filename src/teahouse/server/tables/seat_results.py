"""What a table says about its players' games, for profiles: who won, and against which level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from teahouse.core.result import UNFINISHED
from teahouse.session.events import BotSeat
from teahouse.session.forfeits import has_left
from teahouse.session.state import GameSession

Outcome = Literal["won", "lost", "drawn"]


@dataclass(frozen=True)
class SeatResult:
    """What a seat is playing for, and the result of a finished game."""

    outcome: Outcome | None
    """None during the game, and if it has no result."""
    against_level: int | None
    """The level of all opponents, if they were bots of one level."""


def seat_results(session: GameSession) -> Sequence[SeatResult]:
    """Return the results of all seats."""
    return [
        SeatResult(_outcome(session, seat), _level_against(session, seat))
        for seat in range(len(session.seats))
    ]


def _outcome(session: GameSession, seat: int) -> Outcome | None:
    if session.result == UNFINISHED:
        return None
    if has_left(session, seat):
        return "lost"
    if not session.winners:
        return "drawn"
    return "won" if seat in session.winners else "lost"


def _level_against(session: GameSession, seat: int) -> int | None:
    team = next(team for team in session.game.teams if seat in team)
    opponents = [spec for at, spec in enumerate(session.created.seats) if at not in team]
    levels = {spec.level if isinstance(spec, BotSeat) else None for spec in opponents}
    return levels.pop() if len(levels) == 1 else None
