"""Health checks: `/healthz` says that the process responds, `/readyz` that it can serve players."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from enum import StrEnum

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from teahouse.server.storage.database import head_revision, is_compatible, revision
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.workers.pool import WorkerPool

DATABASE_SECONDS = 2.0
"""Timeout of the database check."""
FRESH_SECONDS = 0.5
"""How long the result of the database check is cached: anybody may request it, at any rate."""
RETRY_SECONDS = 2

router = APIRouter(include_in_schema=False)


class Phase(StrEnum):
    """What a server is doing."""

    STARTING = "starting"
    RUNNING = "running"
    DRAINING = "draining"
    """It finishes what is in progress; players should connect elsewhere."""


class Readiness:
    """Whether a server can serve players, and if not, why."""

    def __init__(self) -> None:
        self.phase = Phase.STARTING
        self._store: Store | None = None
        self._pools: Mapping[str, WorkerPool] = {}
        self._database: asyncio.Task[str | None] | None = None
        self._asked = 0.0

    def started(self, store: Store, pools: Mapping[str, WorkerPool]) -> None:
        """Enter the phase `ready`: all parts have been started."""
        self.phase, self._store, self._pools = Phase.RUNNING, store, pools

    def drain(self) -> None:
        """Enter the phase `draining`: load balancers stop sending clients here."""
        self.phase = Phase.DRAINING

    async def problems(self) -> dict[str, str]:
        """Return what keeps the server from serving players, by part."""
        if self.phase is not Phase.RUNNING or self._store is None:
            return {"server": f"The server is {self.phase}."}
        found = {
            f"workers {name}": "No worker process responds."
            for name, pool in self._pools.items()
            if pool.failing == pool.size
        }
        if problem := await asyncio.shield(self._database_check(self._store)):
            found["database"] = problem
        return found

    def _database_check(self, store: Store) -> asyncio.Task[str | None]:
        """Return the database check; requests at about the same time share it."""
        check, now = self._database, time.monotonic()
        if check is None or (check.done() and now - self._asked > FRESH_SECONDS):
            check = self._database = asyncio.create_task(self._database_problem(store))
            self._asked = now
        return check

    async def _database_problem(self, store: Store) -> str | None:
        try:
            async with asyncio.timeout(DATABASE_SECONDS):
                stored, usable = await store.read(lambda one: (revision(one), is_compatible(one)))
        except StoreError:  # the reason may name hosts and users: it is in the log
            return "The database does not respond."
        except TimeoutError:
            return f"The database has not responded within {DATABASE_SECONDS:g} seconds."
        if not usable:
            return f"The schema is at revision {stored}; this version needs {head_revision()}."
        return None


@router.get("/healthz")
async def healthz() -> Response:
    """Liveness: return 200 whenever the process responds."""
    return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Readiness: return 200, or 503 with the reasons."""
    readiness: Readiness = request.app.state.readiness
    problems = await readiness.problems()
    headers = {"Cache-Control": "no-store"}
    if not problems:
        return JSONResponse({"status": "ready"}, headers=headers)
    headers["Retry-After"] = str(RETRY_SECONDS)
    return JSONResponse({"status": "not ready", "problems": problems}, 503, headers)
