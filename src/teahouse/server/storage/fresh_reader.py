"""Consistent reads of rows that this process caches and all processes change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import sqlalchemy as sa

from teahouse.server.storage.store import Store

T = TypeVar("T")


class FreshReader:
    """Serialises reads, and repeats one if this process has stored a change meanwhile.

    So a cache that is replaced by the result of a read never misses a change of its own process.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._changes = 0

    def changed(self) -> None:
        """Invalidate a running read: this process has stored a change."""
        self._changes += 1

    async def read(self, job: Callable[[sa.Connection], T]) -> T:
        """Return the result of a job that only reads."""
        async with self._lock:
            while True:
                changes = self._changes
                found = await self._store.read(job)
                if changes == self._changes:
                    return found
