"""Open challenges of all processes: every one is a row, and the row decides who takes part.

A process changes its own list first, then the row, if that is still what the process knows. Others
read the row when they are told, and compare all rows every few seconds.
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
from teahouse.server.storage.store import Store, StoreError
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError

log = logging.getLogger("teahouse.server.lobby.shared_challenges")

TOPIC = "challenges"
POLL_SECONDS = 3.0
AWAY_SECONDS = 15.0
"""How long a visitor without a connection to any process keeps a place: they reload a page."""
FORGOTTEN_SECONDS = 300.0
REASONS = (GONE, TAKEN, CANCELLED, DECLINED)


class ChallengesOwner(Protocol):
    """What the shared challenges need of the lobby."""

    def opened_elsewhere(self, challenge: Challenge) -> None:
        """Tell those concerned of a challenge that another process has opened."""

    def gone_elsewhere(self, challenge: Challenge, reason: str) -> None:
        """Tell those concerned that a challenge is gone."""

    async def cancel(self, challenge_id: str, visitor: Visitor) -> None:
        """Withdraw a challenge, or give up a place."""

    def changed(self) -> None:
        """Publish soon what has changed."""


class SharedChallenges:
    """Keeps a process's list of challenges and the rows in step."""

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
        self._told: set[str] = set()
        self._touched: set[str] = set()
        """Challenges that have changed, or are gone, since this process began to read."""
        self._look_now = asyncio.Event()
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Follow the other processes."""
        self._store.notifications.subscribe(TOPIC, self._on_notification)
        self._store.notifications.on_reconnect(self._look_now.set)
        self._tasks.start(self._run())

    async def close(self) -> None:
        """Stop following."""
        await self._tasks.cancel()

    # Changes of this process.

    async def open(self, challenge: Challenge) -> None:
        """Store a challenge of this process; its challenger may be about to connect."""

        def job(connection: sa.Connection) -> None:
            rows.insert(connection, challenge)
            shared_rows.see(connection, [challenge.challenger.key], self._now)
            self._tell(connection, f"changed:{challenge.id}")

        self._touched.add(challenge.id)
        await self._store.write(job)
        self._touched.add(challenge.id)

    async def replace(self, before: Challenge, after: Challenge | None, reason: str) -> bool:
        """Store who takes part by now, or that a challenge is gone.

        Return False if another process was faster; then the list is what it has made of it.
        """

        def job(connection: sa.Connection) -> bool:
            if not rows.replace(connection, before, after):
                return False
            if after is not None:
                shared_rows.see(connection, [one.key for one in after.players], self._now)
            word = f"gone:{before.id}:{REASONS.index(reason)}"
            self._tell(connection, word if after is None else f"changed:{before.id}")
            return True

        self._touched.add(before.id)
        try:
            done = await self._store.write(job)
        finally:
            self._touched.add(before.id)
        if not done:
            await self.read([before.id])
        return done

    def _tell(self, connection: sa.Connection, word: str) -> None:
        self._store.notifications.send(connection, TOPIC, [word])

    @property
    def _now(self) -> float:
        return self._store.now().wall

    # Changes of others.

    def _on_notification(self, text: str) -> None:
        for word in text.split(" "):
            kind, challenge_id, *reason = word.split(":")
            if kind == "gone":
                self._touched.add(challenge_id)  # rows that were read before still have it
                self._drop(challenge_id, REASONS[int(reason[0])])
            else:
                self._told.add(challenge_id)
        if self._told:
            self._tasks.start(self._read_told())

    async def _read_told(self) -> None:
        told, self._told = self._told, set()
        if told:
            try:
                await self.read(told)
            except StoreError as error:
                log.warning("Challenges are read later: %s", error)

    async def find(self, challenge_id: str) -> None:
        """Read a challenge that is not known here, if it was opened a moment ago elsewhere."""
        try:
            self._book.get(challenge_id)
        except ApiError as error:
            if error.code == "not_found":
                await self.read([challenge_id])

    async def read(self, ids: Collection[str] | None = None) -> None:
        """Make the list what the rows say, by default all of them."""
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
            self._owner.opened_elsewhere(challenge.rated(rating))
        self._owner.changed()

    def _drop(self, challenge_id: str, reason: str) -> None:
        challenge = self._book.drop(challenge_id, reason)
        if challenge is not None:
            self._owner.gone_elsewhere(challenge, reason)

    # Upkeep.

    async def _run(self) -> None:
        """Compare all rows now and then, and withdraw what visitors who are gone have proposed."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look_now.wait(), POLL_SECONDS)
            self._look_now.clear()
            try:
                await self.read()
                await self._withdraw()
            except StoreError as error:
                log.warning("The lobbies of other processes cannot be followed: %s", error)
            except Exception:
                log.exception("Challenges cannot be followed.")

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
            shared_rows.see(connection, here, now)
            shared_rows.forget_visitors(connection, now - FORGOTTEN_SECONDS)
            return dict(shared_rows.seen(connection, players))

        seen = await self._store.write(job) if players else {}
        for challenge in self._book:
            for player in () if challenge.stored else challenge.players:
                if player.key in players and now - seen.get(player.key, 0.0) > AWAY_SECONDS:
                    try:
                        await self._owner.cancel(challenge.id, player)
                    except ApiError:  # somebody was faster
                        continue
