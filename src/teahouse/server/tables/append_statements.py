"""The statements that append events to a table.

They are built once: building a statement takes longer than executing it.
"""

from __future__ import annotations

import sqlalchemy as sa

from teahouse.server.storage.database import events, moves, table_seats, tables
from teahouse.server.storage.prepared import Prepared

INSERT_TABLE = tables.insert()
INSERT_EVENTS = Prepared(events.insert())
INSERT_MOVES = Prepared(moves.insert())
INSERT_SEATS = table_seats.insert()
UPDATE_SEATS = (
    table_seats.update()
    .where(
        table_seats.c.table_id == sa.bindparam("table"), table_seats.c.seat == sa.bindparam("at")
    )
    .values(outcome=sa.bindparam("outcome"), against_level=sa.bindparam("against_level"))
)
_UPDATED_NAMES = (
    "summary",
    "seq",
    "over",
    "wake_on_start",
    "updated",
    "checkpoint",
    "due_uptime",
    "due_wall",
)
_UPDATE = (
    tables.update()
    .where(tables.c.id == sa.bindparam("table_id"), tables.c.seq == sa.bindparam("seq_before"))
    .values({name: sa.bindparam(name) for name in _UPDATED_NAMES})
)
UPDATE_TABLE = Prepared(_UPDATE)


def _insert_if(changed: sa.CTE, into: sa.Table) -> sa.Insert:
    """Return an insert of one row for the table that another part of the statement changes."""
    columns = [column for column in into.c if column.name != "table_id"]
    values = (sa.bindparam(column.name, type_=column.type) for column in columns)
    row = sa.select(changed.c.id, *values)
    return into.insert().from_select([into.c.table_id, *columns], row)


def _append_move() -> sa.Insert:
    """Return the statement that appends a move: as one, it is one request to PostgreSQL."""
    changed = _UPDATE.returning(tables.c.id).cte("changed")
    event = _insert_if(changed, events).cte("event")
    return _insert_if(changed, moves).add_cte(event)


APPEND_MOVE = Prepared(_append_move())
