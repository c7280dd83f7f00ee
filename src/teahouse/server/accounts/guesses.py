"""Verification of passwords and codes: rate-limited, and in constant time for unknown names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Request

from teahouse.server.accounts import rows, sessions
from teahouse.server.accounts.attempts import Attempts
from teahouse.server.accounts.identity import store_of
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import name_key
from teahouse.server.accounts.passwords import Passwords
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError

NOBODY = "-"
"""An id that no account has, looked up when a name is unknown."""


@asynccontextmanager
async def guess(request: Request, name: str, account: Account | None) -> AsyncIterator[None]:
    """Count an attempt for a name as failed, unless the block succeeds.

    Raise `RateLimitError` if there were too many. A browser in which the account has signed in
    before is counted separately.
    """
    attempts: Attempts = request.app.state.sign_in_attempts
    account_id = account.id if account else NOBODY
    known = await sessions.knows_device(request, store_of(request), account_id)
    key = name_key(name)
    keys = [("name", key), ("address", scope_client(request.scope))]
    if known:
        keys = [("device", f"{key}/{sessions.device_hash(request)}")]
    attempts.begin(keys)
    yield
    attempts.succeed(keys)


async def check_password_of(
    request: Request, name: str, account: Account | None, password: str, refusal: str
) -> Account:
    """Return the account; raise `ApiError` unless this is its password.

    An unknown name costs the same verification as a wrong password.
    """
    store = store_of(request)
    passwords: Passwords = request.app.state.passwords
    account_id = account.id if account else NOBODY
    async with guess(request, name, account):
        stored = await store.read(lambda connection: rows.password_hash(connection, account_id))
        verified = await passwords.verify(stored, password)
        if account is None or not verified.right or account.kind != "person":
            raise ApiError("sign_in_failed", refusal)
    if verified.new_hash is not None:
        values = {"password_hash": verified.new_hash}
        await store.write(lambda connection: rows.update(connection, account_id, values))
    return account
