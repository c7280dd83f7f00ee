"""The last events of a table, which clients that reconnect have missed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from teahouse.server.tables import payloads
from teahouse.server.tables.rows import RECENT_EVENTS
from teahouse.session.events import LoggedEvent
from teahouse.session.state import GameSession


class RecentEvents:
    """The last events of a table, as they are sent."""

    def __init__(self, session: GameSession, recent: Sequence[LoggedEvent]) -> None:
        self._bodies: deque[dict[str, Any]] = deque(maxlen=RECENT_EVENTS)
        self.add(session, recent[-RECENT_EVENTS:])

    def add(self, session: GameSession, log: Sequence[LoggedEvent]) -> list[dict[str, Any]]:
        """Add events that the session has applied; return what to send."""
        bodies = [payloads.event(session, one) for one in log]
        self._bodies.extend(bodies)
        return bodies

    def since(self, after: int, seq: int) -> list[dict[str, Any]] | None:
        """Return the events after a sequence number up to `seq`, or None if some are dropped."""
        missed = [body for body in self._bodies if body["seq"] > after]
        complete = len(missed) == seq - after
        return missed if complete and 0 < after <= seq else None
