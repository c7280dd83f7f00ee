"""Challenges of passkey ceremonies: for one use, for a short time, for one browser."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from teahouse.server.storage.notifications import Notifications, Publish, no_publish, pack, unpack
from teahouse.server.web.errors import ApiError

ISSUED, REDEEMED = "passkey_issued", "passkey_redeemed"
"""Topics of notifications."""
Purpose = Literal["sign_up", "sign_in", "add", "confirm"]
LIFETIME = 300.0
"""Seconds in which an authenticator must answer."""
MAX_PENDING = 50_000
"""The oldest are evicted. The rate limit allows an address some 3,000."""


@dataclass(frozen=True)
class Challenge:
    """What an authenticator has to sign, and for whom."""

    value: bytes
    purpose: Purpose
    browser: str
    """The value of the browser's ceremony cookie."""
    account: str | None
    """The account that is signed in, or that is going to be created."""
    name: str | None
    """The name of an account that is going to be created."""
    expires: float


class Challenges:
    """Pending challenges, in memory: a restart aborts ceremonies in progress."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pending: OrderedDict[bytes, Challenge] = OrderedDict()
        """In order of expiry, since all have the same lifetime."""
        self._publish: Publish = no_publish

    def replicate(self, notifications: Notifications, publish: Publish) -> None:
        """Replicate challenges, so that any process can redeem them."""
        self._publish = publish
        notifications.subscribe(ISSUED, self._on_issued)
        notifications.subscribe(REDEEMED, self._on_redeemed)

    def _on_issued(self, text: str) -> None:
        value, purpose, browser, account, name = unpack(text)
        expires = self._clock() + LIFETIME
        self._add(Challenge(bytes.fromhex(value), purpose, browser, account, name, expires))

    def _on_redeemed(self, text: str) -> None:
        self._pending.pop(bytes.fromhex(text), None)

    def issue(
        self,
        browser: str,
        purpose: Purpose,
        account: str | None = None,
        name: str | None = None,
    ) -> bytes:
        """Return a new challenge for a browser."""
        value = secrets.token_bytes(32)
        self._publish(ISSUED, [pack([value.hex(), purpose, browser, account, name])])
        self._add(Challenge(value, purpose, browser, account, name, self._clock() + LIFETIME))
        return value

    def _add(self, challenge: Challenge) -> None:
        now = self._clock()
        while self._pending and (
            len(self._pending) >= MAX_PENDING or next(iter(self._pending.values())).expires < now
        ):
            self._pending.popitem(last=False)
        self._pending[challenge.value] = challenge

    def redeem(self, value: bytes, browser: str | None, purpose: Purpose) -> Challenge:
        """Return a challenge and forget it; raise `ApiError` unless it is this browser's.

        One that is answered wrongly is used up too.
        """
        found = self._pending.pop(value, None)
        if found is not None:
            self._publish(REDEEMED, [value.hex()])
        if (
            found is None
            or found.expires < self._clock()
            or found.purpose != purpose
            or not secrets.compare_digest(found.browser.encode(), (browser or "").encode())
        ):
            message = "This passkey request has expired or was used already. Please try again."
            raise ApiError("expired_challenge", message)
        return found
