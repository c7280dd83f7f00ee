"""Personal data of moderation: its export, and its replacement when an account is deleted."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from teahouse.server.moderation import rows
from teahouse.server.moderation.rows import account_relations, operator_actions, reports

_EXPORTED = ("created", "subject", "reason", "text", "quote", "table_id", "closed")


def export(connection: sa.Connection, account_id: str) -> dict[str, Any]:
    """Return whom an account blocks and mutes, what it reported, and what was done to it."""
    sent = sa.select(*(reports.c[name] for name in _EXPORTED)).where(
        reports.c.reporter == account_id
    )
    columns = ("created", "action", "reason", "until")
    done = sa.select(*(operator_actions.c[name] for name in columns)).where(
        operator_actions.c.account_id == account_id
    )
    return {
        "relations": rows.relations_of(connection, account_id),
        "reports": [dict(row._mapping) for row in connection.execute(sent)],
        "actions": [dict(row._mapping) for row in connection.execute(done)],
    }


def replace_account(
    connection: sa.Connection, account_id: str, name: str, replaced_by: str, new_name: str
) -> None:
    """Put an anonymous account in the place of one that is deleted; nobody blocks it."""
    either = (account_relations.c.account_id == account_id) | (
        account_relations.c.other_id == account_id
    )
    connection.execute(account_relations.delete().where(either))
    sent, about = reports.c.reporter == account_id, reports.c.account_id == account_id
    connection.execute(reports.update().where(sent).values(reporter=replaced_by))
    connection.execute(reports.update().where(about).values(account_id=replaced_by, quote=""))
    for column in (reports.c.closed_by, operator_actions.c.operator):
        changed = column.table.update().where(column == name).values({column.name: new_name})
        connection.execute(changed)
    changed = operator_actions.update().where(operator_actions.c.account_id == account_id)
    answer = sa.func.replace(operator_actions.c.answer, name, new_name)
    connection.execute(changed.values(account_id=replaced_by, name=None, answer=answer))
