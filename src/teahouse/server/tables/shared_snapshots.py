"""Snapshots that processes share: one of those with clients at a table renders for all.

A snapshot is published as a diff to the processes that need it. Nothing depends on its arrival:
after a timeout a process renders the board itself (`feed.py`).
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from teahouse.server.storage.notifications import MAX_PAYLOAD
from teahouse.server.storage.store import Store

DRAWING = "drawing"
"""The topic of notifications with a diff; its name is part of the protocol between processes."""
_PLAIN, _PACKED, _NONE = "p", "z", "n"
_FAST = 1
"""The level of compression: most diffs need none."""


@dataclass(frozen=True, slots=True)
class SharedDiff:
    """A snapshot of a table at a revision, as a diff to the one at `base`."""

    base: int
    revision: int
    diff: str | None
    """As JSON; None if there is no diff, and every process renders itself."""


class DiffFeed(Protocol):
    """The snapshots of a table."""

    def receive(self, shared: SharedDiff) -> None:
        """Send a diff of another process to the clients that have its base."""


class RoomWithFeed(Protocol):
    """A table that other processes may render."""

    @property
    def feed(self) -> DiffFeed: ...


class SharedSnapshots:
    """Publishes diffs to other processes, and passes theirs to rooms."""

    def __init__(self, store: Store, rooms: Mapping[str, RoomWithFeed]) -> None:
        self._store = store
        self._rooms = rooms
        store.notifications.subscribe(DRAWING, self._on_notification)

    @property
    def process(self) -> str:
        """The name of this process."""
        return self._store.notifications.process

    def publish(self, table_id: str, processes: Iterable[str], shared: SharedDiff) -> None:
        """Publish a diff to some processes."""
        item = encode_diff(table_id, shared)
        for process in processes:
            self._store.publish(DRAWING, [item], to=process)

    def _on_notification(self, text: str) -> None:
        table_id, shared = decode_diff(text)
        room = self._rooms.get(table_id)
        if room is not None:
            room.feed.receive(shared)


def encode_diff(table_id: str, shared: SharedDiff) -> str:
    """Return the payload of a diff; one that is too long is left out."""
    form, body = _NONE, ""
    if shared.diff is not None:
        form, body = _PLAIN, shared.diff
        if len(body.encode()) > MAX_PAYLOAD:
            packed = zlib.compress(body.encode(), _FAST)
            form, body = _PACKED, base64.b64encode(packed).decode()
        if len(body) > MAX_PAYLOAD:
            form, body = _NONE, ""
    return f"{table_id}:{shared.base}:{shared.revision}:{form} {body}"


def decode_diff(text: str) -> tuple[str, SharedDiff]:
    """Return the table and the diff of a payload."""
    head, _, body = text.partition(" ")
    table_id, base, revision, form = head.split(":")
    diff: str | None = body
    if form == _PACKED:
        diff = zlib.decompress(base64.b64decode(body)).decode()
    elif form != _PLAIN:
        diff = None
    return table_id, SharedDiff(int(base), int(revision), diff)
