"""Personal data of accounts: exported on request, and deleted or anonymised with the account.

Games are not here: `export.py` writes their records, and `anonymous.py` their names.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from teahouse.server.accounts import data_rows, passkey_rows, recovery, rows, tokens
from teahouse.server.accounts.anonymous import DeletedAccount
from teahouse.server.accounts.names import DELETED_NAME
from teahouse.server.correspondence import rows as correspondence_rows
from teahouse.server.lobby import rows as lobby_rows
from teahouse.server.lobby import shared_rows as shared_lobby_rows
from teahouse.server.moderation import personal as moderation
from teahouse.server.ratings import rows as rating_rows
from teahouse.server.storage.database import studies
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.tournaments import rows as tournament_rows

Export = Callable[[sa.Connection, str], Any]
Remove = Callable[[sa.Connection, DeletedAccount], None]


@dataclass(frozen=True)
class Section:
    """One kind of personal data."""

    name: str
    """The name of its file in an export."""
    export: Export
    """Return what an account has, as JSON, without secrets."""
    remove: Remove
    """Delete it, or assign it to the anonymous account where others need it."""


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

    def remove(connection: sa.Connection, deleted: DeletedAccount) -> None:
        own = table.c[column] == deleted.account_id
        if replace:
            changed = table.update().where(own).values({column: deleted.replaced_by})
            connection.execute(changed)
        else:
            connection.execute(table.delete().where(own))

    return Section(table.name, export, remove)


def _account(connection: sa.Connection, account_id: str) -> dict[str, Any]:
    found = rows.get(connection, account_id)
    assert found is not None, "who exports their data has an account"
    return {**vars(found), "has_password": rows.password_hash(connection, account_id) is not None}


def _remove_account(connection: sa.Connection, deleted: DeletedAccount) -> None:
    connection.execute(rows.accounts.delete().where(rows.accounts.c.id == deleted.account_id))


def _remove_correspondence(connection: sa.Connection, deleted: DeletedAccount) -> None:
    correspondence_rows.delete_account(connection, deleted.account_id)
    word = re.compile(rf"(?<!\w){re.escape(deleted.name)}(?!\w)")
    for table, columns in (
        (correspondence_rows.notices, ("title", "text")),
        (correspondence_rows.outbox, ("subject", "body")),
    ):  # texts to others about games with them
        shown = [table.c[column] for column in columns]
        named = sa.or_(*(one.contains(deleted.name, autoescape=True) for one in shown))
        for row in connection.execute(sa.select(table.c.id, *shown).where(named)).all():
            texts = {name: word.sub(DELETED_NAME, row._mapping[name]) for name in columns}
            connection.execute(table.update().where(table.c.id == row.id).values(texts))


def _export_data(connection: sa.Connection, account_id: str) -> dict[str, Any]:
    """Return progress, settings and lists; the studies of the account with their texts."""
    entries = data_rows.entries_of(connection, account_id)
    kept = {name: json.loads(body) for name, body in entries.items()}
    own = sa.select(studies).where(studies.c.id.in_(_study_keys(connection, account_id)))
    texts = {row.id: json.loads(row.body) for row in connection.execute(own)}
    return {**kept, "studies": texts}


def _remove_data(connection: sa.Connection, deleted: DeletedAccount) -> None:
    for study_id, key in _study_keys(connection, deleted.account_id).items():
        same = (studies.c.id == study_id) & (studies.c.key_hash == hash_secret(key))
        connection.execute(studies.delete().where(same))
    own = data_rows.account_data.c.account_id == deleted.account_id
    connection.execute(data_rows.account_data.delete().where(own))


def _study_keys(connection: sa.Connection, account_id: str) -> dict[str, str]:
    """Return the keys of an account's studies by their ids, as its browsers have stored them."""
    found = json.loads(data_rows.entries_of(connection, account_id).get("studies", "{}"))
    if not isinstance(found, dict):
        return {}
    return {study: key for study, key in found.items() if isinstance(key, str)}


def _remove_ratings(connection: sa.Connection, deleted: DeletedAccount) -> None:
    rating_rows.replace_account(connection, deleted.account_id, deleted.replaced_by)


def _remove_moderation(connection: sa.Connection, deleted: DeletedAccount) -> None:
    moderation.replace_account(
        *(connection, deleted.account_id, deleted.name, deleted.replaced_by, DELETED_NAME)
    )


SECTIONS: tuple[Section, ...] = (
    Section("account", _account, _remove_account),
    owned_rows(rows.account_sessions, secret=("token_hash",)),
    owned_rows(rows.account_devices, secret=("token_hash",)),
    owned_rows(passkey_rows.passkeys),
    owned_rows(recovery.recovery_codes, secret=("code_hash",)),
    owned_rows(tokens.api_tokens, secret=("token_hash",)),
    Section("settings_and_progress", _export_data, _remove_data),
    Section("correspondence", correspondence_rows.export, _remove_correspondence),
    Section("tournaments", tournament_rows.export, tournament_rows.forget_account),
    Section("challenges", lobby_rows.export, lobby_rows.delete_account),
    owned_rows(shared_lobby_rows.seeks),
    Section("ratings", rating_rows.export, _remove_ratings),
    Section("moderation", moderation.export, _remove_moderation),
)


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
