"""What an account keeps of a browser: progress, settings and lists, each under a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from teahouse.server.database import SCHEMA

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


@dataclass(frozen=True)
class Entry:
    """A value in JSON, and when it was written."""

    updated: float
    body: str


def entries_of(connection: sa.Connection, account_id: str, since: float = 0.0) -> dict[str, Entry]:
    """Return the entries of an account that were written after a time, by name."""
    of_account = (account_data.c.account_id == account_id) & (account_data.c.updated > since)
    columns = (account_data.c.name, account_data.c.updated, account_data.c.body)
    found = connection.execute(sa.select(*columns).where(of_account))
    return {row.name: Entry(row.updated, row.body) for row in found}


def save(connection: sa.Connection, account_id: str, entries: Mapping[str, Entry]) -> bool:
    """Store entries, except those that were written again since; the last write wins.

    Return False, with nothing changed, if the account would have too much.
    """
    stored = entries_of(connection, account_id)
    newer = {
        name: entry
        for name, entry in entries.items()
        if name not in stored or entry.updated > stored[name].updated
    }
    total = sum(len(entry.body.encode()) for entry in {**stored, **newer}.values())
    if newer and total > MAX_BYTES:
        return False
    for name, entry in newer.items():
        same = (account_data.c.account_id == account_id) & (account_data.c.name == name)
        connection.execute(account_data.delete().where(same))
        values = {"account_id": account_id, "name": name, **vars(entry)}
        connection.execute(account_data.insert().values(values))
    return True
