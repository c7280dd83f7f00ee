"""Tables at which nothing has ever happened: they are deleted after a while."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from teahouse.server.storage.database import events, moves, table_seats, tables


def delete(connection: sa.Connection, now: float, age: float, in_memory: Sequence[str]) -> None:
    """Delete tables of one event that no process has had in memory for `age` seconds.

    `in_memory` are those that this process has. Tables of several accounts and of tournaments stay.
    """
    # Other processes know by it that they must not delete the table.
    fresh = (tables.c.seq == 1) & tables.c.id.in_(in_memory)
    connection.execute(tables.update().where(fresh).values(updated=now))
    # Several accounts have agreed on their game: it is not one that somebody just tried.
    of_accounts = (
        sa.select(sa.func.count())
        .select_from(table_seats)
        .where(table_seats.c.table_id == tables.c.id)
        .scalar_subquery()
    )
    # Not null, or escaped; up to 0.2.0 with a space.
    of_tournament = sa.or_(
        *(tables.c.summary.like(f'%"tournament":{space}"%') for space in ("", " "))
    )
    unused = (tables.c.seq == 1) & (tables.c.updated < now - age) & ~of_tournament
    unused &= of_accounts < 2
    found = sa.select(tables.c.id).where(unused).with_for_update()
    for table_id in connection.execute(found).scalars().all():
        for rows in (events, moves, table_seats):
            connection.execute(rows.delete().where(rows.c.table_id == table_id))
        connection.execute(tables.delete().where(tables.c.id == table_id))
