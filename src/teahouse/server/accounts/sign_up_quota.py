"""How many accounts an address may create, and how many names it may try."""

from __future__ import annotations

from teahouse.server.web.limits import RateLimitError
from teahouse.server.web.rate_limit import RateLimiter

DAY_SECONDS = 86_400.0
TRIES = 60
"""Names that an address may try at once; later ones at `TRIES_A_SECOND`."""
TRIES_A_SECOND = 1 / 30
LOOK = -1.0
"""A `max_wait` with which nothing is charged."""


class SignUpQuota:
    """Limits sign-ups by address, in memory."""

    def __init__(self, accounts_a_day: int) -> None:
        self._tries = RateLimiter(TRIES_A_SECOND, max(TRIES, accounts_a_day))
        self._accounts = RateLimiter(accounts_a_day / DAY_SECONDS, accounts_a_day)

    def check(self, address: str) -> None:
        """Count a try; raise `RateLimitError` if there were too many, or too many accounts."""
        wait = self._tries.reserve(address, 1.0)
        if wait > 0.0:
            raise RateLimitError("sign-ups from your address", wait)
        self._charge(address, LOOK)

    def add(self, address: str) -> None:
        """Count an account that is about to be created; raise `RateLimitError` beyond the limit."""
        self._charge(address, 0.0)

    def _charge(self, address: str, max_wait: float) -> None:
        wait = self._accounts.reserve(address, 1.0, max_wait)
        if wait > 0.0:
            raise RateLimitError("new accounts from your address", wait)
