"""The upkeep of tables, from time to time: uptime, unused tables, counts, idle rooms."""

from __future__ import annotations

import asyncio
import logging
import math
from typing import TYPE_CHECKING

from teahouse.server.storage.errors import StoreError

if TYPE_CHECKING:
    from teahouse.server.tables.registry import Registry

log = logging.getLogger("teahouse.server.tables.upkeep")

IDLE_SECONDS = 60.0
UPKEEP_SECONDS = 1.0
CLEANUP_SECONDS = 600.0
COUNT_SECONDS = 10.0  # until games that other processes have begun or ended are counted
UNUSED_SECONDS = 2_700.0  # until a table at which nothing has happened is deleted
RETRY_SECONDS = 5.0


async def run_upkeep(registry: Registry) -> None:
    """Store the uptime, delete unused tables, count games and evict idle rooms, for ever."""
    store = registry.store
    cleaned = counted = -math.inf
    count_seconds = COUNT_SECONDS if store.multi_process else CLEANUP_SECONDS
    while True:
        now = store.now()
        try:
            if registry.clocks_running and not store.multi_process:
                await store.save_uptime()
            if now.uptime - cleaned >= CLEANUP_SECONDS:
                fresh = [room.id for room in registry.rooms if room.session.seq == 1]
                await store.delete_unused(now.wall, UNUSED_SECONDS, fresh)
                registry.fair_play.forget_idle(now.wall)
                cleaned = now.uptime
            if now.uptime - counted >= count_seconds:
                await registry.count_unfinished()
                counted = now.uptime
        except StoreError as error:
            log.warning("The database does not respond: %s", error)
            await asyncio.sleep(RETRY_SECONDS)
        except Exception:
            log.exception("The upkeep failed.")
            await asyncio.sleep(RETRY_SECONDS)
        for room in list(registry.rooms):
            if room.idle_for(IDLE_SECONDS):
                registry.evict(room)
        await asyncio.sleep(UPKEEP_SECONDS)
