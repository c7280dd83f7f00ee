"""Rename columns, events and their fields of version 0.1.0 to those of protocol 2."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "first"
branch_labels = None
depends_on = None

BATCH = 1_000
COLUMNS = [
    ("tables", "hashes", "key_hashes"),
    ("tables", "number", "seq"),
    ("tables", "alarm", "wake_on_start"),
    ("tables", "changed", "updated"),
    ("events", "number", "seq"),
    ("events", "wall", "time"),
    ("events", "open", "uptime"),
    ("records", "wall", "created"),
    ("server", "open", "uptime"),
]
EVENT_TYPES = {
    "opened": "created",
    "sat": "joined",
    "named": "renamed",
    "answered": "responded",
    "taken_back": "took_back",
    "said": "chatted",
    "hinted": "hint_used",
    "rematch": "rematched",
}
EVENT_FIELDS = {"clock": "time_control", "yes": "accept", "how": "reason"}
SUMMARY_FIELDS = {"how": "reason", "waits": "awaiting"}
SEAT_KINDS = {"here": "local", "link": "remote"}
TIME_CONTROLS = {"real": "realtime", "days": "correspondence"}
REASONS = {"time": "timeout"}

tables = sa.table("tables", sa.column("id"), sa.column("summary"))
events = sa.table("events", sa.column("table_id"), sa.column("seq"), sa.column("body"))


def upgrade() -> None:
    """Rename the columns, then rewrite event bodies and summaries in batches."""
    op.rename_table("house", "server")
    for table, old, new in COLUMNS:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    connection = op.get_bind()
    _rewrite(connection, events, [events.c.table_id, events.c.seq], events.c.body, rename_event)
    _rewrite(connection, tables, [tables.c.id], tables.c.summary, rename_summary)


def downgrade() -> None:
    """Going back to 0.1.0 is not supported: restore a copy of the database instead."""
    raise NotImplementedError("A database of 0.2.0 cannot be downgraded; restore a backup.")


def rename_event(body: dict[str, Any]) -> dict[str, Any]:
    """Return an event of 0.1.0 under its new names."""
    renamed = _rename(body, EVENT_FIELDS)
    renamed["type"] = EVENT_TYPES.get(body["type"], body["type"])
    if "seats" in renamed:
        renamed["seats"] = [_rename_kind(seat, SEAT_KINDS) for seat in renamed["seats"]]
    if "time_control" in renamed:
        renamed["time_control"] = _rename_kind(renamed["time_control"], TIME_CONTROLS)
    return renamed


def rename_summary(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a table's summary of 0.1.0 under its new names."""
    return _rename(summary, SUMMARY_FIELDS)


def _rename(body: dict[str, Any], fields: dict[str, str]) -> dict[str, Any]:
    renamed = {fields.get(name, name): value for name, value in body.items()}
    if "reason" in renamed:
        renamed["reason"] = REASONS.get(renamed["reason"], renamed["reason"])
    return renamed


def _rename_kind(body: dict[str, Any], kinds: dict[str, str]) -> dict[str, Any]:
    return {**body, "kind": kinds.get(body["kind"], body["kind"])}


def _rewrite(connection: Any, table: Any, keys: list[Any], column: Any, rename: Any) -> None:
    """Apply a function to a column of JSON, row by row, ordered by the primary key."""
    for rows in _batches(connection, keys, column):
        for *key, text in rows:
            body = rename(json.loads(text))
            where = sa.and_(*(one == value for one, value in zip(keys, key, strict=True)))
            connection.execute(table.update().where(where).values({column.name: json.dumps(body)}))


def _batches(connection: Any, keys: list[Any], column: Any) -> Iterator[list[Any]]:
    after: list[Any] | None = None
    while True:
        query = sa.select(*keys, column).order_by(*keys).limit(BATCH)
        if after is not None:
            query = query.where(sa.tuple_(*keys) > sa.tuple_(*after))
        rows = [list(row) for row in connection.execute(query)]
        if not rows:
            return
        yield rows
        after = rows[-1][: len(keys)]
