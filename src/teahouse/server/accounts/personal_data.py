"""What belongs to an account: all of it is exported, and deleted or made anonymous.

Games are not here: `export.py` writes their records, and `anonymous.py` their names.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from teahouse.server.accounts import passkey_rows, recovery, rows, tokens
from teahouse.server.accounts.anonymous import DELETED_NAME, Departure
from teahouse.server.correspondence import rows as correspondence_rows
from teahouse.server.moderation import personal as moderation
from teahouse.server.ratings import rows as rating_rows
from teahouse.server.tournaments import rows as tournament_rows

Export = Callable[[sa.Connection, str], Any]
Remove = Callable[[sa.Connection, Departure], None]


@dataclass(frozen=True)
class Section:
    """One kind of personal data."""

    name: str
    """The name of its file in an export."""
    export: Export
    """Return what an account has, as JSON, without secrets."""
    remove: Remove
    """Delete it, or put the anonymous account in its place where others need it."""


def owned_rows(
    table: sa.Table,
    *,
    column: str = "account_id",
    secret: tuple[str, ...] = (),
    replace: bool = False,
) -> Section:
    """Return the section of a table's rows; with `replace` the anonymous account gets them."""
    shown = [one for one in table.c if one.name not in secret]

    def export(connection: sa.Connection, account_id: str) -> list[dict[str, Any]]:
        found = connection.execute(sa.select(*shown).where(table.c[column] == account_id))
        return [{name: _plain(value) for name, value in row._mapping.items()} for row in found]

    def remove(connection: sa.Connection, departure: Departure) -> None:
        own = table.c[column] == departure.account_id
        if replace:
            changed = table.update().where(own).values({column: departure.replaced_by})
            connection.execute(changed)
        else:
            connection.execute(table.delete().where(own))

    return Section(table.name, export, remove)


def _account(connection: sa.Connection, account_id: str) -> dict[str, Any]:
    found = rows.get(connection, account_id)
    assert found is not None, "who exports their data has an account"
    return {**vars(found), "has_password": rows.password_hash(connection, account_id) is not None}


def _remove_account(connection: sa.Connection, departure: Departure) -> None:
    connection.execute(rows.accounts.delete().where(rows.accounts.c.id == departure.account_id))


def _remove_correspondence(connection: sa.Connection, departure: Departure) -> None:
    correspondence_rows.forget(connection, departure.account_id)
    for table, columns in (
        (correspondence_rows.notices, ("title", "text")),
        (correspondence_rows.outbox, ("subject", "body")),
    ):  # what others were told about a game with them
        named = [table.c[column].contains(departure.name, autoescape=True) for column in columns]
        connection.execute(table.delete().where(sa.or_(*named)))


def _remove_ratings(connection: sa.Connection, departure: Departure) -> None:
    rating_rows.replace_account(connection, departure.account_id, departure.replaced_by)


def _remove_moderation(connection: sa.Connection, departure: Departure) -> None:
    moderation.replace_account(
        *(connection, departure.account_id, departure.name, departure.replaced_by, DELETED_NAME)
    )


SECTIONS: tuple[Section, ...] = (
    Section("account", _account, _remove_account),
    owned_rows(rows.account_sessions, secret=("token_hash",)),
    owned_rows(rows.account_devices, secret=("token_hash",)),
    owned_rows(passkey_rows.passkeys),
    owned_rows(recovery.recovery_codes, secret=("code_hash",)),
    owned_rows(tokens.api_tokens, secret=("token_hash",)),
    Section("correspondence", correspondence_rows.export, _remove_correspondence),
    Section("tournaments", tournament_rows.export, tournament_rows.forget_account),
    Section("ratings", rating_rows.export, _remove_ratings),
    Section("moderation", moderation.export, _remove_moderation),
)


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def anonymous_json(text: str, departure: Departure) -> str:
    """Return a JSON text in which the anonymous account stands for a departing one."""
    replaced = {departure.account_id: departure.replaced_by, departure.name: DELETED_NAME}

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return replaced.get(value, value)
        if isinstance(value, list):
            return [walk(one) for one in value]
        if isinstance(value, dict):
            return {replaced.get(key, key): walk(one) for key, one in value.items()}
        return value

    return json.dumps(walk(json.loads(text)))
