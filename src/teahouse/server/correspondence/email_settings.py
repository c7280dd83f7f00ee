"""The notification settings of accounts: feed, e-mail address, and which notices are mailed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from teahouse.server.correspondence.rows import notices, notification_settings, outbox
from teahouse.server.tables.seat_keys import hash_secret, new_secret

DEFAULT_KINDS = ("turn", "challenge", "tournament")
DEFAULT_MINUTES = 60
VERIFY_SECONDS = 3 * 86_400.0
"""How long a link that verifies an address can be used."""
RESEND_SECONDS = 600.0
"""Until an account may ask for another such link."""


@dataclass(frozen=True)
class NotificationSettings:
    """The notification settings of an account."""

    account_id: str
    has_feed: bool
    email: str | None
    verified: bool
    verify_sent: float | None
    unsubscribe_key: str
    kinds: tuple[str, ...]
    minutes: int
    mailed_at: float | None


def get(connection: sa.Connection, account_id: str) -> NotificationSettings | None:
    """Return the settings of an account, or None if it has never changed them."""
    wanted = sa.select(notification_settings).where(_of(account_id))
    row = connection.execute(wanted).one_or_none()
    return None if row is None else settings_of(row)


def settings_of(row: sa.Row[Any]) -> NotificationSettings:
    """Return the settings of a row."""
    return NotificationSettings(
        row.account_id,
        row.feed_hash is not None,
        row.email,
        row.verified,
        row.verify_sent,
        row.unsubscribe_key,
        tuple(json.loads(row.mail_kinds)),
        row.mail_minutes,
        row.mailed_at,
    )


def _of(account_id: str) -> sa.ColumnElement[bool]:
    return notification_settings.c.account_id == account_id


def _update(connection: sa.Connection, account_id: str, **values: Any) -> None:
    """Change settings, from the defaults on if the account has none."""
    if get(connection, account_id) is None:
        defaults = {
            "account_id": account_id,
            "verified": False,
            "unsubscribe_key": new_secret(),
            "mail_kinds": json.dumps(DEFAULT_KINDS),
            "mail_minutes": DEFAULT_MINUTES,
        }
        connection.execute(notification_settings.insert().values(defaults))
    if values:
        connection.execute(notification_settings.update().where(_of(account_id)).values(values))


def set_feed(connection: sa.Connection, account_id: str, key: str | None) -> None:
    """Set the key of an account's feed, or revoke it."""
    _update(connection, account_id, feed_hash=None if key is None else hash_secret(key))


def set_email(
    connection: sa.Connection, account_id: str, address: str | None, key: str | None, now: float
) -> bool:
    """Set an address that is to be verified by a key, or remove it.

    Return False, with nothing changed, if a link was sent a moment ago.
    """
    before = get(connection, account_id)
    recent = before and before.verify_sent and before.verify_sent > now - RESEND_SECONDS
    if address is not None and recent:
        return False
    _update(
        connection,
        account_id,
        email=address,
        verified=False,
        verify_hash=None if key is None else hash_secret(key),
        verify_sent=before and before.verify_sent if address is None else now,
    )
    connection.execute(outbox.delete().where(outbox.c.account_id == account_id))
    return True


def verify(connection: sa.Connection, key: str, now: float) -> str | None:
    """Verify the address that a key was sent to; return it, or None if the key is not valid."""
    fits = (notification_settings.c.verify_hash == hash_secret(key)) & (
        notification_settings.c.verify_sent > now - VERIFY_SECONDS
    )
    row = connection.execute(sa.select(notification_settings).where(fits)).one_or_none()
    if row is None:
        return None
    _update(connection, row.account_id, verified=True, verify_hash=None)
    # What happened before is not mailed.
    same = notices.c.account_id == row.account_id
    connection.execute(notices.update().where(same).values(mailed=True))
    return str(row.email)


def set_mail(
    connection: sa.Connection, account_id: str, kinds: Sequence[str], minutes: int
) -> None:
    """Set which notices are mailed, and after how many minutes offline."""
    _update(connection, account_id, mail_kinds=json.dumps(list(kinds)), mail_minutes=minutes)


def unsubscribe(connection: sa.Connection, key: str) -> bool:
    """Stop all e-mail to the account with this key; return whether there is one."""
    same = notification_settings.c.unsubscribe_key == key
    row = connection.execute(sa.select(notification_settings).where(same)).one_or_none()
    if row is None:
        return False
    _update(connection, row.account_id, mail_kinds="[]")
    connection.execute(outbox.delete().where(outbox.c.account_id == row.account_id))
    return True


def mark_undeliverable(connection: sa.Connection, account_id: str, address: str) -> None:
    """Mark an address that the mail server rejects as unverified; it gets no more e-mail."""
    same = _of(account_id) & (notification_settings.c.email == address)
    connection.execute(notification_settings.update().where(same).values(verified=False))


def mailed(connection: sa.Connection, account_id: str, now: float) -> None:
    """Store when the last e-mail to an account was written."""
    _update(connection, account_id, mailed_at=now)
