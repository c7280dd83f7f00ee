"""A software authenticator: makes passkeys and signs challenges as browsers and keys do."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import struct
from dataclasses import dataclass, field, replace
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

USER_PRESENT, USER_VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def encode(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Return the bytes of a text in base64url."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Passkey:
    """A discoverable credential (ES256) of one relying party."""

    rp_id: str
    user_handle: bytes
    counts: bool = True
    """Whether it counts signatures; synced passkeys leave their counter at zero."""
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    sign_count: int = 0

    def copy(self) -> Passkey:
        """Return a clone, with a counter of its own."""
        return replace(self)

    def assertion(self, options: dict[str, Any], origin: str, **changes: Any) -> dict[str, Any]:
        """Return the answer to a sign-in; `changes` forge parts of it (rp_id, challenge, flags)."""
        self.sign_count += self.counts
        data = authenticator_data(
            changes.get("rp_id", self.rp_id),
            changes.get("flags", USER_PRESENT | USER_VERIFIED),
            self.sign_count,
        )
        client_data = client_data_json(
            "webauthn.get", changes.get("challenge", options["challenge"]), origin
        )
        signed = data + hashlib.sha256(client_data).digest()
        return {
            "id": encode(self.id),
            "client_data": encode(client_data),
            "authenticator_data": encode(data),
            "signature": encode(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
            "user_handle": encode(self.user_handle),
        }


def create_passkey(
    options: dict[str, Any], origin: str, *, counts: bool = True, **changes: Any
) -> tuple[Passkey, dict[str, Any]]:
    """Return a new passkey and the answer that registers it; `changes` forge parts of it."""
    rp_id = changes.get("rp_id", options["rp"]["id"])
    passkey = Passkey(rp_id, decode(options["user"]["id"]), counts)
    numbers = passkey.key.public_key().public_numbers()
    cose = {
        1: 2,
        3: -7,
        -1: 1,
        -2: numbers.x.to_bytes(32, "big"),
        -3: numbers.y.to_bytes(32, "big"),
    }
    attested = bytes(16) + struct.pack(">H", len(passkey.id)) + passkey.id + cbor2.dumps(cose)
    flags = changes.get("flags", USER_PRESENT | USER_VERIFIED) | ATTESTED
    data = authenticator_data(rp_id, flags, passkey.sign_count) + attested
    client_data = client_data_json(
        "webauthn.create", changes.get("challenge", options["challenge"]), origin
    )
    answer = {
        "id": encode(passkey.id),
        "client_data": encode(client_data),
        "attestation": encode(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})),
    }
    return passkey, answer


def authenticator_data(rp_id: str, flags: int, sign_count: int) -> bytes:
    """Return the authenticator data that is signed."""
    return hashlib.sha256(rp_id.encode()).digest() + struct.pack(">BI", flags, sign_count)


def client_data_json(kind: str, challenge: str, origin: str) -> bytes:
    """Return the client data that a browser passes to an authenticator."""
    data = {"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}
    return json.dumps(data).encode()
