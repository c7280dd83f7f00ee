"""Rooms of stored tables: read from their checkpoint, or replayed from all events."""

from __future__ import annotations

import logging
from dataclasses import replace

from teahouse.core.errors import OptionError
from teahouse.server.tables.room import RELOADING, Room
from teahouse.server.tables.room_services import Rooms, Services
from teahouse.server.tables.rows import LoadedTable, SavedSession
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.pool import WorkerError
from teahouse.session.checkpoint import CheckpointError
from teahouse.session.state import GameSession

log = logging.getLogger("teahouse.server.tables.room_loader")


async def load_room(table_id: str, services: Services, rooms: Rooms) -> Room:
    """Return the room of a stored table; raise `ApiError` if it cannot be opened."""
    found = await services.store.load(table_id)
    if found is None:
        raise ApiError("not_found", "There is no such table.")
    try:
        session = found.session()
    except OptionError as error:  # the game is not installed any more, or is broken
        raise ApiError("not_found", f"This table cannot be opened. {error}") from None
    except CheckpointError as error:
        log.info("Table %s is replayed: %s", table_id, error)
        session = await _replay(table_id, found, services)
    room = Room(table_id, found.key_hashes, session, found.recent, services, rooms)
    await room.load_ratings()
    return room


async def _replay(table_id: str, found: LoadedTable, services: Services) -> GameSession:
    """Return the session that all events of a table add up to, and store its checkpoint."""
    try:
        replayed = await services.jobs.replay(await services.store.log(table_id))
        session = replace(
            found, checkpoint=replayed.checkpoint, moves=replayed.moves, chat=replayed.chat
        ).session()
    except (WorkerError, CheckpointError) as error:
        log.error("Table %s cannot be replayed: %s", table_id, error)
        raise ApiError("busy", RELOADING) from None
    await services.store.save(table_id, SavedSession.of(session))
    return session
