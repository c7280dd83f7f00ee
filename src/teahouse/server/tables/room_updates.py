"""Updates of tables by the server itself, retried until they are stored."""

from __future__ import annotations

import asyncio
import logging

from teahouse.server.storage.errors import StoreError
from teahouse.server.tables.bot_turns import Decision
from teahouse.server.tables.registry import Registry
from teahouse.server.tables.upkeep import RETRY_SECONDS
from teahouse.server.web.errors import ApiError

log = logging.getLogger("teahouse.server.tables.room_updates")


async def update_table(registry: Registry, table_id: str, decide: Decision) -> None:
    """Commit the events that a function derives from a table's session; retry on errors."""
    while True:
        try:
            room = await registry.room(table_id)
            await room.update(decide)
            return
        except (ApiError, StoreError) as error:
            if isinstance(error, ApiError) and error.code == "not_found":
                return
            log.warning("Updating table %s failed; retrying: %s", table_id, error)
        await asyncio.sleep(RETRY_SECONDS)
