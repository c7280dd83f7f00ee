"""The tables of correspondence, and what an account has in them."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from teahouse.server.storage.database import SCHEMA

conditional_moves = sa.Table(
    "conditional_moves",
    SCHEMA,
    sa.Column("table_id", sa.String(10), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("ply", sa.Integer),
    sa.Column("revision", sa.Integer),
    sa.Column("lines", sa.Text),
)
vacations = sa.Table(
    "vacations",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("started", sa.Double, primary_key=True),
    sa.Column("until", sa.Double),
)
notices = sa.Table(
    "notices",
    SCHEMA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("key", sa.String(80)),
    sa.Column("kind", sa.String(20)),
    sa.Column("created", sa.Double),
    sa.Column("title", sa.Text),
    sa.Column("text", sa.Text),
    sa.Column("path", sa.Text),
    sa.Column("mailed", sa.Boolean),
)
notification_settings = sa.Table(
    "notification_settings",
    SCHEMA,
    sa.Column("account_id", sa.String(10), primary_key=True),
    sa.Column("feed_hash", sa.String(64)),
    sa.Column("email", sa.Text),
    sa.Column("verified", sa.Boolean),
    sa.Column("verify_hash", sa.String(64)),
    sa.Column("verify_sent", sa.Double),
    sa.Column("unsubscribe_key", sa.String(64)),
    sa.Column("mail_kinds", sa.Text),
    sa.Column("mail_minutes", sa.Integer),
    sa.Column("mailed_at", sa.Double),
)
outbox = sa.Table(
    "outbox",
    SCHEMA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("recipient", sa.Text),
    sa.Column("subject", sa.Text),
    sa.Column("body", sa.Text),
    sa.Column("unsubscribe_url", sa.Text),
    sa.Column("message_id", sa.Text),
    sa.Column("created", sa.Double),
    sa.Column("due", sa.Double),
    sa.Column("attempts", sa.Integer),
)
_OWNED = (conditional_moves, vacations, notices, notification_settings, outbox)


def delete_account(connection: sa.Connection, account_id: str) -> None:
    """Delete all that is stored here of an account."""
    for table in _OWNED:
        connection.execute(table.delete().where(table.c.account_id == account_id))


def export(connection: sa.Connection, account_id: str) -> dict[str, Any]:
    """Return all that is stored here of an account, without keys to it."""

    def rows(table: sa.Table, *names: str) -> list[dict[str, Any]]:
        columns = [table.c[name] for name in names]
        wanted = sa.select(*columns).where(table.c.account_id == account_id)
        return [dict(row) for row in connection.execute(wanted).mappings()]

    plans = rows(conditional_moves, "table_id", "seat", "ply", "lines")
    settings = rows(
        notification_settings, "email", "verified", "mail_kinds", "mail_minutes", "mailed_at"
    )
    return {
        "conditional_moves": [{**plan, "lines": json.loads(plan["lines"])} for plan in plans],
        "vacations": rows(vacations, "started", "until"),
        "notices": rows(notices, "kind", "created", "title", "text", "path"),
        "notification_settings": [
            {**one, "mail_kinds": json.loads(one["mail_kinds"])} for one in settings
        ],
        "outbox": rows(outbox, "recipient", "subject", "body", "created"),
    }
