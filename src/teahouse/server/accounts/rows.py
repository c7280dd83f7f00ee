"""The rows of accounts, their sessions and their data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from teahouse.server.accounts.models import Account, AccountSession
from teahouse.server.accounts.names import name_key
from teahouse.server.storage.database import SCHEMA, table_seats, tables

MAX_DEVICES = 50
"""Known browsers of an account."""

accounts = sa.Table(
    "accounts",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("name", sa.String(20)),
    sa.Column("name_key", sa.String(80)),
    sa.Column("kind", sa.String(10)),
    sa.Column("owner", sa.String(10)),
    sa.Column("created", sa.Double),
    sa.Column("suspended_until", sa.Double),
    sa.Column("deleted", sa.Boolean),
    sa.Column("password_hash", sa.Text),
    sa.Column("suspended_because", sa.Text),
    sa.Column("role", sa.String(10)),
)
account_sessions = sa.Table(
    "account_sessions",
    SCHEMA,
    sa.Column("token_hash", sa.String(64), primary_key=True),
    sa.Column("id", sa.String(10)),
    sa.Column("account_id", sa.String(10)),
    sa.Column("created", sa.Double),
    sa.Column("used", sa.Double),
    sa.Column("browser", sa.String(80)),
)
account_devices = sa.Table(
    "account_devices",
    SCHEMA,
    sa.Column("token_hash", sa.String(64), primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("used", sa.Double),
)
_COLUMNS = (
    accounts.c.id,
    accounts.c.name,
    accounts.c.kind,
    accounts.c.owner,
    accounts.c.created,
    accounts.c.suspended_until,
    accounts.c.deleted,
    accounts.c.suspended_because,
    accounts.c.role,
)
_SESSION_COLUMNS = (
    account_sessions.c.id,
    account_sessions.c.account_id,
    account_sessions.c.created,
    account_sessions.c.used,
    account_sessions.c.browser,
)


def _account(row: Any) -> Account:
    return Account(*row)


# Accounts.


def add(connection: sa.Connection, account: Account, password_hash: str | None) -> bool:
    """Store a new account; return False if its name is taken."""
    key = name_key(account.name)
    if is_taken(connection, account.name):
        return False
    values = {
        "id": account.id,
        "name": account.name,
        "name_key": key,
        "kind": account.kind,
        "owner": account.owner,
        "created": account.created,
        "suspended_until": account.suspended_until,
        "deleted": account.deleted,
        "password_hash": password_hash,
    }
    connection.execute(accounts.insert().values(values))
    return True


def is_taken(connection: sa.Connection, name: str) -> bool:
    """Return whether an account has a name, or one that looks like it."""
    same = sa.select(accounts.c.id).where(accounts.c.name_key == name_key(name))
    return connection.execute(same).first() is not None


def get(connection: sa.Connection, account_id: str) -> Account | None:
    """Return an account by its id."""
    wanted = sa.select(*_COLUMNS).where(accounts.c.id == account_id)
    row = connection.execute(wanted).one_or_none()
    return row and _account(row)


def get_many(connection: sa.Connection, ids: Iterable[str]) -> dict[str, Account]:
    """Return those of these accounts that exist, by their ids."""
    wanted = sa.select(*_COLUMNS).where(accounts.c.id.in_(set(ids)))
    return {row.id: _account(row) for row in connection.execute(wanted)}


def by_name(connection: sa.Connection, name: str) -> Account | None:
    """Return the account with a name, or with one that looks like it."""
    found = by_names(connection, [name])
    return found.get(name_key(name))


def by_names(connection: sa.Connection, names: Iterable[str]) -> dict[str, Account]:
    """Return the accounts with names that look like these, by the keys of the names."""
    wanted = sa.select(accounts.c.name_key, *_COLUMNS).where(
        accounts.c.name_key.in_({name_key(name) for name in names}), accounts.c.deleted.is_(False)
    )
    return {key: _account(row) for key, *row in connection.execute(wanted)}


def owned_by(connection: sa.Connection, owner: str) -> list[Account]:
    """Return the bot accounts of a person, the oldest first."""
    owned = (accounts.c.owner == owner) & accounts.c.deleted.is_(False)
    wanted = sa.select(*_COLUMNS).where(owned).order_by(accounts.c.created)
    return [_account(row) for row in connection.execute(wanted)]


def update(connection: sa.Connection, account_id: str, values: Mapping[str, Any]) -> None:
    """Change columns of an account."""
    connection.execute(accounts.update().where(accounts.c.id == account_id).values(**values))


def rename(connection: sa.Connection, account_id: str, name: str) -> bool:
    """Change the name of an account; return False if it is taken."""
    key = name_key(name)
    same = (accounts.c.name_key == key) & (accounts.c.id != account_id)
    if connection.execute(sa.select(accounts.c.id).where(same)).first() is not None:
        return False
    update(connection, account_id, {"name": name, "name_key": key})
    return True


def password_hash(connection: sa.Connection, account_id: str) -> str | None:
    """Return the hash of an account's password, or None if it has none."""
    wanted = sa.select(accounts.c.password_hash).where(accounts.c.id == account_id)
    return connection.execute(wanted).scalar_one_or_none()


