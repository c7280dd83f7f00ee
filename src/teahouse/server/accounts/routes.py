"""The HTTP API of sign-up, sign-in, sign-out, and the data of a browser."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field, JsonValue
from sqlalchemy import Connection

from teahouse.server.accounts import data_rows, rows, sessions
from teahouse.server.accounts.guesses import check_password_of
from teahouse.server.accounts.identity import AccountDep, SignedIn, store_of
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import AccountName
from teahouse.server.accounts.passwords import Passwords, PasswordText, check_password
from teahouse.server.accounts.sign_up_quota import SignUpQuota
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.seat_keys import unlocked_seats
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import from_json, to_json
from teahouse.session import commands

WRONG = "The name or the password is not right."

OVERLAP_SECONDS = 10.0
"""Overlap in seconds: a write may reach the disk later than its time says."""

router = APIRouter(prefix="/api/account", responses=api.router.responses)
DataName = Literal[
    "engine", "flipped", "lessons", "level", "preferences", "puzzles", "records", "studies"
]


class SignUpIn(ms.StrictModel):
    """A new account."""

    name: AccountName
    password: PasswordText


class SignInIn(ms.StrictModel):
    """A name as it was typed, and its password."""

    name: Annotated[str, Field(min_length=1, max_length=ms.MAX_NAME)]
    password: PasswordText


class ClaimIn(ms.StrictModel):
    """Tables of a guest, with the secrets of their seats."""

    tables: Annotated[list[ms.TableStatusIn], Field(max_length=200)]


class DataIn(ms.StrictModel):
    """Values that a browser has written, and the time of the last answer it got."""

    changed: Annotated[dict[DataName, JsonValue], Field(default_factory=dict)]
    since: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 0.0


def account_body(account: Account | None) -> dict[str, Any]:
    """Return the account that is signed in, as it sees itself."""
    if account is None:
        return {"account": None}
    return {
        "account": {
            **account.body,
            "created": account.created,
            "suspended_until": account.suspended_until,
            "suspension": account.suspended_until and account.suspension_text,
            "role": account.role,
        }
    }


@router.get("")
async def current(account: AccountDep) -> dict[str, Any]:
    """Return who is signed in, or null."""
    return account_body(account)


@router.post("/sign-up", status_code=201)
async def sign_up(body: SignUpIn, request: Request, response: Response) -> dict[str, Any]:
    """Create an account with a password, and sign in."""
    quota: SignUpQuota = request.app.state.sign_up_quota
    address, store = scope_client(request.scope), store_of(request)
    check_password(body.password, body.name)
    quota.check(address)
    taken = await store.read(lambda connection: rows.is_taken(connection, body.name))
    if taken:
        raise name_taken()
    passwords: Passwords = request.app.state.passwords
    hashed = await passwords.hash(body.password)
    quota.add(address)
    account = Account(new_id(), body.name, "person", None, store.now().wall, None, deleted=False)
    if not await store.write(lambda connection: rows.add(connection, account, hashed)):
        raise name_taken()
    await sessions.start(request, response, store, account.id)
    return account_body(account)


def name_taken() -> ApiError:
    """Return the error for a name that another account has."""
    message = "This name, or one that looks like it, is taken. Please choose another one."
    return ApiError("name_taken", message)


@router.post("/sign-in")
async def sign_in(body: SignInIn, request: Request, response: Response) -> dict[str, Any]:
    """Sign in with a password; an unknown name is answered as a wrong password is."""
    store = store_of(request)
    account = await store.read(lambda connection: rows.by_name(connection, body.name))
    account = await check_password_of(request, body.name, account, body.password, WRONG)
    await sessions.start(request, response, store, account.id)
    return account_body(account)


@router.post("/sign-out")
async def sign_out(request: Request, response: Response) -> dict[str, Any]:
    """Sign out in this browser."""
    await sessions.end(request, response, store_of(request))
    return account_body(None)


@router.post("/claim")
async def claim(body: ClaimIn, account: SignedIn, registry: RegistryDep) -> dict[str, Any]:
    """Claim the guest seats of a browser for the account; return their tables."""
    stored = await registry.store.stored_tables([one.id for one in body.tables])
    claimed: list[str] = []
    for one in body.tables:
        if one.id not in stored or not one.secrets:
            continue
        try:
            seats = unlocked_seats(stored[one.id].key_hashes, one.secrets)
            room = await registry.room(one.id)
            await room.update(partial(commands.claim, seats=seats, player=account.player))
        except ApiError:  # a secret of another server, or a game that cannot be loaded
            continue
        if any(seat.account == account.id for seat in room.session.seats):
            claimed.append(one.id)
    return {"claimed": claimed}


@router.post("/data")
async def synchronise(body: DataIn, account: SignedIn, registry: RegistryDep) -> Response:
    """Store what a browser has written; return what was written since a time on any device.

    The last write wins, whatever the clocks of browsers say.
    """
    store = registry.store
    now = store.now().wall
    try:
        values: dict[str, str] = {name: to_json(value) for name, value in body.changed.items()}
    except TypeError:
        message = "This cannot be stored: integers are limited to 64 bits, and nesting is limited."
        raise ApiError("invalid", message) from None

    def save(connection: Connection) -> bool:
        return data_rows.save(connection, account.id, values, now)

    if values and not await store.write(save):
        limit = data_rows.MAX_BYTES
        raise ApiError("too_large", f"Your account has too much data (limit {limit:,} bytes).")
    since = body.since - OVERLAP_SECONDS
    newer = await store.read(lambda connection: data_rows.entries_of(connection, account.id, since))
    data = {name: from_json(text) for name, text in newer.items()}
    return Response(to_json({"data": data, "time": now}), media_type="application/json")
