"""The result of a table as an event of its tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teahouse.core.result import DRAW, UNFINISHED
from teahouse.server.tournaments.events import Decided
from teahouse.session.state import GameSession


def decided(table: str, session: GameSession) -> Decided:
    """Return the result of a session that is over."""
    reason = session.ended.reason if session.ended else None
    return _decided(table, session.game.players, session.result, reason)


def decided_by_summary(table: str, summary: Mapping[str, Any]) -> Decided:
    """Return the result of a stored table that is over."""
    return _decided(table, summary["players"], summary["result"], summary["reason"])


def _decided(table: str, players: Sequence[str], result: str, reason: str | None) -> Decided:
    if result == DRAW:
        return Decided(table=table, winner=None, draw=True)
    absent = reason == "absent"
    if result == UNFINISHED:  # nobody came, or the game was closed
        return Decided(table=table, winner=None, absent=(0, 1) if absent else ())
    winner = list(players).index(result)
    return Decided(table=table, winner=winner, absent=(1 - winner,) if absent else ())
