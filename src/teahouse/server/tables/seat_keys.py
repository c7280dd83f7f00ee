"""Secrets that give access to seats. Only their hashes are stored."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest

from teahouse.server.web.errors import ApiError
from teahouse.session.events import Player
from teahouse.session.state import GameSession


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


@dataclass(frozen=True)
class Access:
    """What a client may play at a table: seats opened by secrets, and those of its account."""

    unlocked: frozenset[int] = frozenset()
    player: Player | None = None

    def seats(self, session: GameSession) -> frozenset[int]:
        """Return the seats that the client plays; a secret opens no seat of an account."""
        opened = {seat for seat in self.unlocked if session.seats[seat].account is None}
        return (
            session.seats_of(self.player.account).union(opened)
            if self.player
            else frozenset(opened)
        )

    def taken(self, session: GameSession) -> str | None:
        """Return why secrets open no seat, if others have taken them meanwhile."""
        owners = [session.seats[seat].name for seat in self.unlocked - self.seats(session)]
        if not owners:
            return None
        return f"This seat belongs to the account {owners[0]}. Sign in as {owners[0]} to play."
