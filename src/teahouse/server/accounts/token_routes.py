"""Tokens and bot accounts: their page and API, for people who are signed in by a browser.

A bot account belongs to a person, cannot sign in, and acts by its tokens only.
"""

from __future__ import annotations

from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Path, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from pydantic import Field

from teahouse.server.accounts import rows, tokens
from teahouse.server.accounts.confirmation import ConfirmedSession
from teahouse.server.accounts.deletion import AccountDeletion
from teahouse.server.accounts.identity import SignedIn, check_active
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import AccountName
from teahouse.server.accounts.open_sockets import open_sockets
from teahouse.server.accounts.routes import name_taken
from teahouse.server.accounts.tokens import SCOPES, ApiToken, Scope
from teahouse.server.tables.ids import new_id
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError

MAX_DAYS = 3_650
DAY = 86_400.0
NOT_YOURS = "There is no such bot account of yours."

router = APIRouter(responses=api.router.responses)
ShortId = Annotated[str, Path(pattern=r"^[a-z0-9]{10}$")]


class TokenIn(ms.StrictModel):
    """A token to create, for one's own account or for a bot account of one's own."""

    name: ms.Name
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=len(SCOPES))]
    days: Annotated[int, Field(ge=1, le=MAX_DAYS)] | None = None
    """Until it expires; never by default."""
    account: ms.TableId | None = None
    """The id of a bot account."""


class BotAccountIn(ms.StrictModel):
    """A bot account to create."""

    name: AccountName


@router.get("/account/tokens", include_in_schema=False)
async def tokens_page(request: Request) -> HTMLResponse:
    """Show the page of tokens and bot accounts; JavaScript fills it in."""
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, "account_tokens.html", {})


@router.get("/api/account/tokens")
async def list_tokens(account: SignedIn, registry: RegistryDep) -> dict[str, Any]:
    """Return the tokens and bot accounts of the account, without secrets."""

    def job(connection: sa.Connection) -> dict[str, Any]:
        return {
            "tokens": [one.body for one in tokens.tokens_of(connection, account.id)],
            "bots": [
                {
                    **bot.body,
                    "created": bot.created,
                    "tokens": [one.body for one in tokens.tokens_of(connection, bot.id)],
                }
                for bot in rows.owned_by(connection, account.id)
            ],
        }

    limits = {"max_bots": registry.settings.max_bot_accounts}
    return {**await registry.store.read(job), **limits, "scopes": list(SCOPES)}


@router.post("/api/account/tokens", status_code=201)
async def create_token(
    body: TokenIn,
    request: Request,
    account: SignedIn,
    session: ConfirmedSession,
    registry: RegistryDep,
) -> dict[str, Any]:
    """Create a token, which outlasts the session; it cannot be shown again."""
    check_active(request, account)
    store, limit = registry.store, registry.settings.max_tokens
    now, secret = store.now().wall, tokens.new_token()
    token = ApiToken(
        id=new_id(),
        account_id=body.account or account.id,
        name=body.name,
        scopes=frozenset(body.scopes),
        created=now,
        expires=None if body.days is None else now + body.days * DAY,
        used=None,
    )

    def job(connection: sa.Connection) -> bool:
        if body.account is not None:
            _owned(rows.get(connection, body.account), account)
        return tokens.add(connection, secret, token, limit)

    if not await store.write(job):
        message = f"This account has {limit} tokens already. Revoke one first."
        raise ApiError("at_capacity", message)
    return {**token.body, "token": secret}


@router.post("/api/account/tokens/{token_id}/revoke")
async def revoke_token(
    token_id: ShortId, request: Request, account: SignedIn, registry: RegistryDep
) -> dict[str, Any]:
    """Revoke a token of one's own, or of a bot account of one's own; its sockets are closed."""

    def job(connection: sa.Connection) -> bool:
        token = tokens.get(connection, token_id)
        holder = None if token is None else rows.get(connection, token.account_id)
        if holder is None or account.id not in (holder.id, holder.owner):
            return False
        tokens.delete(connection, token_id)
        return True

    if not await registry.store.write(job):
        raise ApiError("not_found", "You have no such token.")
    open_sockets(request).close([token_id])
    return {"revoked": token_id}


@router.post("/api/account/bots", status_code=201)
async def create_bot(
    body: BotAccountIn, request: Request, account: SignedIn, registry: RegistryDep
) -> dict[str, Any]:
    """Create a bot account."""
    check_active(request, account)
    limit = registry.settings.max_bot_accounts
    now = registry.store.now().wall
    bot = Account(new_id(), body.name, "bot", account.id, now, None, deleted=False)

    def job(connection: sa.Connection) -> None:
        if len(rows.owned_by(connection, account.id)) >= limit:
            raise ApiError("at_capacity", f"You have {limit} bot accounts already.")
        if not rows.add(connection, bot, None):
            raise name_taken()

    await registry.store.write(job)
    return {**bot.body, "created": now, "tokens": []}


@router.post("/api/account/bots/{bot_id}/delete")
async def delete_bot(
    bot_id: ShortId, request: Request, account: SignedIn, registry: RegistryDep
) -> dict[str, Any]:
    """Delete a bot account of one's own; its games keep an anonymous name."""
    found = await registry.store.read(lambda connection: rows.get(connection, bot_id))
    deletion: AccountDeletion = request.app.state.account_deletion
    await deletion.delete(_owned(found, account))
    return {"deleted": bot_id}


def _owned(bot: Account | None, owner: Account) -> Account:
    """Return a bot account; raise `ApiError` if it is not this person's."""
    if bot is None or bot.deleted or bot.owner != owner.id:
        raise ApiError("not_found", NOT_YOURS)
    return bot
