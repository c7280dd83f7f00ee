"""Anonymise the games of deleted accounts: the games stay, the name goes."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

import sqlalchemy as sa

from teahouse.core.record_text import tag_line
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.storage.database import events, records, table_seats, tables
from teahouse.server.tables.event_json import (
    LogRow,
    checkpoint_adapter,
    event_adapter,
    from_log_row,
    to_log_row,
)
from teahouse.session import events as ev

DELETED_TEXT = "(deleted)"
"""Replaces a deleted chat message."""


@dataclass(frozen=True)
class DeletedAccount:
    """An account being deleted, and the anonymous account that replaces it in games."""

    account_id: str
    name: str
    replaced_by: str


def anonymous_event(event: ev.Event, seats: Container[int], replaced_by: str) -> ev.Event:
    """Return an event without the name and chat of the deleted player of some seats."""
    match event:
        case ev.Created():
            specs = [
                replace(
                    spec,
                    name=spec.name and DELETED_NAME,
                    account=spec.account and replaced_by,
                )
                if seat in seats and isinstance(spec, ev.HumanSeat)
                else spec
                for seat, spec in enumerate(event.seats)
            ]
            return replace(event, seats=tuple(specs))
        case ev.Joined(seat=seat) if seat in seats and event.account is not None:
            return replace(event, account=replaced_by, name=DELETED_NAME)
        case ev.Claimed(seat=seat) if seat in seats:
            return replace(event, account=replaced_by, name=DELETED_NAME)
        case ev.Renamed(seat=seat) if seat in seats:
            return replace(event, name=DELETED_NAME)
        case ev.Chatted(seat=seat) if seat in seats:
            return replace(event, text=DELETED_TEXT)
    return event


def anonymize_table(connection: sa.Connection, table_id: str, deleted: DeletedAccount) -> None:
    """Replace a deleted account at a table: in its events, summary and checkpoint."""
    own = (table_seats.c.table_id == table_id) & (table_seats.c.account_id == deleted.account_id)
    seats = set(connection.execute(sa.select(table_seats.c.seat).where(own)).scalars())
    if not seats:
        return
    for row in _log(connection, table_id):
        logged = from_log_row(row)
        changed = anonymous_event(logged.event, seats, deleted.replaced_by)
        if changed != logged.event:
            body = to_log_row(replace(logged, event=changed))[3]
            same = (events.c.table_id == table_id) & (events.c.seq == logged.seq)
            connection.execute(events.update().where(same).values(body=body))
    stored = connection.execute(
        sa.select(tables.c.summary, tables.c.checkpoint).where(tables.c.id == table_id)
    ).one()
    values = {
        "summary": _anonymous_summary(stored.summary, seats, deleted),
        "checkpoint": stored.checkpoint
        and _anonymous_checkpoint(stored.checkpoint, seats, deleted),
    }
    connection.execute(tables.update().where(tables.c.id == table_id).values(values))
    replaced = table_seats.update().where(own).values(account_id=deleted.replaced_by)
    connection.execute(replaced)


def _log(connection: sa.Connection, table_id: str) -> list[LogRow]:
    """Return the events that may name a player; moves, by far the most, do not."""
    columns = (events.c.seq, events.c.time, events.c.uptime, events.c.body)
    moved = sa.or_(*(events.c.body.like(f'%"type":{space}"moved"%') for space in ("", " ")))
    wanted = sa.select(*columns).where(events.c.table_id == table_id, sa.not_(moved))
    return [(row.seq, row.time, row.uptime, row.body) for row in connection.execute(wanted)]


def _anonymous_summary(text: str, seats: Container[int], deleted: DeletedAccount) -> str:
    summary = json.loads(text)
    summary["names"] = [
        DELETED_NAME if seat in seats and seat not in summary["bots"] else name
        for seat, name in enumerate(summary["names"])
    ]
    summary["accounts"] = [
        deleted.replaced_by if seat in seats else account
        for seat, account in enumerate(summary["accounts"])
    ]
    return json.dumps(summary)


def _anonymous_checkpoint(text: str, seats: Container[int], deleted: DeletedAccount) -> str | None:
    try:
        saved = checkpoint_adapter.validate_json(text)
    except ValueError:
        return None  # written by another version: rebuilt from the events
    players = [
        replace(player, name=player.name and DELETED_NAME, account=deleted.replaced_by)
        if seat in seats and player.account is not None
        else player
        for seat, player in enumerate(saved.seats)
    ]
    return checkpoint_adapter.dump_json(replace(saved, seats=players)).decode()


def anonymous_records(connection: sa.Connection, deleted: DeletedAccount) -> dict[str, str]:
    """Return the stored records of a deleted player's games, without the name, by id.

    Their tables have been anonymised before. Uploaded records of other people of that name stay.
    It reads the texts of all records, so it must not run on the writer thread.
    """
    named = records.c.text.contains(f'"{deleted.name}"', autoescape=True)
    found = connection.execute(sa.select(records.c.id, records.c.text).where(named)).all()
    played = _setups(connection, deleted.replaced_by) if found else set()
    name = re.compile(rf'^(\[\w+ )"{re.escape(deleted.name)}"\]$', re.M)
    return {
        row.id: name.sub(rf'\1"{DELETED_NAME}"]', row.text)
        for row in found
        if not played.isdisjoint(row.text.partition("\n\n")[0].splitlines())
    }


def replace_records(connection: sa.Connection, texts: Mapping[str, str]) -> None:
    """Replace the texts of records."""
    for record_id, text in texts.items():
        values = {"text": text, "digest": sha256(text.encode()).hexdigest()}
        connection.execute(records.update().where(records.c.id == record_id).values(values))


def _setups(connection: sa.Connection, account_id: str) -> set[str]:
    """Return the record tags that identify an account's games: seeds and start positions."""
    joined = events.join(table_seats, table_seats.c.table_id == events.c.table_id)
    own = (table_seats.c.account_id == account_id) & (events.c.seq == 1)
    tags = set()
    for body in connection.execute(
        sa.select(events.c.body).select_from(joined).where(own)
    ).scalars():
        created = event_adapter.validate_json(body)
        assert isinstance(created, ev.Created), "the first event creates the game"
        if created.start is not None:
            tags.add(tag_line("Start", created.start).rstrip())
        else:
            tags.add(tag_line("Seed", str(created.seed)).rstrip())
    return tags
