"""Quick pairing across processes: seeks are rows, and one transaction removes a group.

Each process pairs the groups that contain one of its own visitors. If it dies before their game
exists, the processes of the other visitors notice that their seeks are gone, and store them again.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import sqlalchemy as sa

from teahouse.server.lobby import shared_rows
from teahouse.server.lobby.pairing import PoolKey
from teahouse.server.lobby.quick_pairing import (
    ELSEWHERE,
    TICK_SECONDS,
    QuickPairing,
    Waiting,
    default_game,
)
from teahouse.server.lobby.shared_rows import SharedSeek
from teahouse.server.storage.errors import StoreError
from teahouse.server.tasks import BackgroundTasks

if TYPE_CHECKING:
    from teahouse.server.lobby.lobby import Lobby

log = logging.getLogger("teahouse.server.lobby.shared_pairing")

MISSING_SECONDS = 5.0
"""Seconds after which a seek that is gone without a game is stored again."""


class SharedPairing(QuickPairing):
    """The seeks of this process's members, beside those of the others in the database."""

    def __init__(self, lobby: Lobby) -> None:
        super().__init__(lobby)
        self._store = lobby.registry.store
        self._process = self._store.notifications.process
        self._counts: dict[str, int] = {}
        self._missing: dict[str, float] = {}
        """When seeks of this process disappeared from the database."""
        self._removing = BackgroundTasks()

    @property
    def seeking(self) -> dict[str, int]:
        """The number of seeks by game, in all processes."""
        return self._counts

    def forget(self, player: str) -> None:
        """Drop the seek of a player who was paired, or notified why not."""
        self._waiting.pop(player, None)
        self._missing.pop(player, None)

    async def _enqueue(self, waiting: Waiting) -> None:
        await self._pair(waiting.key, waiting)
        await self._count()

    def _dequeue(self, waiting: Waiting) -> None:
        self._missing.pop(waiting.seek.player, None)
        self._removing.start(self._remove(waiting.seek.player))

    async def _remove(self, player: str) -> None:
        await self._store.write(
            lambda connection: shared_rows.remove_seek(connection, player, self._process)
        )
        if player in self._waiting:  # they have a new seek already
            await self._pair(self._waiting[player].key, self._waiting[player])

    async def _pair(self, key: PoolKey, new: Waiting | None = None) -> None:
        """Store a new seek, remove the groups that can play now, and create their games."""
        now, size = self._lobby.now(), len(default_game(key.game).players)
        mine = {player for player, one in self._waiting.items() if one.key == key}

        def job(connection: sa.Connection) -> list[list[SharedSeek]]:
            if new is not None:
                shared = SharedSeek(new.seek, new.member.visitor, self._process)
                shared_rows.add_seek(connection, key, shared, now)
            return shared_rows.pair(connection, key, size, mine, now)

        for group in await self._store.write(job):
            own = [self._waiting.pop(one.seek.player, None) for one in group]
            address = next((one.member.address for one in own if one is not None), "")
            visitors = [one.visitor for one in group]
            members = {one.member.visitor.key: one.member for one in own if one is not None}
            self.beginning.start(self._begin(key, visitors, members, address))

    async def run(self) -> None:
        """Pair seeks whose rating windows have widened, and offer bots."""
        try:
            while True:
                await asyncio.sleep(TICK_SECONDS)
                try:
                    if self._waiting:
                        await self._confirm()
                        for key in {one.key for one in self._waiting.values()}:
                            await self._pair(key)
                    if len(self._lobby.members):
                        await self._count()
                except StoreError as error:
                    log.warning("Pairing failed; retrying: %s", error)
                except Exception:
                    log.exception("Pairing failed; retrying.")
                self._offer_bots()
        finally:
            await self._removing.cancel()
            await self.beginning.cancel()

    async def _count(self) -> None:
        now = self._lobby.now()
        counts = await self._store.read(lambda connection: shared_rows.seeking(connection, now))
        if counts != self._counts:
            self._counts = counts
            self._lobby.changed()

    async def _confirm(self) -> None:
        """Refresh this process's seeks; find those that moved to another process or are gone."""
        now, players = self._lobby.now(), set(self._waiting)

        def job(connection: sa.Connection) -> dict[str, str]:
            shared_rows.confirm(connection, players, self._process, now)
            return shared_rows.owners(connection, players)

        owners = await self._store.write(job)
        for player in players & set(self._waiting):
            waiting, owner = self._waiting[player], owners.get(player)
            if owner == self._process:
                self._missing.pop(player, None)
            elif owner is not None:
                self.forget(player)
                waiting.member.send({"type": "seek_ended", "reason": ELSEWHERE})
            elif now - self._missing.setdefault(player, now) >= MISSING_SECONDS:
                await self._pair(waiting.key, waiting)
