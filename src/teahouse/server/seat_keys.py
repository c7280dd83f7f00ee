"""Secrets that give access to seats. Only their hashes are stored."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from hashlib import sha256
from hmac import compare_digest

from teahouse.server.errors import ApiError


def new_secret() -> str:
    """Return a random secret of 128 bits."""
    return secrets.token_urlsafe(16)


def hash_secret(secret: str) -> str:
    """Return the hash of a secret; unsalted, since 128 random bits cannot be guessed."""
    return sha256(secret.encode()).hexdigest()


def unlocked_seats(key_hashes: Sequence[str | None], given: Iterable[str]) -> frozenset[int]:
    """Return the seats that secrets give access to; raise `ApiError` if one fits none."""
    seats: set[int] = set()
    for secret in given:
        digest = hash_secret(secret)
        unlocked = {
            seat for seat, key in enumerate(key_hashes) if compare_digest(key or "", digest)
        }
        if not unlocked:
            raise ApiError("invalid_secret", "This seat link is not valid for this game.")
        seats |= unlocked
    return frozenset(seats)
