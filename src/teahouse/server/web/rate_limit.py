"""Rate limits by token bucket; requests slightly over the limit wait instead of failing."""

from __future__ import annotations

import time
from collections import OrderedDict

MAX_CLIENTS = 10_000


class TokenBucket:
    """Allows `rate` units a second on average, and bursts of `burst` units."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._updated = time.monotonic()

    def take(self, cost: float = 1.0) -> bool:
        """Take tokens and return True, or return False if there are not enough."""
        return self.reserve(cost, 0.0) == 0.0

    def reserve(self, cost: float, max_wait: float) -> float:
        """Take tokens, also future ones, and return the seconds until all of them are there.

        Take nothing and return the seconds if they are more than `max_wait`.
        """
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._updated) * self._rate)
        self._updated = now
        wait = max(0.0, (cost - self._tokens) / self._rate)
        if wait <= max_wait:
            self._tokens -= cost
        return wait


class RateLimiter:
    """A token bucket for each key, such as an address; the least recently seen are forgotten."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def reserve(self, key: str, cost: float, max_wait: float = 0.0) -> float:
        """Charge a key and return the seconds to wait; more than `max_wait` means: not charged."""
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate, self._burst)
        self._buckets[key] = bucket
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return bucket.reserve(min(cost, self._burst), max_wait)
