"""What the clients of a room are sent: the whole table, updates, and the body of requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teahouse.server.ratings.seats import SeatRatings
from teahouse.server.tables import payloads
from teahouse.server.tables.bot_turns import BotTurns
from teahouse.server.tables.feed import snapshot_message
from teahouse.server.tables.recent_events import RecentEvents
from teahouse.server.tables.subscribers import Subscriber, Subscribers
from teahouse.server.web.messages import PROTOCOL
from teahouse.server.web.wire import RawJson, to_json
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.state import GameSession


class RoomMessages:
    """Builds the messages of one room, and sends them."""

    def __init__(
        self,
        table_id: str,
        session: GameSession,
        recent: Sequence[LoggedEvent],
        subscribers: Subscribers,
        bots: BotTurns,
    ) -> None:
        self._id = table_id
        self._recent = RecentEvents(session, recent)
        self._subscribers = subscribers
        self._bots = bots
        self.ratings: SeatRatings = [None] * len(session.seats)

    def body(self, session: GameSession, now: Timestamp) -> dict[str, Any]:
        """Return the complete public state without the board."""
        online, bots = self._subscribers.online, self._bots.status
        return payloads.table(self._id, session, online, now, bots, self.ratings)

    def broadcast(self, session: GameSession, log: Sequence[LoggedEvent], now: Timestamp) -> None:
        """Send everybody new events and the state after them."""
        events = self._recent.add(session, log) if log else []
        self._subscribers.broadcast(to_json(self._update(session, events, now)))

    def _update(
        self, session: GameSession, events: Sequence[dict[str, Any]], now: Timestamp
    ) -> dict[str, Any]:
        online, bots = self._subscribers.online, self._bots.status
        return payloads.update(session, events, online, now, bots, self.ratings)

    def welcome(
        self,
        subscriber: Subscriber,
        session: GameSession,
        after: int,
        snapshot: RawJson | None,
        now: Timestamp,
    ) -> None:
        """Send the events after a sequence number if they are in memory, else the whole table.

        Both say which seats the client has: they may be others than on its last connection.
        """
        if snapshot is not None:
            subscriber.shown = session.revision
        own = {"your_seats": sorted(subscriber.seats)}
        missed = self._recent.since(after, session.seq)
        if missed is not None:
            subscriber.send(to_json({**self._update(session, missed, now), **own}))
            if snapshot is not None:
                subscriber.send(snapshot_message(session.seq, snapshot))
            return
        body = {
            "type": "table",
            "protocol": PROTOCOL,
            **own,
            "spectators": self._subscribers.spectators,
            **self.body(session, now),
        }
        subscriber.send(to_json(body if snapshot is None else {**body, "snapshot": snapshot}))
