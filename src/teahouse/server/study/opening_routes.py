"""The HTTP API of openings, and the counting of finished games for it."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter, Request

from teahouse.core.result import UNFINISHED
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.study import opening_rows
from teahouse.server.study.opening_rows import FinishedTable
from teahouse.server.study.openings import OpeningsIn, response
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web import api
from teahouse.server.web.api import RegistryDep, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.workers.job_pool import JobPool

log = logging.getLogger("teahouse.server.study.opening_routes")

router = APIRouter(prefix="/api", responses=api.router.responses)
BATCH = 20
RETRY_SECONDS = 60.0


@router.post("/openings")
async def openings(body: OpeningsIn, request: Request, registry: RegistryDep) -> dict[str, Any]:
    """Return how often each move of a position was played and how it scored."""
    address = flow_of(request).address
    position, found = await registry.jobs.openings(body, address)
    await registry.fair_play.check([position], address)
    game, options, key = position.game.name, found["options_key"], found["key"]
    if key is None:
        return response(found, {})
    return response(
        found,
        await registry.store.read(
            lambda connection: opening_rows.results(connection, game, options, key)
        ),
    )


class OpeningCounts:
    """Counts the opening moves of games once they are over."""

    def __init__(self, store: Store, jobs: JobPool, finished: asyncio.Event) -> None:
        self._store = store
        self._jobs = jobs
        self._finished = finished
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Count the games that ended before a restart, then those that end."""
        self._tasks.start(self._run())

    async def close(self) -> None:
        """Stop; a game that is not counted yet is counted after the next start."""
        await self._tasks.cancel()

    async def _run(self) -> None:
        while True:
            self._finished.clear()
            try:
                while await self.count_some():
                    pass
            except StoreError as error:
                log.warning("Counting openings failed; retrying: %s", error)
            try:
                await asyncio.wait_for(self._finished.wait(), RETRY_SECONDS)
            except TimeoutError:
                continue

    async def count_some(self) -> int:
        """Count some finished games; return how many there were."""
        found = await self._store.read(lambda connection: opening_rows.uncounted(connection, BATCH))
        for table in found:
            game, options, moves = await self._opening(table)
            await self._store.write(partial(_count, (table.id, game, options, moves)))
        return len(found)

    async def _opening(self, table: FinishedTable) -> tuple[str, str, list[tuple[str, str, int]]]:
        """Return the game, its options and its opening moves; none if it has no opening."""
        created = table.created
        if created is None or created.start is not None:  # from a position that was set up
            return "", "", []
        if table.result == UNFINISHED:  # aborted
            return "", "", []
        try:
            found = await self._jobs.finished_game(
                created.game, created.options, created.seed, table.moves, table.result
            )
        except ApiError as error:
            log.warning("The opening of table %s cannot be counted: %s", table.id, error)
            return "", "", []
        return created.game, found["options_key"], found["moves"]


def _count(
    arguments: tuple[str, str, str, list[tuple[str, str, int]]], connection: sa.Connection
) -> None:
    opening_rows.count(connection, *arguments)
