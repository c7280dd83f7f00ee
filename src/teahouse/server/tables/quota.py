"""How many unfinished tables an address may have. Addresses are kept in memory only."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.web.errors import ApiError
from teahouse.server.web.rate_limit import MAX_CLIENTS

DAY_SECONDS = 86_400.0


@dataclass(eq=False)
class CountedTable:
    """A table that an address has created, or is creating."""

    bots_only: bool
    table: str | None = None
    created: float = field(default_factory=time.monotonic)


class TableQuota:
    """Counts the tables that each address has created within a day and that are not over."""

    def __init__(self, settings: ServerSettings) -> None:
        self._max_tables = settings.max_tables_per_address
        self._max_bot_tables = settings.max_bot_tables_per_address
        self._created: dict[str, list[CountedTable]] = {}

    @asynccontextmanager
    async def creating(
        self, address: str, store: Store, *, bots_only: bool
    ) -> AsyncIterator[CountedTable]:
        """Count a table while it is created, and from then on; raise `ApiError` over the limit."""
        if self._excess(address, bots_only):
            await self._forget_finished(address, store)
        if message := self._excess(address, bots_only):
            raise ApiError("at_capacity", message)
        created = CountedTable(bots_only)
        self._created.setdefault(address, []).append(created)
        if len(self._created) > MAX_CLIENTS:
            del self._created[next(iter(self._created))]  # the one known for longest
        try:
            yield created
        finally:
            tables = self._created.get(address, [])
            if created.table is None and created in tables:
                tables.remove(created)
            if not tables:
                self._created.pop(address, None)

    def _excess(self, address: str, bots_only: bool) -> str | None:
        tables = self._created.get(address, [])
        if len(tables) >= self._max_tables:
            return (
                f"Your address has {self._max_tables:,} unfinished games. "
                "Please finish some of them first."
            )
        if bots_only and sum(one.bots_only for one in tables) >= self._max_bot_tables:
            return (
                f"Your address has {self._max_bot_tables:,} unfinished games of bots only. "
                "Please let some of them end first."
            )
        return None

    async def _forget_finished(self, address: str, store: Store) -> None:
        """Forget the tables that are over, deleted or older than a day."""
        tables = self._created.get(address, [])
        stored = await store.stored_tables([one.table for one in tables if one.table])
        unfinished = {key for key, table in stored.items() if not table.summary["over"]}
        since = time.monotonic() - DAY_SECONDS
        self._created[address] = [
            one
            for one in self._created.get(address, [])
            if one.table is None or (one.table in unfinished and one.created > since)
        ]
