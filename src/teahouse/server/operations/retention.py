"""Retention: optional deletion of old data; by default nothing is deleted.

Rows are deleted in small batches, so that moves do not wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection

import sqlalchemy as sa

from teahouse.server.accounts.rows import account_devices
from teahouse.server.correspondence.rows import conditional_moves
from teahouse.server.moderation.rows import reports
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import events, moves, table_seats, tables
from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.registry import Registry

log = logging.getLogger("teahouse.server.operations.retention")

DAY = 86_400.0
INTERVAL_SECONDS = 3_600.0
BATCH = 50
"""Batch size: tables per transaction, some milliseconds."""


class Retention:
    """Deletes what is older than the settings allow, every hour."""

    def __init__(self, registry: Registry, settings: ServerSettings) -> None:
        self._registry = registry
        self._settings = settings
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start, if there is anything to delete at some time."""
        if self._settings.keep_guest_games_days or self._settings.keep_devices_days:
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            try:
                await self.delete_old()
            except StoreError as error:
                log.warning("Deleting old data failed: %s", error)
            except Exception:
                log.exception("Deleting old data failed.")
            await asyncio.sleep(INTERVAL_SECONDS)

    async def delete_old(self) -> tuple[int, int]:
        """Delete what is too old; return the number of games and of devices."""
        store, settings = self._registry.store, self._settings
        now, games, devices = store.now().wall, 0, 0
        if settings.keep_guest_games_days:
            before = now - DAY * settings.keep_guest_games_days
            while deleted := await store.write(self._games_job(before)):
                games += deleted
        if settings.keep_devices_days:
            old = account_devices.c.used < now - DAY * settings.keep_devices_days
            devices = await store.write(
                lambda connection: connection.execute(account_devices.delete().where(old)).rowcount
            )
        if games or devices:
            log.info("Deleted %d games of guests and %d known browsers.", games, devices)
        return games, devices

    def _games_job(self, before: float) -> Callable[[sa.Connection], int]:
        in_memory = {room.id for room in self._registry.rooms}
        return lambda connection: delete_guest_games(connection, before, in_memory)


def delete_guest_games(connection: sa.Connection, before: float, in_memory: Collection[str]) -> int:
    """Delete some finished games of guests that were last played before a time; return how many.

    Kept are games of accounts and of tournaments, those whose opening is not counted yet, those
    that an open report is about, and those in memory.
    """
    of_account = sa.exists().where(table_seats.c.table_id == tables.c.id)
    reported = sa.exists().where((reports.c.table_id == tables.c.id) & reports.c.closed.is_(None))
    # Not null, nor escaped in another text; earlier versions stored JSON with spaces.
    of_tournament = sa.or_(
        *(tables.c.summary.like(f'%"tournament":{space}"%') for space in ("", " "))
    )
    old = tables.c.over.is_(True) & tables.c.counted.is_(True) & (tables.c.updated < before)
    wanted = (
        sa.select(tables.c.id)
        .where(old, ~of_account, ~reported, ~of_tournament, tables.c.id.not_in(in_memory))
        .order_by(tables.c.updated)
        .limit(BATCH)
    )
    found = list(connection.execute(wanted).scalars())
    for rows in (events, moves, conditional_moves):
        connection.execute(rows.delete().where(rows.c.table_id.in_(found)))
    connection.execute(tables.delete().where(tables.c.id.in_(found)))
    return len(found)
