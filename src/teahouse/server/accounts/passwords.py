"""Passwords: Argon2id in a few threads, and which passwords are too easily guessed."""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from pydantic import Field

from teahouse.server.accounts.common_passwords import too_common
from teahouse.server.web.errors import ApiError

MIN_LENGTH = 8
MAX_LENGTH = 256
HASHERS = 2
"""Passwords that are hashed at once; each takes a core and memory."""
MAX_WAITING = 64
TIME_COST = 3
"""Passes over the memory: with 64 MB the second recommendation of RFC 9106."""

PasswordText = Annotated[str, Field(min_length=1, max_length=MAX_LENGTH)]


@dataclass(frozen=True)
class Verification:
    """Whether a password is right, and its hash by today's parameters if the stored one is old."""

    right: bool
    new_hash: str | None = None


class Passwords:
    """Hashes and verifies passwords outside of the event loop."""

    def __init__(self, memory: int) -> None:
        """Take the megabytes of memory that a hash needs."""
        self._hasher = PasswordHasher(
            time_cost=TIME_COST, memory_cost=memory * 1_024, parallelism=1
        )
        self._threads = ThreadPoolExecutor(HASHERS, "passwords")
        self._waiting = 0
        salt, digest = (
            b64encode(secrets.token_bytes(size)).decode().rstrip("=") for size in (16, 32)
        )
        self._dummy = f"$argon2id$v=19$m={memory * 1_024},t={TIME_COST},p=1${salt}${digest}"
        self.verifications = 0
        """The number of all verifications, with a stored hash or the dummy."""

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(cancel_futures=True)

    async def hash(self, password: str) -> str:
        """Return the hash of a password, with its salt and parameters."""
        return await self._run(password, None)

    async def verify(self, stored: str | None, password: str) -> Verification:
        """Compare a password with a stored hash.

        Without one, a dummy is compared: the answer takes as long as for a wrong password.
        """
        self.verifications += 1
        right = await self._run(password, stored or self._dummy) == "right"
        if stored is None or not right:
            return Verification(right=False)
        stale = self._hasher.check_needs_rehash(stored)
        return Verification(right=True, new_hash=await self.hash(password) if stale else None)

    async def _run(self, password: str, stored: str | None) -> str:
        if self._waiting >= MAX_WAITING:
            raise ApiError("busy", "Too many people are signing in. Please try again in a moment.")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, self._work, password, stored)
        finally:
            self._waiting -= 1

    def _work(self, password: str, stored: str | None) -> str:
        password = normalized(password)
        if stored is None:
            return self._hasher.hash(password)
        try:
            self._hasher.verify(stored, password)
        except (Argon2Error, InvalidHashError):
            return "wrong"
        return "right"


def normalized(password: str) -> str:
    """Return a password as it is hashed: keyboards compose the same letters differently."""
    return unicodedata.normalize("NFKC", password)


def check_password(password: str, name: str) -> None:
    """Raise `ApiError` if a password is too short or too easily guessed for a name."""
    if len(normalized(password)) < MIN_LENGTH:
        raise ApiError("invalid", f"Please choose a password of at least {MIN_LENGTH} characters.")
    reason = too_common(normalized(password), name)
    if reason is not None:
        raise ApiError("invalid", f"Please choose another password: {reason}.")
