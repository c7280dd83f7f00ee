"""The rows of challenges that stay open while their challenger is offline.

Where several processes share a database, all challenges have rows.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.anonymous import DeletedAccount
from teahouse.server.accounts.models import Account
from teahouse.server.lobby import shared_rows
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Challenge, Visitor, account_key
from teahouse.server.storage.database import SCHEMA
from teahouse.server.storage.store import Store
from teahouse.server.tables.setup import load_setup
from teahouse.server.web.errors import ApiError

log = logging.getLogger("teahouse.server.lobby.rows")

challenges = sa.Table(
    "challenges",
    SCHEMA,
    sa.Column("id", sa.String(10), primary_key=True),
    sa.Column("account_id", sa.String(10)),
    sa.Column("to_account_id", sa.String(10)),
    sa.Column("created", sa.Double),
    sa.Column("request", sa.Text),
    sa.Column("players", sa.Text),
)


async def load(store: Store, ids: Collection[str] | None = None) -> list[Challenge]:
    """Return the stored challenges, the oldest first; by default all."""
    wanted = sa.select(challenges).order_by(challenges.c.created)
    if ids is not None:
        wanted = wanted.where(challenges.c.id.in_(ids))

    def job(connection: sa.Connection) -> list[Challenge]:
        found = connection.execute(wanted).all()
        accounts = account_rows.get_many(
            connection,
            {
                one
                for row in found
                for one in (row.to_account_id, *_account_ids(row.players))
                if one
            },
        )
        loaded = (_challenge(row, accounts) for row in found)
        return [one for one in loaded if one is not None]

    return await store.read(job)


def _account_ids(players: str) -> list[str]:
    return [one for one in json.loads(players) if isinstance(one, str)]


def _visitor(player: str | dict[str, str | None], accounts: dict[str, Account]) -> Visitor | None:
    """Return a stored player: an account by its id, a guest by key and name."""
    if isinstance(player, dict):
        return Visitor(str(player["key"]), player["name"])
    account = accounts.get(player)
    return None if account is None or account.deleted else Visitor.of(account)


def _challenge(row: sa.Row[tuple[object, ...]], accounts: dict[str, Account]) -> Challenge | None:
    """Return a stored challenge, or None if it is not possible any more."""
    players = [_visitor(one, accounts) for one in json.loads(row.players)]
    to = None if row.to_account_id is None else accounts.get(row.to_account_id)
    present = [one for one in players if one is not None]
    if not present or present[0] is not players[0] or (row.to_account_id and to is None):
        return None
    try:
        request = ChallengeIn.model_validate_json(row.request)
        game, _ = load_setup(request.game, request.options, None)
    except (ValidationError, ApiError) as error:  # of another version, or of an uninstalled game
        log.warning("The challenge %s cannot be read: %s", row.id, error)
        return None
    return Challenge(
        id=row.id,
        request=request,
        game=game,
        players=tuple(present),
        rating=None,
        to=to,
        created=row.created,
    )


def players_text(challenge: Challenge) -> str:
    """Return who takes part, as it is stored."""
    return json.dumps(
        [
            {"key": one.key, "name": one.name} if one.account is None else one.account.id
            for one in challenge.players
        ]
    )


def insert(connection: sa.Connection, challenge: Challenge) -> None:
    """Store a challenge, in place of what is stored of it."""
    account = challenge.challenger.account
    values = {
        "id": challenge.id,
        "account_id": account and account.id,
        "to_account_id": challenge.to and challenge.to.id,
        "created": challenge.created,
        "request": challenge.request.model_dump_json(include=set(ChallengeIn.model_fields)),
        "players": players_text(challenge),
    }
    connection.execute(challenges.delete().where(challenges.c.id == challenge.id))
    connection.execute(challenges.insert().values(values))


def replace(connection: sa.Connection, before: Challenge, after: Challenge | None) -> bool:
    """Store who takes part by now, or that a challenge is gone.

    Return False, with nothing changed, unless what is stored is still what it was before.
    """
    current = (challenges.c.id == before.id) & (challenges.c.players == players_text(before))
    if after is None:
        return connection.execute(challenges.delete().where(current)).rowcount == 1
    changed = challenges.update().where(current).values(players=players_text(after))
    return connection.execute(changed).rowcount == 1


def export(connection: sa.Connection, account_id: str) -> list[dict[str, Any]]:
    """Return the open challenges of an account, for its export."""
    own = sa.select(challenges).where(challenges.c.account_id == account_id)
    return [
        {"id": row.id, "created": row.created, **json.loads(row.request)}
        for row in connection.execute(own)
    ]


def delete_account(connection: sa.Connection, deleted: DeletedAccount) -> None:
    """Delete the challenges of a departing account and those to it, and messages for it."""
    account_id = deleted.account_id
    own = (challenges.c.account_id == account_id) | (challenges.c.to_account_id == account_id)
    connection.execute(challenges.delete().where(own))
    for table in (shared_rows.messages, shared_rows.visitors):
        visitor = table.c.visitor == account_key(account_id)
        connection.execute(table.delete().where(visitor))
