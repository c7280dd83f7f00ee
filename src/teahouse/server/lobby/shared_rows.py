"""Rows that the lobbies of several processes share; PostgreSQL only."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from teahouse.server.accounts import rows as account_rows
from teahouse.server.lobby.models import Visitor
from teahouse.server.lobby.pairing import PairingPool, PoolKey, Seek
from teahouse.server.storage.database import SCHEMA, exclusive
from teahouse.server.storage.lock_keys import LockKey

KEPT_SECONDS = 60.0
"""How long a message is kept for a visitor who is reloading the page."""
STALE_SECONDS = 5.0
"""Age of a seek's last confirmation from which its process counts as dead."""

visitors = sa.Table(
    "lobby_visitors",
    SCHEMA,
    sa.Column("visitor", sa.String(80), primary_key=True),
    sa.Column("seen", sa.Double),
)
messages = sa.Table(
    "lobby_messages",
    SCHEMA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("visitor", sa.String(80)),
    sa.Column("created", sa.Double),
    sa.Column("body", sa.Text),
)
seeks = sa.Table(
    "seeks",
    SCHEMA,
    sa.Column("visitor", sa.String(80), primary_key=True),
    sa.Column("game", sa.String(40)),
    sa.Column("pace", sa.String(20)),
    sa.Column("rating", sa.Double),
    sa.Column("deviation", sa.Double),
    sa.Column("since", sa.Double),
    sa.Column("refused", sa.Text),
    sa.Column("name", sa.Text),
    sa.Column("account_id", sa.String(10)),
    sa.Column("process", sa.String(20)),
    sa.Column("seen", sa.Double),
)


def touch_visitors(connection: sa.Connection, keys: Collection[str], now: float) -> None:
    """Store that visitors are connected now."""
    if keys:
        rows = [{"visitor": key, "seen": now} for key in sorted(keys)]
        statement = insert(visitors).values(rows)
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["visitor"], set_={"seen": statement.excluded.seen}
            )
        )


def last_connected(connection: sa.Connection, keys: Collection[str]) -> Mapping[str, float]:
    """Return the time at which each visitor was last connected."""
    wanted = sa.select(visitors.c.visitor, visitors.c.seen).where(visitors.c.visitor.in_(keys))
    return {row.visitor: row.seen for row in connection.execute(wanted)}


def delete_stale_visitors(connection: sa.Connection, before: float) -> None:
    """Delete visitors who were not connected since a time."""
    connection.execute(visitors.delete().where(visitors.c.seen < before))


# Messages.


def post(connection: sa.Connection, visitor: str, body: Mapping[str, Any], now: float) -> None:
    """Store a message until a process can deliver it."""
    values = {"visitor": visitor, "created": now, "body": json.dumps(body)}
    connection.execute(messages.insert().values(values))


def waiting_for(connection: sa.Connection) -> dict[str, float]:
    """Return the visitors with undelivered messages, and the time of the oldest."""
    first = sa.func.min(messages.c.created).label("created")
    wanted = sa.select(messages.c.visitor, first).group_by(messages.c.visitor)
    return {row.visitor: row.created for row in connection.execute(wanted)}


def delete_expired_messages(connection: sa.Connection, before: float) -> None:
    """Delete the messages from before a time: their visitors did not come."""
    connection.execute(messages.delete().where(messages.c.created < before))


def take(
    connection: sa.Connection, keys: Collection[str], now: float
) -> list[tuple[str, dict[str, Any]]]:
    """Remove and return the messages for visitors, so that each is delivered once."""
    taken = (
        messages.delete()
        .where(messages.c.visitor.in_(keys))
        .returning(messages.c.id, messages.c.visitor, messages.c.created, messages.c.body)
    )
    rows = sorted(connection.execute(taken), key=lambda row: row.id)
    fresh = [row for row in rows if now - row.created < KEPT_SECONDS]
    return [(row.visitor, json.loads(row.body)) for row in fresh]


