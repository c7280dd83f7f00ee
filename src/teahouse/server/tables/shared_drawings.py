"""Drawn boards that processes share: one of those in which a table is watched draws it for all.

A drawing is told as the difference to the one before, to the processes in which somebody waits for
it. Nothing depends on its arrival: who waits in vain draws the board itself (`feed.py`).
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
"""The topic of notifications with a drawing."""
_PLAIN, _PACKED, _NONE = "p", "z", "n"
_FAST = 1
"""The level of compression: most drawings need none."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The snapshot of a table at a revision, as the difference to the one at another revision."""

    base: int
    revision: int
    diff: str | None
    """As JSON; None if there is none, and everybody draws for themselves."""


class DrawingFeed(Protocol):
    """The drawings of a table."""

    def show(self, drawing: Drawing) -> None:
        """Send what another process has drawn to those who wait for it."""


class DrawnRoom(Protocol):
    """A table that other processes may draw."""

    @property
    def feed(self) -> DrawingFeed: ...


class SharedDrawings:
    """Tells other processes what is drawn here, and rooms what is drawn there."""

    def __init__(self, store: Store, rooms: Mapping[str, DrawnRoom]) -> None:
        self._store = store
        self._rooms = rooms
        store.notifications.subscribe(DRAWING, self._on_notification)

    @property
    def process(self) -> str:
        """The name of this process."""
        return self._store.notifications.process

    def tell(self, table_id: str, processes: Iterable[str], drawing: Drawing) -> None:
        """Tell some processes a drawing."""
        word = drawing_word(table_id, drawing)
        for process in processes:
            self._store.tell(DRAWING, [word], to=process)

    def _on_notification(self, text: str) -> None:
        table_id, drawing = read_drawing(text)
        room = self._rooms.get(table_id)
        if room is not None:
            room.feed.show(drawing)


def drawing_word(table_id: str, drawing: Drawing) -> str:
    """Return what others are told of a drawing; one that is too long is left out."""
    form, body = _NONE, ""
    if drawing.diff is not None:
        form, body = _PLAIN, drawing.diff
        if len(body.encode()) > MAX_PAYLOAD:
            packed = zlib.compress(body.encode(), _FAST)
            form, body = _PACKED, base64.b64encode(packed).decode()
        if len(body) > MAX_PAYLOAD:
            form, body = _NONE, ""
    return f"{table_id}:{drawing.base}:{drawing.revision}:{form} {body}"


def read_drawing(text: str) -> tuple[str, Drawing]:
    """Return the table and the drawing of a notification."""
    head, _, body = text.partition(" ")
    table_id, base, revision, form = head.split(":")
    diff: str | None = body
    if form == _PACKED:
        diff = zlib.decompress(base64.b64decode(body)).decode()
    elif form != _PLAIN:
        diff = None
    return table_id, Drawing(int(base), int(revision), diff)
