"""The rows of challenges that stay open while their challenger is away."""

from __future__ import annotations

import json
import logging
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.anonymous import Departure
from teahouse.server.accounts.models import Account
from teahouse.server.database import SCHEMA
from teahouse.server.errors import ApiError
from teahouse.server.lobby.messages import ChallengeIn
from teahouse.server.lobby.models import Challenge, Visitor
from teahouse.server.setup import load_setup
from teahouse.server.store import Store

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


async def load(store: Store) -> list[Challenge]:
    """Return the stored challenges, the oldest first."""

    def job(connection: sa.Connection) -> list[Challenge]:
        found = connection.execute(sa.select(challenges).order_by(challenges.c.created)).all()
        ids = {one for row in found for one in (row.to_account_id, *json.loads(row.players)) if one}
        accounts = account_rows.get_many(connection, ids)
        loaded = (_challenge(row, accounts) for row in found)
        return [one for one in loaded if one is not None]

    return await store.read(job)


def _challenge(row: sa.Row[tuple[object, ...]], accounts: dict[str, Account]) -> Challenge | None:
    """Return a stored challenge, or None if it is not possible any more."""
    players = [accounts.get(one) for one in json.loads(row.players)]
    to = None if row.to_account_id is None else accounts.get(row.to_account_id)
    present = [one for one in players if one is not None and not one.deleted]
    if not present or present[0] is not players[0] or (row.to_account_id and to is None):
        return None
    try:
        request = ChallengeIn.model_validate_json(row.request)
        game, _ = load_setup(request.game, request.options, None)
    except (ValidationError, ApiError) as error:  # of another version, or of a game that is gone
        log.warning("The challenge %s cannot be read: %s", row.id, error)
        return None
    return Challenge(
        id=row.id,
        request=request,
        game=game,
        players=tuple(Visitor.of(one) for one in present),
        rating=None,
        to=to,
        created=row.created,
    )


async def save(store: Store, challenge: Challenge) -> None:
    """Store a challenge, or who takes part in it by now."""
    players = [one.account.id for one in challenge.players if one.account is not None]
    values = {
        "id": challenge.id,
        "account_id": players[0],
        "to_account_id": challenge.to and challenge.to.id,
        "created": challenge.created,
        "request": challenge.request.model_dump_json(include=set(ChallengeIn.model_fields)),
        "players": json.dumps(players),
    }

    def job(connection: sa.Connection) -> None:
        connection.execute(challenges.delete().where(challenges.c.id == challenge.id))
        connection.execute(challenges.insert().values(values))

    await store.write(job)


async def remove(store: Store, challenge_id: str) -> None:
    """Delete a challenge."""

    def job(connection: sa.Connection) -> None:
        connection.execute(challenges.delete().where(challenges.c.id == challenge_id))

    await store.write(job)


def export(connection: sa.Connection, account_id: str) -> list[dict[str, Any]]:
    """Return the open challenges of an account, for its export."""
    own = sa.select(challenges).where(challenges.c.account_id == account_id)
    return [
        {"id": row.id, "created": row.created, **json.loads(row.request)}
        for row in connection.execute(own)
    ]


def forget(connection: sa.Connection, departure: Departure) -> None:
    """Delete the challenges of a departing account and those to it."""
    account_id = departure.account_id
    own = (challenges.c.account_id == account_id) | (challenges.c.to_account_id == account_id)
    connection.execute(challenges.delete().where(own))
