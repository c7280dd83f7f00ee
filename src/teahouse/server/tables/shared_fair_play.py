"""The fair-play index across processes: refreshed before each request for help."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Container, Sequence

import sqlalchemy as sa

from teahouse.server.storage.database import tables
from teahouse.server.storage.store import Store
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.fair_play import PAST_POSITIONS, FairPlay
from teahouse.server.tables.rows import LiveTable

FRESH_SECONDS = 0.5
MARGIN = 5.0
"""Seconds by which a commit may be later than the time of its events."""


class SharedFairPlay:
    """Keeps the index up to date with tables that are in memory elsewhere.

    `load` loads tables that another version has stored, which puts them into the index.
    """

    def __init__(
        self,
        store: Store,
        fair_play: FairPlay,
        rooms: Container[str],
        load: Callable[[Sequence[str]], Awaitable[None]],
    ) -> None:
        self._store = store
        self._fair_play = fair_play
        self._rooms = rooms
        self._load = load
        self._lock = asyncio.Lock()
        self._read = store.now().wall
        if store.multi_process:
            fair_play.refresh = self.refresh

    async def refresh(self) -> None:
        """Read the games that changed recently, except those in memory here."""
        async with self._lock:
            now = self._store.now().wall
            if now - self._read < FRESH_SECONDS:
                return
            since, known = self._read - MARGIN, self._fair_play.tables
            elsewhere = [one for one in known if one not in self._rooms]

            def job(connection: sa.Connection) -> tuple[list[LiveTable], list[str]]:
                over = tables.c.id.in_(elsewhere) & tables.c.over.is_(True)
                ended = connection.execute(sa.select(tables.c.id).where(over)).scalars()
                return table_rows.live_tables(connection, since, PAST_POSITIONS), list(ended)

            live, ended = await self._store.read(job)
            for table_id in ended:
                self._fair_play.forget(table_id)
            changed = [one for one in live if one.id not in self._rooms]
            await self._load(await self._fair_play.watch_stored(changed, now))
            self._read = now
