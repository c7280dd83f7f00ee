"""Authentication of requests: the account of a session cookie or of a token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from starlette.requests import HTTPConnection

from teahouse.server.accounts import sessions
from teahouse.server.accounts.models import Account, AccountSession
from teahouse.server.accounts.open_sockets import remember_credential
from teahouse.server.accounts.tokens import Scope, bearer_token, token_account
from teahouse.server.storage.store import Store
from teahouse.server.web.errors import ApiError

SIGN_IN = "Please sign in first."


def store_of(connection: HTTPConnection) -> Store:
    """Return the database of the application."""
    store: Store = connection.app.state.registry.store
    return store


async def account_of(connection: HTTPConnection, scope: Scope) -> Account | None:
    """Return the account of a request or a socket; None for a guest.

    Raise `ApiError` if its token is invalid or lacks the scope. A session that has expired is a
    guest's, as is one that was revoked.
    """
    token = bearer_token(connection)
    if token is not None:
        return await token_account(connection, token, scope)
    found = await _session(connection)
    return found and found[1]


async def _session(connection: HTTPConnection) -> tuple[AccountSession, Account] | None:
    token = sessions.session_token(connection)
    found = None if token is None else await sessions.find(store_of(connection), token)
    if found is not None:
        remember_credential(connection, found[0].id)
    return found


def check_active(connection: HTTPConnection, account: Account) -> Account:
    """Return the account; raise `ApiError` if it is suspended."""
    if account.suspended(store_of(connection).now().wall):
        raise ApiError("suspended", account.suspension_text)
    return account


async def _reader(request: Request) -> Account | None:
    return await account_of(request, "read")


async def _current_session(request: Request) -> AccountSession:
    found = await _session(request)
    if found is None:
        raise ApiError("sign_in_required", SIGN_IN)
    return found[0]


async def _signed_in(request: Request) -> Account:
    found = await _session(request)
    if found is None:
        raise ApiError("sign_in_required", SIGN_IN)
    return found[1]


async def _challenger(request: Request) -> Account | None:
    account = await account_of(request, "challenge")
    return account and check_active(request, account)


def allowed(scope: Scope) -> Callable[[Request], Awaitable[Account]]:
    """Return a dependency: the account of a session, or of a token with this scope.

    It raises `ApiError` for guests, and where the scope is to change something, for suspended
    accounts.
    """

    async def dependency(request: Request) -> Account:
        account = await account_of(request, scope)
        if account is None:
            raise ApiError("sign_in_required", SIGN_IN)
        return account if scope == "read" else check_active(request, account)

    return dependency


AccountDep = Annotated[Account | None, Depends(_reader)]
"""Who is signed in, by cookie or token; None for a guest."""
Challenger = Annotated[Account | None, Depends(_challenger)]
"""Who creates a game; None for a guest. A suspended account may not."""
SignedIn = Annotated[Account, Depends(_signed_in)]
"""Who is signed in by cookie: for what a token may never do."""
CurrentSession = Annotated[AccountSession, Depends(_current_session)]
"""The session of a request that is signed in by cookie."""
