"""The HTTP API of the tab Security: confirmation, password, recovery codes and sessions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from teahouse.server.accounts import passkey_rows, passkeys, recovery, rows, sessions
from teahouse.server.accounts.ceremony import Ceremony
from teahouse.server.accounts.confirmation import ConfirmedSession, confirmations_of
from teahouse.server.accounts.guesses import NOBODY, check_password_of, guess
from teahouse.server.accounts.identity import CurrentSession, SignedIn, store_of
from teahouse.server.accounts.open_sockets import open_sockets
from teahouse.server.accounts.passkey_routes import AssertionBody
from teahouse.server.accounts.passwords import Passwords, PasswordText, check_password
from teahouse.server.accounts.routes import account_body
from teahouse.server.web import api
from teahouse.server.web.errors import ApiError
from teahouse.server.web.messages import MAX_NAME, StrictModel

NOT_YOURS = "This is not your password."
WRONG_CODE = "The name or the recovery code is not right. Each code can be used once."

router = APIRouter(prefix="/api/account", responses=api.router.responses)


class PasswordBody(StrictModel):
    """A password."""

    password: PasswordText


class RecoveryBody(StrictModel):
    """A name as it was typed, and a recovery code."""

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    code: Annotated[str, Field(min_length=1, max_length=100)]


class SessionBody(StrictModel):
    """A session of one's own."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9]{10}$")]


@router.get("/security")
async def security(request: Request, account: SignedIn, session: CurrentSession) -> dict[str, Any]:
    """Return how one signs in, and where one is signed in."""

    def job(connection: Any) -> dict[str, Any]:
        return {
            "password": rows.password_hash(connection, account.id) is not None,
            "passkeys": [one.body for one in passkey_rows.passkeys_of(connection, account.id)],
            "recovery_codes": recovery.count_codes(connection, account.id),
            "sessions": [
                {
                    "id": one.id,
                    "browser": one.browser,
                    "created": one.created,
                    "used": one.used,
                    "current": one.id == session.id,
                }
                for one in rows.sessions_of(connection, account.id)
            ],
        }

    return await store_of(request).read(job)


# Confirmation.


@router.post("/confirm")
async def confirm(
    body: PasswordBody, request: Request, account: SignedIn, session: CurrentSession
) -> dict[str, Any]:
    """Confirm one's identity with the password."""
    await check_password_of(request, account.name, account, body.password, NOT_YOURS)
    confirmations_of(request).add(session.id)
    return {"confirmed": True}


@router.post("/confirm/passkey/options")
async def confirm_options(request: Request, account: SignedIn) -> Response:
    """Return what `navigator.credentials.get` needs to confirm one's identity."""
    ceremony = Ceremony(request, "confirm")
    own = await store_of(request).read(
        lambda connection: passkey_rows.passkeys_of(connection, account.id)
    )
    allowed = [one.id for one in own if one.rp_id == ceremony.party.id]
    challenge = ceremony.challenge(account.id)
    return ceremony.respond(passkeys.authentication_options(ceremony.party, challenge, allowed))


@router.post("/confirm/passkey")
async def confirm_with_passkey(
    body: AssertionBody, request: Request, account: SignedIn, session: CurrentSession
) -> dict[str, Any]:
    """Confirm one's identity with a passkey."""
    ceremony = Ceremony(request, "confirm")
    challenge = ceremony.redeem(body.answer)
    used = await ceremony.used_passkey(body.answer, challenge)
    if {challenge.account, used.account_id} != {account.id}:
        raise ApiError("invalid_passkey", "This passkey belongs to another account.")
    confirmations_of(request).add(session.id)
    return {"confirmed": True}


# Passwords and recovery codes.


@router.post("/password")
async def set_password(
    body: PasswordBody,
    request: Request,
    response: Response,
    account: SignedIn,
    session: ConfirmedSession,
) -> dict[str, Any]:
    """Set a password, or another one; all other sessions end."""
    check_password(body.password, account.name)
    passwords: Passwords = request.app.state.passwords
    hashed = await passwords.hash(body.password)
    store = store_of(request)
    await store.write(
        lambda connection: rows.update(connection, account.id, {"password_hash": hashed})
    )
    await _revoke(request, account.id)  # this one is renewed
    await sessions.start(request, response, store, account.id)
    return {"password": True}


@router.post("/password/remove")
async def remove_password(request: Request, session: ConfirmedSession) -> dict[str, Any]:
    """Remove the password, where one can sign in with a passkey."""

    def job(connection: Any) -> bool:
        if not passkey_rows.passkeys_of(connection, session.account_id):
            return False
        rows.update(connection, session.account_id, {"password_hash": None})
        return True

    if not await store_of(request).write(job):
        message = "Your password is your only way to sign in. Add a passkey first."
        raise ApiError("last_credential", message)
    return {"password": False}


@router.post("/recovery-codes")
async def make_codes(request: Request, session: ConfirmedSession) -> dict[str, Any]:
    """Return new recovery codes; earlier ones are no longer valid."""
    codes, store = recovery.new_codes(), store_of(request)
    now = store.now().wall
    await store.write(
        lambda connection: recovery.replace_codes(connection, session.account_id, codes, now)
    )
    return {"codes": codes}


@router.post("/sign-in/recovery")
async def sign_in(body: RecoveryBody, request: Request, response: Response) -> dict[str, Any]:
    """Sign in with a recovery code, which is used up."""
    store = store_of(request)
    account = await store.read(lambda connection: rows.by_name(connection, body.name))
    account_id = account.id if account else NOBODY
    async with guess(request, body.name, account):
        used = await store.write(
            lambda connection: recovery.use_code(connection, account_id, body.code)
        )
        if account is None or not used:
            raise ApiError("sign_in_failed", WRONG_CODE)
    await sessions.start(request, response, store, account.id)
    return account_body(account)


# Sessions.


@router.post("/sessions/revoke")
async def revoke_session(body: SessionBody, request: Request, account: SignedIn) -> dict[str, Any]:
    """End a session, on this device or another one."""
    if not await _revoke(request, account.id, [body.id]):
        raise ApiError("not_found", "You have no such session.")
    return {"revoked": 1}


@router.post("/sessions/revoke-others")
async def revoke_others(
    request: Request, account: SignedIn, session: CurrentSession
) -> dict[str, Any]:
    """End all sessions but this one."""
    return {"revoked": await _revoke(request, account.id, keep=session.id)}


async def _revoke(
    request: Request, account_id: str, ids: list[str] | None = None, keep: str = ""
) -> int:
    """End sessions of an account, by default all but one, and close their sockets."""

    def job(connection: Any) -> list[str]:
        ended = [
            one.id
            for one in rows.sessions_of(connection, account_id)
            if one.id != keep and (ids is None or one.id in ids)
        ]
        rows.delete_sessions(connection, account_id, ended)
        return ended

    ended = await store_of(request).write(job)
    open_sockets(request).close(ended)
    return len(ended)
