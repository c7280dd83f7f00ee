"""Digests of tables: the same rows have the same digest, in either database and in any order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

BATCH = 1_000


@dataclass(frozen=True)
class TableDigest:
    """The number of rows of a table, and the sum of their hashes."""

    rows: int = 0
    digest: str = f"{0:064x}"

    def add(self, rows: Iterable[Sequence[Any]]) -> TableDigest:
        """Return the digest of these rows too."""
        hashes = [_row_hash(row) for row in rows]
        total = (int(self.digest, 16) + sum(hashes)) % (1 << 256)
        return TableDigest(self.rows + len(hashes), f"{total:064x}")


def _row_hash(row: Sequence[Any]) -> int:
    text = repr([_plain(value) for value in row])
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _plain(value: Any) -> Any:
    """Return a value as both databases have it: SQLite stores truth values as numbers."""
    if isinstance(value, bool):
        return int(value)
    return bytes(value) if isinstance(value, memoryview | bytearray) else value


def digest_tables(connection: sa.Connection, tables: Iterable[sa.Table]) -> dict[str, TableDigest]:
    """Return the digests of tables by name."""
    return {table.name: digest_table(connection, table) for table in tables}


def digest_table(connection: sa.Connection, table: sa.Table) -> TableDigest:
    """Return the digest of a table; its columns count in the order of their names."""
    found = TableDigest()
    for rows in batches(connection, table):
        found = found.add(rows)
    return found


def batches(connection: sa.Connection, table: sa.Table) -> Iterable[Sequence[sa.Row[Any]]]:
    """Yield the rows of a table, some at a time, with their columns ordered by name."""
    columns = [table.c[name] for name in sorted(table.c.keys())]
    wanted = sa.select(*columns).execution_options(stream_results=True, yield_per=BATCH)
    yield from connection.execute(wanted).partitions()
