"""API tokens, with which programs act for an account within scopes.

A token is shown once; the database has only its hash. It is sent as `Authorization: Bearer th_…`,
never in an address, and never accepted for the account itself.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any, Literal, get_args

import sqlalchemy as sa
from starlette.requests import HTTPConnection

from teahouse.server.accounts import rows
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.open_sockets import remember_credential
from teahouse.server.storage.database import SCHEMA
from teahouse.server.storage.store import Store
from teahouse.server.tables.seat_keys import hash_secret
from teahouse.server.web import prices
from teahouse.server.web.errors import ApiError
from teahouse.server.web.limits import Limits

Scope = Literal["read", "play", "challenge", "tournament"]
"""What a token may be used for; a session may be used for everything."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
PREFIX = "th_"
"""Lets secret scanners recognise tokens."""
TOUCH_SECONDS = 60.0
"""How precisely the last use is stored."""
BEARER = "bearer "

api_tokens = sa.Table(
    "api_tokens",
    SCHEMA,
    sa.Column("token_hash", sa.String(64), primary_key=True),
    sa.Column("id", sa.String(10)),
    sa.Column("account_id", sa.String(10)),
    sa.Column("name", sa.String(40)),
    sa.Column("scopes", sa.String(80)),
    sa.Column("created", sa.Double),
    sa.Column("expires", sa.Double),
    sa.Column("used", sa.Double),
)
_COLUMNS = [column for column in api_tokens.c if column.name != "token_hash"]


@dataclass(frozen=True)
class ApiToken:
    """A token without its secret."""

    id: str
    account_id: str
    name: str
    scopes: frozenset[str]
    created: float
    expires: float | None
    used: float | None
    """When it was last used, to the minute."""

    @property
    def body(self) -> dict[str, Any]:
        """The token as its owner sees it."""
        return {
            "id": self.id,
            "name": self.name,
            "scopes": [scope for scope in SCOPES if scope in self.scopes],
            "created": self.created,
            "expires": self.expires,
            "used": self.used,
        }


def new_token() -> str:
    """Return a random token of 256 bits."""
    return PREFIX + secrets.token_urlsafe(32)


def bearer_token(connection: HTTPConnection) -> str | None:
    """Return the token of a request or socket; None without one.

    Other kinds of authorization, such as that of a proxy in front, do not concern the server.
    """
    header = connection.headers.get("authorization", "")
    kind, token = header[: len(BEARER)], header[len(BEARER) :]
    return token.strip() if kind.lower() == BEARER else None


async def token_account(connection: HTTPConnection, secret: str, scope: Scope) -> Account:
    """Return the account of a request or socket with a token.

    Raise `ApiError` if the token is unknown, expired or revoked, lacks the scope, or is used too
    much.
    """
    state = connection.app.state
    token, account = await _authenticate(state.registry.store, secret, scope)
    left = None if token.expires is None else token.expires - state.registry.store.now().wall
    remember_credential(connection, token.id, left, state.settings.max_sockets_per_token)
    if connection.scope["type"] == "websocket":
        units = prices.JOIN
    else:
        units = prices.price_of(connection.scope["method"], connection.url.path).units
    limits: Limits = state.limits
    await limits.charge_token(token.id, units)
    return account


async def _authenticate(store: Store, secret: str, scope: Scope) -> tuple[ApiToken, Account]:
    digest, now = hash_secret(secret), store.now().wall
    found = await store.read(lambda connection: _find(connection, digest))
    if found is None or (found[0].expires is not None and found[0].expires <= now):
        message = "This token is not valid: it may have expired or been revoked."
        raise ApiError("invalid_token", message)
    token, account = found
    if scope not in token.scopes:
        message = (
            f"This token lacks the scope {scope}; its scopes: {', '.join(sorted(token.scopes))}."
        )
        raise ApiError("missing_scope", message, sorted(token.scopes))
    if token.used is None or now - token.used >= TOUCH_SECONDS:
        await store.write(lambda connection: _touch(connection, token.id, now))
    return token, account


def _find(connection: sa.Connection, token_hash: str) -> tuple[ApiToken, Account] | None:
    wanted = sa.select(*_COLUMNS).where(api_tokens.c.token_hash == token_hash)
    row = connection.execute(wanted).one_or_none()
    account = row and rows.get(connection, row.account_id)
    return (_token(row), account) if account and not account.deleted else None


def _token(row: Any) -> ApiToken:
    values = row._asdict()
    return ApiToken(**{**values, "scopes": frozenset(values["scopes"].split())})


def _touch(connection: sa.Connection, token_id: str, now: float) -> None:
    same = api_tokens.c.id == token_id
    connection.execute(api_tokens.update().where(same).values(used=now))


def add(connection: sa.Connection, secret: str, token: ApiToken, limit: int) -> bool:
    """Store a token; return False if the account has as many as it may."""
    if len(tokens_of(connection, token.account_id)) >= limit:
        return False
    values = {
        **vars(token),
        "token_hash": hash_secret(secret),
        "scopes": " ".join(sorted(token.scopes)),
    }
    connection.execute(api_tokens.insert().values(values))
    return True


def tokens_of(connection: sa.Connection, account_id: str) -> list[ApiToken]:
    """Return the tokens of an account, the newest first."""
    wanted = sa.select(*_COLUMNS).where(api_tokens.c.account_id == account_id)
    rows_found = connection.execute(wanted.order_by(api_tokens.c.created.desc()))
    return [_token(row) for row in rows_found]


def get(connection: sa.Connection, token_id: str) -> ApiToken | None:
    """Return a token by its id."""
    row = connection.execute(sa.select(*_COLUMNS).where(api_tokens.c.id == token_id)).one_or_none()
    return None if row is None else _token(row)


def delete(connection: sa.Connection, token_id: str) -> None:
    """Revoke a token."""
    connection.execute(api_tokens.delete().where(api_tokens.c.id == token_id))
