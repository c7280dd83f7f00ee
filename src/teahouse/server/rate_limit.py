"""Rate limits by token bucket."""

from __future__ import annotations

import time
from collections import OrderedDict

from teahouse.server.errors import ApiError

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
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._updated) * self._rate)
        self._updated = now
        if self._tokens < cost:
            return False
        self._tokens -= cost
        return True


class RateLimiter:
    """A token bucket for each client; the least recently seen ones are forgotten."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, client: str, cost: float = 1.0) -> None:
        """Charge a request to a client; raise `ApiError` if it exceeds its rate."""
        bucket = self._buckets.pop(client, None) or TokenBucket(self._rate, self._burst)
        self._buckets[client] = bucket
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        if not bucket.take(cost):
            raise ApiError("rate_limited", "Too many requests from your address. Please slow down.")
