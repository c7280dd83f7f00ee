"""Rate limit of sign-in attempts: exponential back-off after some failures.

Failures are counted per name, whether there is such an account or not, and per address. A browser
in which the account has signed in before is counted separately, so that nobody can lock others out
by guessing. Passkeys cannot be guessed and have no such limit.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from teahouse.server.storage.notifications import Notifications, Publish, no_publish, pack, unpack
from teahouse.server.web.limits import RateLimitError

FREE_ATTEMPTS = {"name": 5, "device": 5, "address": 50}
"""Failures without a delay; many people may share an address."""
FIRST_DELAY = 2.0
MAX_DELAY = 900.0
FORGET_SECONDS = 86_400.0
"""Seconds until failures expire."""
MAX_KEYS = 100_000
ATTEMPTED, SUCCEEDED = "sign_in_attempted", "sign_in_succeeded"
"""Topics of notifications."""


@dataclass
class _Failures:
    count: int = 0
    last: float = -math.inf


class Attempts:
    """The failures of names, devices and addresses, in memory."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()
        self._publish: Publish = no_publish

    def replicate(self, notifications: Notifications, publish: Publish) -> None:
        """Replicate the failures between processes."""
        self._publish = publish
        notifications.subscribe(ATTEMPTED, lambda text: self._count(_keys(text)))
        notifications.subscribe(SUCCEEDED, lambda text: self._forget(_keys(text)))

    def begin(self, keys: Sequence[tuple[str, str]]) -> None:
        """Count an attempt as failed until it succeeds; raise `RateLimitError` if it is too early.

        Attempts that run at the same time thereby count too.
        """
        now = self._clock()
        wait = max(self._wait(key, now) for key in keys)
        if wait > 0.0:
            raise AttemptsError(wait)
        self._publish(ATTEMPTED, [pack(list(keys))])
        self._count(keys)

    def _count(self, keys: Sequence[tuple[str, str]]) -> None:
        now = self._clock()
        for key in keys:
            failures = self._failures.pop(key, None) or _Failures()
            failures.count += 1
            failures.last = now
            self._failures[key] = failures
        while len(self._failures) > MAX_KEYS:
            self._failures.popitem(last=False)

    def succeed(self, keys: Sequence[tuple[str, str]]) -> None:
        """Reset the failures of a name or device; those of an address keep counting."""
        self._publish(SUCCEEDED, [pack(list(keys))])
        self._forget(keys)

    def _forget(self, keys: Sequence[tuple[str, str]]) -> None:
        for key in keys:
            if key[0] == "address" and key in self._failures:
                self._failures[key].count -= 1
            else:
                self._failures.pop(key, None)

    def _wait(self, key: tuple[str, str], now: float) -> float:
        failures = self._failures.get(key)
        if failures is None:
            return 0.0
        if now - failures.last > FORGET_SECONDS:
            del self._failures[key]
            return 0.0
        excess = failures.count - FREE_ATTEMPTS[key[0]]
        if excess < 0:
            return 0.0
        delay = min(MAX_DELAY, FIRST_DELAY * 2.0 ** min(excess, 20))
        return failures.last + delay - now


def _keys(text: str) -> list[tuple[str, str]]:
    return [(kind, name) for kind, name in unpack(text)]


class AttemptsError(RateLimitError):
    """A sign-in attempt that has to wait."""

    def __init__(self, wait: float) -> None:
        super().__init__("failed attempts", wait)
        self.message = f"Too many failed attempts. Please try again in {_duration(wait)}."


def _duration(seconds: float) -> str:
    rounded = math.ceil(seconds)
    if rounded >= 120:
        return f"{math.ceil(rounded / 60)} minutes"
    return "1 second" if rounded == 1 else f"{rounded} seconds"
