"""The HTTP API of passkeys: signing in, signing up, adding and removing them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from teahouse.server.accounts import passkey_rows, passkeys, rows, sessions
from teahouse.server.accounts.ceremony import Ceremony
from teahouse.server.accounts.confirmation import ConfirmedSession
from teahouse.server.accounts.identity import SignedIn, store_of
from teahouse.server.accounts.models import Account
from teahouse.server.accounts.names import AccountName
from teahouse.server.accounts.passkeys import AssertionIn, CredentialId, NewCredentialIn
from teahouse.server.accounts.routes import account_body, name_taken
from teahouse.server.accounts.sign_up_quota import SignUpQuota
from teahouse.server.tables.ids import new_id
from teahouse.server.web import api
from teahouse.server.web.client_address import scope_client
from teahouse.server.web.errors import ApiError
from teahouse.server.web.messages import Name, StrictModel

router = APIRouter(prefix="/api/account", responses=api.router.responses)


class AssertionBody(StrictModel):
    """The answer of an authenticator."""

    answer: AssertionIn


class NewPasskeyBody(StrictModel):
    """A new passkey, and what its owner calls it; by default as its browser and system."""

    name: Name | None = None
    answer: NewCredentialIn


class NewNameBody(StrictModel):
    """The name of an account that is going to be created."""

    name: AccountName


class PasskeyBody(StrictModel):
    """A passkey of one's own."""

    id: CredentialId


class RenamedPasskeyBody(PasskeyBody):
    """Another name for a passkey."""

    name: Name


@router.post("/sign-in/passkey/options")
async def sign_in_options(request: Request) -> Response:
    """Return what `navigator.credentials.get` needs to sign in with any passkey of this site."""
    ceremony = Ceremony(request, "sign_in")
    return ceremony.respond(passkeys.authentication_options(ceremony.party, ceremony.challenge()))


@router.post("/sign-in/passkey")
async def sign_in(body: AssertionBody, request: Request, response: Response) -> dict[str, Any]:
    """Sign in with a passkey."""
    ceremony = Ceremony(request, "sign_in")
    used = await ceremony.used_passkey(body.answer, ceremony.redeem(body.answer))
    store = store_of(request)
    account = await store.read(lambda connection: rows.get(connection, used.account_id))
    if account is None or account.deleted:
        raise ApiError("invalid_passkey", "No account here has this passkey.")
    await sessions.start(request, response, store, account.id)
    return account_body(account)


@router.post("/sign-up/passkey/options")
async def sign_up_options(body: NewNameBody, request: Request) -> Response:
    """Return what `navigator.credentials.create` needs for a new account."""
    ceremony = Ceremony(request, "sign_up")
    quota: SignUpQuota = request.app.state.sign_up_quota
    quota.check(scope_client(request.scope))
    if await store_of(request).read(lambda connection: rows.is_taken(connection, body.name)):
        raise name_taken()
    account_id = new_id()
    challenge = ceremony.challenge(account_id, body.name)
    return ceremony.respond(
        passkeys.registration_options(ceremony.party, challenge, account_id, body.name, [])
    )


@router.post("/sign-up/passkey", status_code=201)
async def sign_up(body: NewPasskeyBody, request: Request, response: Response) -> dict[str, Any]:
    """Create an account without a password, and sign in."""
    ceremony = Ceremony(request, "sign_up")
    challenge = ceremony.redeem(body.answer)
    new = await ceremony.new_passkey(body.answer, challenge)
    store, label = store_of(request), _label(request, body)
    now = store.now().wall
    assert challenge.account is not None and challenge.name is not None, "a sign-up has both"
    account = Account(challenge.account, challenge.name, "person", None, now, None, deleted=False)

    def job(connection: Any) -> bool:
        if passkey_rows.find(connection, new.id) is not None:
            return False
        return rows.add(connection, account, None) and passkey_rows.add(
            connection, account.id, ceremony.party.id, label, new, now
        )

    quota: SignUpQuota = request.app.state.sign_up_quota
    quota.add(scope_client(request.scope))
    if not await store.write(job):
        raise name_taken()
    await sessions.start(request, response, store, account.id)
    return account_body(account)


def _label(request: Request, body: NewPasskeyBody) -> str:
    return body.name or sessions.describe_browser(request.headers.get("user-agent", ""))


@router.post("/passkeys/options")
async def new_passkey_options(
    request: Request, account: SignedIn, session: ConfirmedSession
) -> Response:
    """Return what `navigator.credentials.create` needs to add a passkey."""
    ceremony = Ceremony(request, "add")
    own = await store_of(request).read(
        lambda connection: passkey_rows.passkeys_of(connection, account.id)
    )
    challenge = ceremony.challenge(account.id)
    known = [one.id for one in own if one.rp_id == ceremony.party.id]
    options = passkeys.registration_options(
        ceremony.party, challenge, account.id, account.name, known
    )
    return ceremony.respond(options)


@router.post("/passkeys", status_code=201)
async def add_passkey(
    body: NewPasskeyBody, request: Request, session: ConfirmedSession
) -> dict[str, Any]:
    """Add a passkey to one's account."""
    ceremony = Ceremony(request, "add")
    challenge = ceremony.redeem(body.answer)
    if challenge.account != session.account_id:
        raise ApiError("invalid_passkey", "This passkey was made for another account.")
    new = await ceremony.new_passkey(body.answer, challenge)
    store, party = store_of(request), ceremony.party
    now = store.now().wall
    label = _label(request, body)
    if not await store.write(
        lambda connection: passkey_rows.add(
            connection, session.account_id, party.id, label, new, now
        )
    ):
        limit = passkey_rows.MAX_PASSKEYS
        message = f"This passkey is known already, or you have too many (limit {limit})."
        raise ApiError("invalid_passkey", message)
    return {"id": new.id}


@router.post("/passkeys/rename")
async def rename_passkey(
    body: RenamedPasskeyBody, request: Request, account: SignedIn
) -> dict[str, Any]:
    """Rename a passkey."""
    if not await store_of(request).write(
        lambda connection: passkey_rows.rename(connection, account.id, body.id, body.name)
    ):
        raise ApiError("not_found", "You have no such passkey.")
    return {"id": body.id}


@router.post("/passkeys/remove")
async def remove_passkey(
    body: PasskeyBody, request: Request, session: ConfirmedSession
) -> dict[str, Any]:
    """Remove a passkey, unless it is the only way to sign in."""

    def job(connection: Any) -> str:
        own = passkey_rows.passkeys_of(connection, session.account_id)
        if body.id not in [one.id for one in own]:
            return "unknown"
        if len(own) == 1 and rows.password_hash(connection, session.account_id) is None:
            return "last"
        passkey_rows.remove(connection, session.account_id, body.id)
        return "removed"

    outcome = await store_of(request).write(job)
    if outcome == "unknown":
        raise ApiError("not_found", "You have no such passkey.")
    if outcome == "last":
        message = "This is your only way to sign in. Set a password or add another passkey first."
        raise ApiError("last_credential", message)
    return {"id": body.id}
