"""Open challenges of all processes: each is a row, and the row decides who takes part.

A process changes its own list first, then the row by compare-and-swap. Other processes read the row
when they are notified, and poll all rows every few seconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from typing import Protocol

import sqlalchemy as sa

from teahouse.server.lobby import rows, shared_rows
from teahouse.server.lobby.challenges import CANCELLED, DECLINED, GONE, TAKEN, ChallengeBook
from teahouse.server.lobby.members import Members
from teahouse.server.lobby.models import Challenge, Visitor
from teahouse.server.lobby.relations import Relations
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError

log = logging.getLogger("teahouse.server.lobby.shared_challenges")

TOPIC = "challenges"
POLL_SECONDS = 3.0
AWAY_SECONDS = 15.0
"""How long a visitor who is connected to no process keeps a place: they may reload a page."""
FORGOTTEN_SECONDS = 300.0
REASONS = (GONE, TAKEN, CANCELLED, DECLINED)


class ChallengesOwner(Protocol):
    """Callbacks of the lobby."""

    def opened_remotely(self, challenge: Challenge) -> None:
        """Notify the visitors concerned of a challenge that another process has opened."""

    def gone_remotely(self, challenge: Challenge, reason: str) -> None:
        """Notify the visitors concerned that a challenge is no longer open."""

    async def cancel(self, challenge_id: str, visitor: Visitor) -> None:
        """Withdraw a challenge, or give up a place."""

    def changed(self) -> None:
        """Schedule a broadcast of the lobby."""


class SharedChallenges:
    """Synchronises the challenges of this process with the rows."""

    def __init__(
        self,
        store: Store,
        book: ChallengeBook,
        members: Members,
        relations: Relations,
        owner: ChallengesOwner,
    ) -> None:
        self._store = store
        self._book = book
        self._members = members
        self._relations = relations
        self._owner = owner
        self._reading = asyncio.Lock()
        self._pending: set[str] = set()
        self._touched: set[str] = set()
        """Challenges that have changed, or are gone, since this process began to read."""
        self._poll_now = asyncio.Event()
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Subscribe to the other processes, and start polling."""
        self._store.notifications.subscribe(TOPIC, self._on_notification)
        self._store.notifications.on_reconnect(self._poll_now.set)
        self._tasks.start(self._run())

    async def close(self) -> None:
        """Stop polling."""
        await self._tasks.cancel()

    # Changes of this process.

    async def open(self, challenge: Challenge) -> None:
        """Store a challenge of this process; its challenger may be about to connect."""

        def job(connection: sa.Connection) -> None:
            rows.insert(connection, challenge)
            shared_rows.touch_visitors(connection, [challenge.challenger.key], self._now)
            self._publish(connection, f"changed:{challenge.id}")

        self._touched.add(challenge.id)
        await self._store.write(job)
        self._touched.add(challenge.id)

    async def replace(self, before: Challenge, after: Challenge | None, reason: str) -> bool:
        """Store who takes part now, or delete the row of a challenge that is gone.

        Return False if another process changed it first; its change has then been read.
        """

        def job(connection: sa.Connection) -> bool:
            if not rows.replace(connection, before, after):
                return False
            if after is not None:
                shared_rows.touch_visitors(
                    connection, [one.key for one in after.players], self._now
                )
            gone = f"gone:{before.id}:{REASONS.index(reason)}"
            self._publish(connection, gone if after is None else f"changed:{before.id}")
            return True

        self._touched.add(before.id)
        try:
            done = await self._store.write(job)
        finally:
            self._touched.add(before.id)
        if not done:
            await self.read([before.id])
        return done

    def _publish(self, connection: sa.Connection, item: str) -> None:
        self._store.notifications.publish(connection, TOPIC, [item])

    @property
    def _now(self) -> float:
        return self._store.now().wall

    # Changes of other processes.

    def _on_notification(self, text: str) -> None:
        for item in text.split(" "):
            kind, challenge_id, *reason = item.split(":")
            if kind == "gone":
                self._touched.add(challenge_id)  # a read in progress may still return it
                self._drop(challenge_id, REASONS[int(reason[0])])
            else:
                self._pending.add(challenge_id)
        if self._pending:
            self._tasks.start(self._read_pending())

    async def _read_pending(self) -> None:
        pending, self._pending = self._pending, set()
        if pending:
            try:
                await self.read(pending)
            except StoreError as error:
                log.warning("Reading changed challenges failed: %s", error)

    async def find(self, challenge_id: str) -> None:
        """Read a challenge that another process may just have opened."""
        try:
            self._book.get(challenge_id)
        except ApiError as error:
            if error.code == "not_found":
                await self.read([challenge_id])

    async def read(self, ids: Collection[str] | None = None) -> None:
        """Update the list from rows, by default from all."""
        async with self._reading:
            self._touched.clear()
            stored = {one.id: one for one in await rows.load(self._store, ids)}
            known = {one.id: one for one in self._book}
            for challenge_id in known.keys() if ids is None else known.keys() & ids:
                if challenge_id not in stored and challenge_id not in self._touched:
                    self._drop(challenge_id, GONE if ids is None else TAKEN)
            for challenge in stored.values():
                before = known.get(challenge.id)
                if before is None or before.players != challenge.players:
                    await self._put(challenge)

    async def _put(self, challenge: Challenge) -> None:
        rating = await self._relations.rating(challenge.challenger, challenge.game)
        if challenge.id in self._touched:
            return
        if self._book.put(challenge.rated(rating)):
            self._owner.opened_remotely(challenge.rated(rating))
        self._owner.changed()

    def _drop(self, challenge_id: str, reason: str) -> None:
        challenge = self._book.drop(challenge_id, reason)
        if challenge is not None:
            self._owner.gone_remotely(challenge, reason)

    # Upkeep.

    async def _run(self) -> None:
        """Poll all rows, and withdraw the challenges of visitors who have disconnected."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._poll_now.wait(), POLL_SECONDS)
            self._poll_now.clear()
            try:
                await self.read()
                await self._withdraw()
            except StoreError as error:
                log.warning("Polling challenges failed: %s", error)
            except Exception:
                log.exception("Polling challenges failed.")

    async def _withdraw(self) -> None:
        players = {
            one.key: one
            for challenge in self._book
            if not challenge.stored
            for one in challenge.players
        }
        here = {key for key in players if self._members.of(key)}
        now = self._now

        def job(connection: sa.Connection) -> dict[str, float]:
            shared_rows.touch_visitors(connection, here, now)
            shared_rows.delete_stale_visitors(connection, now - FORGOTTEN_SECONDS)
            return dict(shared_rows.last_connected(connection, players))

        seen = await self._store.write(job) if players else {}
        for challenge in self._book:
            for player in () if challenge.stored else challenge.players:
                if player.key in players and now - seen.get(player.key, 0.0) > AWAY_SECONDS:
                    try:
                        await self._owner.cancel(challenge.id, player)
                    except ApiError:  # withdrawn or accepted meanwhile
                        continue
