"""The tables of a server in this process, without its pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from teahouse.server.settings import ServerSettings
from teahouse.server.storage.store import Store
from teahouse.server.tables.registry import Registry
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer


@asynccontextmanager
async def open_registry(database: str, **settings: Any) -> AsyncIterator[Registry]:
    """A registry that compiles nothing; it and all its processes are closed at the end."""
    chosen = ServerSettings(database=database, prepare=False, **settings)
    store = Store(database)
    store.start()
    registry = Registry(chosen, store, Bots(chosen), Renderer(1), JobPool())
    try:
        yield registry
    finally:
        await registry.close()
        await registry.bots.close()
        await registry.renderer.close()
        await registry.jobs.close()
        await store.close()