# Seeks.


@dataclass(frozen=True)
class SharedSeek:
    """A seek with its visitor and the process they are connected to."""

    seek: Seek
    visitor: Visitor
    process: str


def add_seek(connection: sa.Connection, key: PoolKey, shared: SharedSeek, now: float) -> None:
    """Store a seek; replace the visitor's earlier one."""
    seek, account = shared.seek, shared.visitor.account
    values = {
        "visitor": seek.player,
        "game": key.game,
        "pace": key.pace,
        "rating": seek.rating,
        "deviation": seek.deviation,
        "since": seek.since,
        "refused": json.dumps(sorted(seek.refused)),
        "name": shared.visitor.name,
        "account_id": account and account.id,
        "process": shared.process,
        "seen": now,
    }
    statement = insert(seeks).values(values)
    connection.execute(statement.on_conflict_do_update(index_elements=["visitor"], set_=values))


def remove_seek(connection: sa.Connection, visitor: str, process: str) -> None:
    """Delete a seek that was stored by a process."""
    own = (seeks.c.visitor == visitor) & (seeks.c.process == process)
    connection.execute(seeks.delete().where(own))


def confirm(connection: sa.Connection, keys: Collection[str], process: str, now: float) -> None:
    """Refresh the seeks of a process; delete stale ones."""
    own = seeks.c.visitor.in_(keys) & (seeks.c.process == process)
    connection.execute(seeks.update().where(own).values(seen=now))
    connection.execute(seeks.delete().where(seeks.c.seen < now - KEPT_SECONDS))


def owners(connection: sa.Connection, keys: Collection[str]) -> dict[str, str]:
    """Return the process of each visitor's seek."""
    wanted = sa.select(seeks.c.visitor, seeks.c.process).where(seeks.c.visitor.in_(keys))
    return {row.visitor: row.process for row in connection.execute(wanted)}


def seeking(connection: sa.Connection, now: float) -> dict[str, int]:
    """Return the number of seeks by game."""
    live = seeks.c.seen > now - STALE_SECONDS
    counted = (
        sa.select(seeks.c.game, sa.func.count().label("players")).where(live).group_by(seeks.c.game)
    )
    return {row.game: row.players for row in connection.execute(counted)}


def pair(
    connection: sa.Connection, key: PoolKey, size: int, mine: Collection[str], now: float
) -> list[list[SharedSeek]]:
    """Remove and return all groups that can play now and have a member in `mine`.

    An advisory lock lets one process pair at a time.
    """
    exclusive(connection, LockKey.PAIRING)
    live = (seeks.c.game == key.game) & (seeks.c.pace == key.pace)
    live &= seeks.c.seen > now - STALE_SECONDS
    rows = {row.visitor: row for row in connection.execute(sa.select(seeks).where(live))}
    pool = PairingPool(size)
    for row in rows.values():
        pool.add(_seek(row))
    groups = [group for group in pool.match(now) if any(seek.player in mine for seek in group)]
    paired = {seek.player for group in groups for seek in group}
    if not paired:
        return []
    connection.execute(seeks.delete().where(seeks.c.visitor.in_(paired)))
    found = _visitors(connection, [rows[player] for player in paired])
    return [
        [SharedSeek(one, found[one.player], rows[one.player].process) for one in group]
        for group in groups
    ]


def _seek(row: sa.Row[Any]) -> Seek:
    refused = frozenset(json.loads(row.refused))
    return Seek(row.visitor, row.rating, row.deviation, row.since, refused)


def _visitors(connection: sa.Connection, rows: Iterable[sa.Row[Any]]) -> dict[str, Visitor]:
    known = list(rows)
    accounts = account_rows.get_many(
        connection, {row.account_id for row in known if row.account_id}
    )
    return {
        row.visitor: Visitor.of(accounts[row.account_id])
        if row.account_id in accounts
        else Visitor(row.visitor, row.name)
        for row in known
    }
