"""All data of an account as one ZIP file, written while it is sent."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import sqlalchemy as sa

from teahouse.core.errors import OptionError
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.personal_data import SECTIONS, Section
from teahouse.server.storage.database import table_seats
from teahouse.server.storage.store import Store
from teahouse.server.tables import rows as table_rows
from teahouse.server.tables.registry import Registry
from teahouse.session.checkpoint import CheckpointError
from teahouse.session.commands import MAX_EVENTS

README = """Your data on Teahouse
=====================

*.json     what is stored about your account, one file for each kind of data
games/     your games as records; any text editor or the analysis board opens them
chat.json  what you wrote at tables

Times are seconds since 1970. Passwords, tokens and codes are not here: the server
stores only their hashes.
"""


class _Sink(io.RawIOBase):
    """A stream that buffers what was written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """Return what was written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def export_zip(registry: Registry, account: Account) -> AsyncIterator[bytes]:
    """Yield the parts of a ZIP file with all data of an account."""
    store, sink = registry.store, _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        for section in SECTIONS:
            text = await _section(store, section, account.id)
            await asyncio.to_thread(archive.writestr, f"{section.name}.json", text)
            yield sink.take()
        chat: list[dict[str, Any]] = []
        for table_id, seats in (await _tables(store, account.id)).items():
            record = await _record(registry, table_id)
            if record is not None:
                game, text = record
                await asyncio.to_thread(archive.writestr, f"games/{game}-{table_id}.txt", text)
            chat += await _chat(store, table_id, seats)
            yield sink.take()
        text = await asyncio.to_thread(_json, chat)
        await asyncio.to_thread(archive.writestr, "chat.json", text)
    yield sink.take()


async def _section(store: Store, section: Section, account_id: str) -> str:
    return await store.read(lambda connection: _json(section.export(connection, account_id)))


def _json(found: Any) -> str:
    return json.dumps(found, indent=2, ensure_ascii=False, default=str)


async def _tables(store: Store, account_id: str) -> dict[str, set[int]]:
    """Return the seats of an account by table."""
    wanted = sa.select(table_seats.c.table_id, table_seats.c.seat).where(
        table_seats.c.account_id == account_id
    )
    seats: dict[str, set[int]] = {}
    for table_id, seat in await store.read(lambda connection: connection.execute(wanted).all()):
        seats.setdefault(table_id, set()).add(seat)
    return seats


async def _record(registry: Registry, table_id: str) -> tuple[str, str] | None:
    """Return the game and the record of a table; None if the game is not installed any more."""

    def job(connection: sa.Connection) -> tuple[str, str] | None:
        found = table_rows.load(connection, table_id)
        if found is None:
            return None
        record = found.session().record()
        return record.game.name, record.text()

    try:
        return await registry.store.read(job)
    except OptionError:
        return None
    except CheckpointError:
        record = await (await registry.room(table_id)).record()  # replayed by a worker
        return record.game.name, record.text()


async def _chat(store: Store, table_id: str, seats: set[int]) -> list[dict[str, Any]]:
    """Return what some seats have written at a table."""
    chatted = await store.read(
        lambda connection: table_rows.chat(connection, table_id, table_rows.MAX_SEQ, MAX_EVENTS)
    )
    return [
        {"table": table_id, "time": one.time, "text": one.text}
        for one in chatted
        if one.seat in seats
    ]
