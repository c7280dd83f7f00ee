"""Messages for a visitor who may be connected to any process, or is about to connect.

Each is a row until a process that the visitor is connected to takes it, so it is delivered once. It
may contain the secret of a seat, which is stored nowhere else: after `shared_rows.KEPT_SECONDS` the
row is deleted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import sqlalchemy as sa

from teahouse.server.lobby import shared_rows
from teahouse.server.lobby.members import Members
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tasks import BackgroundTasks

log = logging.getLogger("teahouse.server.lobby.mailbox")

TOPIC = "mailbox"
POLL_SECONDS = 3.0
RETRY_SECONDS = 0.5

Delivered = Callable[[str, dict[str, Any]], None]


class Mailbox:
    """Posts messages to visitors, and delivers what is posted to those who are connected here."""

    def __init__(self, store: Store, members: Members, delivered: Delivered) -> None:
        self._store = store
        self._members = members
        self._delivered = delivered
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Subscribe to the other processes, and start polling."""
        self._store.notifications.subscribe(TOPIC, self._on_notification)
        self._tasks.start(self._poll())

    async def close(self) -> None:
        """Stop polling."""
        await self._tasks.cancel()

    def post(self, visitor: str, body: dict[str, Any]) -> None:
        """Send a message to a visitor, by this process if they are connected to it."""
        if self._here(visitor):
            self._send(visitor, body)
        else:
            self._tasks.start(self._store_message(visitor, body))

    async def _store_message(self, visitor: str, body: dict[str, Any]) -> None:
        now = self._store.now().wall

        def job(connection: sa.Connection) -> None:
            shared_rows.post(connection, visitor, body, now)
            self._store.notifications.publish(connection, TOPIC, [visitor])

        while True:
            try:
                await self._store.write(job)
                break
            except StoreError as error:
                if self._store.now().wall - now > shared_rows.KEPT_SECONDS:
                    log.warning("Storing a message failed: %s", error)
                    return
            await asyncio.sleep(RETRY_SECONDS)
        await self.deliver([visitor])  # they may have come meanwhile

    def _here(self, visitor: str) -> bool:
        return any(member.follows for member in self._members.of(visitor))

    def _send(self, visitor: str, body: dict[str, Any]) -> None:
        self._members.send(visitor, body)
        self._delivered(visitor, body)

    def _on_notification(self, text: str) -> None:
        self._tasks.start(self.deliver(text.split(" ")))

    async def deliver(self, visitors: Collection[str]) -> None:
        """Send the stored messages of visitors who are connected here."""
        here = [one for one in visitors if self._here(one)]
        if not here:
            return
        now = self._store.now().wall
        try:
            taken = await self._store.write(
                lambda connection: shared_rows.take(connection, here, now)
            )
        except StoreError as error:
            log.warning("Delivering messages failed; retrying: %s", error)
            return
        for visitor, body in taken:
            self._send(visitor, body)

    async def _poll(self) -> None:
        """Poll for messages whose notification was lost, and delete expired ones."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                waiting = await self._store.read(shared_rows.waiting_for)
                await self.deliver(waiting)
                before = self._store.now().wall - shared_rows.KEPT_SECONDS
                if any(created < before for created in waiting.values()):
                    forget = partial(shared_rows.delete_expired_messages, before=before)
                    await self._store.write(forget)
            except StoreError as error:
                log.warning("Polling for messages failed: %s", error)
            except Exception:
                log.exception("Polling for messages failed.")
