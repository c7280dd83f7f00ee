"""Browser data synchronised by an account: progress, settings and lists, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping

import sqlalchemy as sa

from teahouse.server.storage.database import SCHEMA

MAX_BYTES = 100_000
"""Of all entries of an account together."""

account_data = sa.Table(
    "account_data",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("updated", sa.Double),
    sa.Column("body", sa.Text),
)


def entries_of(
    connection: sa.Connection, account_id: str, since: float = -math.inf
) -> dict[str, str]:
    """Return the entries of an account that were written after a time, in JSON, by name."""
    of_account = (account_data.c.account_id == account_id) & (account_data.c.updated > since)
    columns = (account_data.c.name, account_data.c.body)
    found = connection.execute(sa.select(*columns).where(of_account))
    return {row.name: row.body for row in found}


def save(connection: sa.Connection, account_id: str, values: Mapping[str, str], now: float) -> bool:
    """Store entries in JSON; return False, with nothing changed, if it would be too much."""
    total = {**entries_of(connection, account_id), **values}
    if sum(len(body.encode()) for body in total.values()) > MAX_BYTES:
        return False
    for name, body in values.items():
        same = (account_data.c.account_id == account_id) & (account_data.c.name == name)
        connection.execute(account_data.delete().where(same))
        row = {"account_id": account_id, "name": name, "updated": now, "body": body}
        connection.execute(account_data.insert().values(row))
    return True