# Sessions and known devices.


def add_session(connection: sa.Connection, token_hash: str, session: AccountSession) -> None:
    """Store a session."""
    values = {"token_hash": token_hash, **vars(session)}
    connection.execute(account_sessions.insert().values(values))


def find_session(
    connection: sa.Connection, token_hash: str
) -> tuple[AccountSession, Account] | None:
    """Return the session with this token, and its account."""
    joined = account_sessions.join(accounts, accounts.c.id == account_sessions.c.account_id)
    wanted = (
        sa.select(*_SESSION_COLUMNS, *_COLUMNS)
        .select_from(joined)
        .where(account_sessions.c.token_hash == token_hash, accounts.c.deleted.is_(False))
    )
    row = connection.execute(wanted).one_or_none()
    if row is None:
        return None
    size = len(_SESSION_COLUMNS)
    return AccountSession(*row[:size]), _account(row[size:])


def sessions_of(connection: sa.Connection, account_id: str) -> list[AccountSession]:
    """Return the sessions of an account, the last used first."""
    wanted = sa.select(*_SESSION_COLUMNS).where(account_sessions.c.account_id == account_id)
    rows = connection.execute(wanted.order_by(account_sessions.c.used.desc()))
    return [AccountSession(*row) for row in rows]


def touch_session(connection: sa.Connection, session_id: str, now: float) -> None:
    """Update the time at which a session was last used."""
    same = account_sessions.c.id == session_id
    connection.execute(account_sessions.update().where(same).values(used=now))


def delete_sessions(
    connection: sa.Connection, account_id: str, ids: Sequence[str] | None = None, keep: str = ""
) -> int:
    """Delete sessions of an account, by default all but one; return how many there were."""
    wanted = (account_sessions.c.account_id == account_id) & (account_sessions.c.id != keep)
    if ids is not None:
        wanted &= account_sessions.c.id.in_(ids)
    return connection.execute(account_sessions.delete().where(wanted)).rowcount


def delete_expired_sessions(connection: sa.Connection, used: float, created: float) -> None:
    """Delete sessions that were last used, or created, before a time, and unused devices."""
    old = (account_sessions.c.used < used) | (account_sessions.c.created < created)
    connection.execute(account_sessions.delete().where(old))
    connection.execute(account_devices.delete().where(account_devices.c.used < created))


def add_device(
    connection: sa.Connection, token_hash: str, account_id: str, now: float, before: str = ""
) -> None:
    """Remember a browser in which an account has signed in, instead of its hash `before`."""
    of_account = account_devices.c.account_id == account_id
    latest = sa.select(account_devices.c.token_hash).where(of_account)
    latest = latest.order_by(account_devices.c.used.desc()).limit(MAX_DEVICES - 1)
    kept = set(connection.execute(latest).scalars()) - {before}
    obsolete = of_account & account_devices.c.token_hash.not_in(kept)
    connection.execute(account_devices.delete().where(obsolete))
    values = {"token_hash": token_hash, "account_id": account_id, "used": now}
    connection.execute(account_devices.insert().values(values))


def knows_device(connection: sa.Connection, token_hash: str, account_id: str) -> bool:
    """Return whether an account has signed in on a device."""
    same = account_devices.c.token_hash == token_hash
    wanted = sa.select(account_devices.c.account_id).where(same)
    return connection.execute(wanted).scalar_one_or_none() == account_id


# Games.


def tables_of(
    connection: sa.Connection, account_id: str, limit: int, *, over: bool | None = None
) -> list[str]:
    """Return the ids of the tables at which an account plays, the last changed first."""
    wanted = (
        sa.select(tables.c.id)
        .join(table_seats, table_seats.c.table_id == tables.c.id)
        .where(table_seats.c.account_id == account_id)
        .group_by(tables.c.id, tables.c.updated)
        .order_by(tables.c.updated.desc())
        .limit(limit)
    )
    if over is not None:
        wanted = wanted.where(tables.c.over.is_(over))
    return list(connection.execute(wanted).scalars())
