"""Blocked and muted players: blocking prevents games and hides challenges and chat."""

from __future__ import annotations

from typing import Any, Literal

import sqlalchemy as sa
from fastapi import APIRouter, Request

from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.identity import SignedIn
from teahouse.server.moderation import rows
from teahouse.server.moderation.moderator import Moderator
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError

MAX_RELATIONS = 500

router = APIRouter(prefix="/api/account/relations", responses=api.router.responses)


class RelationIn(ms.StrictModel):
    """A player to block, to mute, or to do neither any more."""

    account: ms.Name
    relation: Literal["block", "mute", "none"]


def _body(connection: sa.Connection, account_id: str) -> dict[str, Any]:
    relations = rows.relations_of(connection, account_id)
    found = account_rows.get_many(connection, relations)
    return {
        kind: [found[one].body for one, relation in relations.items() if relation == name]
        for kind, name in (("blocked", "block"), ("muted", "mute"))
    }


@router.get("")
async def relations(account: SignedIn, registry: RegistryDep) -> dict[str, Any]:
    """Return the blocked and muted players of the account."""
    return await registry.store.read(lambda connection: _body(connection, account.id))


@router.post("")
async def relate(
    body: RelationIn, request: Request, account: SignedIn, registry: RegistryDep
) -> dict[str, Any]:
    """Block or mute a player, or neither; return all blocked and muted players."""
    now = registry.store.now().wall

    def job(connection: sa.Connection) -> bool:
        other = account_rows.by_name(connection, body.account)
        if other is None:
            raise ApiError("not_found", "There is no account with this name.")
        if other.id == account.id:
            raise ApiError("invalid", "You cannot block or mute yourself.")
        before = rows.relations_of(connection, account.id)
        if len(before) >= MAX_RELATIONS and other.id not in before:
            message = f"You have blocked or muted {MAX_RELATIONS} players, which is the limit."
            raise ApiError("at_capacity", message)
        relation = None if body.relation == "none" else body.relation
        rows.set_relation(connection, account.id, other.id, relation, now)
        return "block" in (before.get(other.id), relation)

    if await registry.store.write(job):
        moderator: Moderator = request.app.state.moderator
        moderator.refresh_lobby(account.id)  # the other account is not notified
    return await registry.store.read(lambda connection: _body(connection, account.id))
