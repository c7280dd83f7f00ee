"""Passkeys (WebAuthn): what browsers are asked for, and the verification of what they answer.

Nothing here reads or writes the database; `passkey_routes.py` does.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated, Any

import webauthn
from pydantic import Field
from starlette.requests import HTTPConnection
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, parse_client_data_json
from webauthn.helpers.structs import (
    AuthenticationCredential,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    RegistrationCredential,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from teahouse.server.web.errors import ApiError
from teahouse.server.web.messages import StrictModel

log = logging.getLogger("teahouse.server.accounts.passkeys")

RP_NAME = "Teahouse"
TIMEOUT_MS = 300_000

CredentialId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,1400}$")]
Base64Url = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]*$", max_length=20_000)]


class NewCredentialIn(StrictModel):
    """What `navigator.credentials.create` returned; binary fields are base64url."""

    id: CredentialId
    client_data: Base64Url
    attestation: Base64Url


class AssertionIn(StrictModel):
    """What `navigator.credentials.get` returned; binary fields are base64url."""

    id: CredentialId
    client_data: Base64Url
    authenticator_data: Base64Url
    signature: Base64Url
    user_handle: Base64Url | None = None


@dataclass(frozen=True)
class RelyingParty:
    """The host name for which passkeys are made, and the origin of its pages."""

    id: str
    origin: str


@dataclass(frozen=True)
class NewPasskey:
    """A verified new passkey."""

    id: str
    public_key: bytes
    sign_count: int
    synced: bool
    """Whether it is synchronised between devices by a password manager."""


def relying_party(request: HTTPConnection) -> RelyingParty:
    """Return the relying party of the address that the browser uses.

    The host was checked by `SecurityMiddleware`; a trusted proxy says whether it is https.
    """
    url = request.base_url
    name = url.hostname or ""
    try:
        ip_address(name)
    except ValueError:
        return RelyingParty(name, f"{url.scheme}://{url.netloc}")
    message = "Passkeys need a host name: open this server by its name, not by its IP address."
    raise ApiError("passkeys_unavailable", message)


def registration_options(
    party: RelyingParty, challenge: bytes, account_id: str, name: str, known: Iterable[str]
) -> dict[str, Any]:
    """Return the options of `navigator.credentials.create` for an account."""
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=RP_NAME,
        user_name=name,
        user_id=account_id.encode(),
        challenge=challenge,
        timeout=TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=_descriptors(known),
    )
    return webauthn.helpers.options_to_json_dict(options)


def authentication_options(
    party: RelyingParty, challenge: bytes, allowed: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the options of `navigator.credentials.get`; by default any passkey will do."""
    options = webauthn.generate_authentication_options(
        rp_id=party.id,
        challenge=challenge,
        timeout=TIMEOUT_MS,
        allow_credentials=_descriptors(allowed),
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return webauthn.helpers.options_to_json_dict(options)


def _descriptors(ids: Iterable[str]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(one)) for one in ids]


def challenge_of(answer: NewCredentialIn | AssertionIn) -> bytes:
    """Return the challenge in an answer's client data, before verification."""
    try:
        return parse_client_data_json(base64url_to_bytes(answer.client_data)).challenge
    except Exception:  # the library raises whatever its parsers do
        raise _invalid() from None


def handle_of(answer: AssertionIn) -> bytes | None:
    """Return the user handle of an assertion; None if the authenticator sends none."""
    try:
        return base64url_to_bytes(answer.user_handle) if answer.user_handle else None
    except ValueError:
        raise _invalid() from None


def verify_registration(
    answer: NewCredentialIn, party: RelyingParty, challenge: bytes
) -> NewPasskey:
    """Return a new passkey; raise `ApiError` if it was not made for this site and challenge."""
    try:
        verified = webauthn.verify_registration_response(
            credential=RegistrationCredential(
                id=answer.id,
                raw_id=base64url_to_bytes(answer.id),
                response=AuthenticatorAttestationResponse(
                    client_data_json=base64url_to_bytes(answer.client_data),
                    attestation_object=base64url_to_bytes(answer.attestation),
                ),
            ),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            require_user_verification=False,
        )
    except Exception as error:  # the library raises whatever its parsers do
        log.info("Registration of a passkey rejected: %s", error)
        raise _invalid() from None
    identifier = bytes_to_base64url(verified.credential_id)
    return NewPasskey(
        identifier,
        verified.credential_public_key,
        verified.sign_count,
        verified.credential_backed_up,
    )


def verify_assertion(
    answer: AssertionIn, party: RelyingParty, challenge: bytes, public_key: bytes
) -> int:
    """Return the authenticator's signature counter; raise `ApiError` if the answer is not valid.

    The counter is compared when it is stored, so that two answers at once cannot both pass.
    """
    try:
        verified = webauthn.verify_authentication_response(
            credential=AuthenticationCredential(
                id=answer.id,
                raw_id=base64url_to_bytes(answer.id),
                response=AuthenticatorAssertionResponse(
                    client_data_json=base64url_to_bytes(answer.client_data),
                    authenticator_data=base64url_to_bytes(answer.authenticator_data),
                    signature=base64url_to_bytes(answer.signature),
                ),
            ),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=public_key,
            credential_current_sign_count=0,
            require_user_verification=False,
        )
    except Exception as error:  # the library raises whatever its parsers do
        log.info("Passkey assertion rejected: %s", error)
        raise _invalid() from None
    return verified.new_sign_count


def _invalid() -> ApiError:
    message = "This passkey could not be verified. Please try again, or sign in another way."
    return ApiError("invalid_passkey", message)
