"""Open challenges of one process: only those that outlast a connection are rows."""

from __future__ import annotations

from functools import partial

from teahouse.server.lobby import rows
from teahouse.server.lobby.models import Challenge
from teahouse.server.storage.store import Store


class LocalChallenges:
    """Stores challenges, as `SharedChallenges` does for several processes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def open(self, challenge: Challenge) -> None:
        """Store a challenge, if it has to be."""
        if challenge.stored:
            await self._store.write(partial(rows.insert, challenge=challenge))

    async def find(self, challenge_id: str) -> None:
        """Do nothing: all challenges are in memory."""

    async def replace(self, before: Challenge, after: Challenge | None, reason: str) -> bool:
        """Store who takes part now, or delete the row of a challenge that is gone."""
        if before.stored:
            await self._store.write(partial(rows.replace, before=before, after=after))
        return True
