"""E-mails about notices: what is mailed when, and their text.

An account gets one e-mail for all that is due, so that many games do not fill its inbox.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby

import sqlalchemy as sa

from teahouse.server.correspondence import email_settings
from teahouse.server.correspondence.email_settings import NotificationSettings, settings_of
from teahouse.server.correspondence.notices import StoredNotice, stored_notice
from teahouse.server.correspondence.rows import notices, notification_settings, outbox
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.database import exclusive, table_seats, tables
from teahouse.server.storage.lock_keys import LockKey
from teahouse.server.tables.seat_keys import new_secret

BATCH = 5_000
LastSeen = Callable[[str], float]
"""Returns when an account was last online."""


def compose(
    connection: sa.Connection, settings: ServerSettings, last_seen: LastSeen, now: float
) -> int:
    """Write the e-mails that are due to the outbox; return how many.

    Their notices are marked in the same transaction, so a crash neither loses nor doubles them.
    """
    exclusive(connection, LockKey.MAIL)
    pending = (
        sa.select(notices)
        .where(
            notices.c.mailed.is_(False),
            notices.c.account_id.in_(
                sa.select(notification_settings.c.account_id).where(
                    notification_settings.c.verified.is_(True),
                    sa.func.coalesce(notification_settings.c.mailed_at, 0.0)
                    <= now - settings.mail_digest_seconds,
                )
            ),
        )
        .order_by(notices.c.account_id, notices.c.id)
        .limit(BATCH)
    )
    found = [stored_notice(row) for row in connection.execute(pending)]
    written = 0
    for account_id, group in groupby(found, key=lambda notice: notice.account_id):
        wanted = sa.select(notification_settings).where(
            notification_settings.c.account_id == account_id
        )
        account = settings_of(connection.execute(wanted).one())
        due, done = _select(connection, account, list(group), last_seen(account_id), now)
        handled = [notice.id for notice in due + done]
        connection.execute(notices.update().where(notices.c.id.in_(handled)).values(mailed=True))
        if due:
            _post_digest(connection, settings, account, due, now)
            written += 1
    return written


def _select(
    connection: sa.Connection,
    account: NotificationSettings,
    found: Sequence[StoredNotice],
    seen: float,
    now: float,
) -> tuple[list[StoredNotice], list[StoredNotice]]:
    """Return the notices to mail now, and those that need no e-mail any more."""
    due, done = [], []
    newest = {notice.path: notice.id for notice in found if notice.kind == "turn"}
    for notice in found:
        is_turn = notice.kind == "turn"
        obsolete = (
            newest[notice.path] != notice.id or not _is_turn(connection, notice)
            if is_turn
            else seen >= notice.created
        )
        offline_since = max(notice.created, seen) if is_turn else notice.created
        if notice.kind not in account.kinds or obsolete:
            done.append(notice)
        elif now - offline_since >= account.minutes * 60:
            due.append(notice)
    return due, done


def _is_turn(connection: sa.Connection, notice: StoredNotice) -> bool:
    """Return whether the game of a notice still waits for the account."""
    table_id = notice.path.rsplit("/", 1)[-1]
    wanted = sa.select(tables.c.summary).where(tables.c.id == table_id)
    text = connection.execute(wanted).scalar_one_or_none()
    summary = {"over": True} if text is None else json.loads(text)
    if summary["over"]:
        return False
    seat = (table_seats.c.table_id == table_id) & (table_seats.c.seat == summary["player"])
    owner = sa.select(table_seats.c.account_id).where(seat)
    return connection.execute(owner).scalar_one_or_none() == notice.account_id


def _post_digest(
    connection: sa.Connection,
    settings: ServerSettings,
    account: NotificationSettings,
    due: Sequence[StoredNotice],
    now: float,
) -> None:
    url = settings.public_url.rstrip("/")
    subject = due[0].title if len(due) == 1 else f"Teahouse: {len(due)} notifications"
    parts = [f"{notice.title}\n{notice.text}\n{url}{notice.path}" for notice in due]
    footer = (
        "-- \n"
        "You chose these e-mails in your account. At most one an hour is sent.\n"
        f"Change them: {url}/account/notifications\n"
        f"Unsubscribe: {url}/email/unsubscribe#{account.unsubscribe_key}"
    )
    post(
        connection,
        settings,
        account.account_id,
        str(account.email),
        subject,
        "\n\n".join([*parts, footer]) + "\n",
        now,
        f"{url}/api/email/unsubscribe/{account.unsubscribe_key}",
    )
    email_settings.mailed(connection, account.account_id, now)


def post_verification(
    connection: sa.Connection,
    settings: ServerSettings,
    account_id: str,
    name: str,
    address: str,
    key: str,
    now: float,
) -> None:
    """Write the e-mail with the link that verifies an address to the outbox."""
    url = settings.public_url.rstrip("/")
    body = (
        f"Somebody, probably you, asked for notifications of the account {name} at {url}\n"
        "by e-mail to this address. To confirm, open this link within three days:\n\n"
        f"{url}/email/confirm#{key}\n\n"
        "If it was not you, ignore this e-mail: no more will be sent.\n"
    )
    subject = "Confirm your e-mail address"
    post(connection, settings, account_id, address, subject, body, now, None)


def post(
    connection: sa.Connection,
    settings: ServerSettings,
    account_id: str,
    recipient: str,
    subject: str,
    body: str,
    now: float,
    unsubscribe_url: str | None,
) -> None:
    """Write an e-mail to the outbox."""
    domain = settings.smtp_from.rsplit("@", 1)[-1].rstrip("> ")
    values = {
        "account_id": account_id,
        "recipient": recipient,
        "subject": subject,
        "body": body,
        "unsubscribe_url": unsubscribe_url,
        "message_id": f"<{new_secret()}@{domain}>",
        "created": now,
        "due": now,
        "attempts": 0,
    }
    connection.execute(outbox.insert().values(values))
