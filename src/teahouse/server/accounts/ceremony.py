"""A passkey ceremony over HTTP: its challenge is bound to the browser that requested it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from teahouse.server.accounts import passkey_rows, passkeys, sessions
from teahouse.server.accounts.challenges import LIFETIME, Challenge, Challenges, Purpose
from teahouse.server.accounts.identity import store_of
from teahouse.server.accounts.passkey_rows import StoredPasskey
from teahouse.server.accounts.passkeys import AssertionIn, NewCredentialIn, NewPasskey
from teahouse.server.web.errors import ApiError

log = logging.getLogger("teahouse.server.accounts.ceremony")

COOKIE = "teahouse_ceremony"


def _challenges(request: Request) -> Challenges:
    challenges: Challenges = request.app.state.challenges
    return challenges


class Ceremony:
    """One step of a ceremony: issues a challenge, or redeems the one that was answered."""

    def __init__(self, request: Request, purpose: Purpose) -> None:
        self._request = request
        self._purpose = purpose
        self.party = passkeys.relying_party(request)
        self._cookie = sessions.cookie_name(request, COOKIE)
        self._browser = request.cookies.get(self._cookie) or secrets.token_urlsafe(16)

    def challenge(self, account_id: str | None = None, name: str | None = None) -> bytes:
        """Return a new challenge, for an account where it is known."""
        return _challenges(self._request).issue(self._browser, self._purpose, account_id, name)

    def respond(self, options: dict[str, Any]) -> Response:
        """Return the options for the browser; a cookie binds them to it."""
        response = JSONResponse(options)
        attributes = sessions.cookie_attributes(self._request)
        response.set_cookie(self._cookie, self._browser, max_age=int(LIFETIME), **attributes)
        return response

    def redeem(self, answer: NewCredentialIn | AssertionIn) -> Challenge:
        """Return the challenge that was answered; it is used up."""
        given = self._request.cookies.get(self._cookie)
        value = passkeys.challenge_of(answer)
        return _challenges(self._request).redeem(value, given, self._purpose)

    async def new_passkey(self, answer: NewCredentialIn, challenge: Challenge) -> NewPasskey:
        """Return the verified new passkey of an answer."""
        return await asyncio.to_thread(
            passkeys.verify_registration, answer, self.party, challenge.value
        )

    async def used_passkey(self, answer: AssertionIn, challenge: Challenge) -> StoredPasskey:
        """Return the passkey that has signed; raise `ApiError` if it is unknown or cloned."""
        store = store_of(self._request)
        known = await store.read(lambda connection: passkey_rows.find(connection, answer.id))
        if known is None or passkeys.handle_of(answer) not in (None, known.account_id.encode()):
            raise ApiError("invalid_passkey", "No account here has this passkey.")
        count = await asyncio.to_thread(
            passkeys.verify_assertion, answer, self.party, challenge.value, known.public_key
        )
        now = store.now().wall
        if not await store.write(
            lambda connection: passkey_rows.update_sign_count(connection, known.id, count, now)
        ):
            log.warning("Rejected a cloned passkey of account %s.", known.account_id)
            message = "This passkey was refused: a copy of it was used elsewhere. Sign in another "
            raise ApiError("cloned_passkey", f"{message}way, and remove it from your account.")
        return known
