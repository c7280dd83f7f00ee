"""Event log of a table: the session in memory, and the events in the database as the truth.

Concurrency is optimistic: other processes may append events too. The loser of a race reads the
events it missed and decides again; commands, joins and timeouts are functions of a session, so
they can be retried.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from teahouse.server.operations import metrics
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tables.account_news import encode_news
from teahouse.server.tables.notifications import RemoteEvents
from teahouse.server.tables.rows import Change, SavedSession
from teahouse.server.tables.session_row import session_row
from teahouse.server.web.errors import ApiError
from teahouse.session import checkpoint, commands
from teahouse.session.events import Event, LoggedEvent, Rematched, Timestamp
from teahouse.session.moves import MoveOutcome
from teahouse.session.state import GameSession

MAX_ATTEMPTS = 20
"""How often a command is retried because other processes appended first."""
NO_OUTCOMES: Mapping[int, MoveOutcome] = MappingProxyType({})

TimedDecision = Callable[[GameSession, Timestamp], Sequence[Event]]


class LogOwner(Protocol):
    """What a log needs of its room."""

    def broadcast(
        self,
        before: GameSession,
        session: GameSession,
        log: Sequence[LoggedEvent],
        now: Timestamp,
    ) -> None:
        """Broadcast new events and the session they led to."""

    def committed(self) -> None:
        """Schedule what follows a commit of this process."""

    async def rematch(
        self, session: GameSession, agreed: Rematched, now: Timestamp
    ) -> tuple[Change, Callable[[], None]]:
        """Return what stores the table of a rematch that was just agreed on, and what adds it."""

    def fail(self) -> None:
        """Drop the room: memory and database may differ."""


class TableLog:
    """The session of one table. The room's lock is held by all who change it."""

    def __init__(
        self,
        table_id: str,
        key_hashes: list[str | None],
        session: GameSession,
        store: Store,
        owner: LogOwner,
    ) -> None:
        self._id = table_id
        self._key_hashes = key_hashes
        self.session = session
        self._store = store
        self._owner = owner

    async def follow(self, remote: RemoteEvents) -> None:
        """Apply and broadcast events that other processes have stored."""
        try:
            later = [one for one in remote.log if one.seq > self.session.seq]
            if later and later[0].seq > self.session.seq + 1:
                later = await self._store.events_after(self._id, self.session.seq)
            known = remote.made_by == checkpoint.made_by(self.session.game)
            self._catch_up(later, remote.outcomes if known else {})
        except BaseException:
            self._owner.fail()
            raise

    async def read_missed(self) -> bool:
        """Apply and broadcast what other processes have stored; return whether there was any."""
        if not self._store.multi_process:
            return False
        missed = await self._store.events_after(self._id, self.session.seq)
        self._catch_up(missed)
        return bool(missed)

    def _catch_up(
        self, log: Sequence[LoggedEvent], outcomes: Mapping[int, MoveOutcome] = NO_OUTCOMES
    ) -> None:
        """Apply the next events, which are stored.

        What followed the end of a game is broadcast after it: listeners take its time from the
        session.
        """
        if not log:
            return
        session, ended = self.session.copy(), len(log)
        for number, logged in enumerate(log, 1):
            session.apply(logged, outcomes.get(logged.seq))
            if session.over and not self.session.over:
                ended = number
                break
        self._replace(session, log[:ended], self._store.now())
        self._catch_up(log[ended:], outcomes)

    def _replace(self, session: GameSession, log: Sequence[LoggedEvent], now: Timestamp) -> None:
        before, self.session = self.session, session
        self._owner.broadcast(before, session, log, now)

    async def time_out(self) -> None:
        """End the game if a clock has expired, or the start takes too long."""
        if commands.time_out(self.session, self._store.now()):
            await self.decide(commands.time_out)

    async def decide(self, decide: TimedDecision) -> Sequence[Event]:
        """Commit the events that a function derives from the current session; return them.

        It is called again whenever another process has appended first.
        """
        for _ in range(MAX_ATTEMPTS):
            now = self._store.now()
            events = decide(self.session, now)
            if await self._commit(events, now):
                return events
        raise ApiError("busy", "This table is changing too fast. Please try again.")

    async def _commit(self, events: Sequence[Event], now: Timestamp) -> bool:
        """Store events, then apply and broadcast them.

        Return False if other events were stored first, after these were applied instead.
        """
        if not events:
            return True
        before, session = self.session, self.session.copy()
        try:
            log = session.commit(events, now)
            row = session_row(self._id, self._key_hashes, session, now)
            news = encode_news(self._id, before, session) if self._store.multi_process else ()
            changes = [Change(log, row, SavedSession.of(session, log), news=news)]
            add_rematch = None
            if isinstance(log[-1].event, Rematched):
                change, add_rematch = await self._owner.rematch(session, log[-1].event, now)
                changes.append(change)
            if not await asyncio.shield(self._store.append(changes)):
                stored = await self._store.events_after(self._id, before.seq)
                if not stored:
                    raise StoreError(f"Table {self._id} and its events differ in the database.")
                if list(stored[: len(log)]) != list(log):
                    self._catch_up(stored)
                    return False
                # The answer to the commit was lost, and it was tried again.
        except BaseException:
            self._owner.fail()
            raise
        metrics.count_session(before, session)
        self._replace(session, log, now)
        self._owner.committed()
        if add_rematch is not None:
            add_rematch()
        return True
