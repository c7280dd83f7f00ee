"""When accounts were last online, in memory: no e-mail is sent to somebody who has a page open."""

from __future__ import annotations

from collections import OrderedDict

MAX_ACCOUNTS = 100_000


class Presence:
    """The time at which each account last asked for its waiting games, as open pages do."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, float] = OrderedDict()

    def touch(self, account_id: str, now: float) -> None:
        """Record that a page of an account is open."""
        self._seen[account_id] = now
        self._seen.move_to_end(account_id)
        if len(self._seen) > MAX_ACCOUNTS:
            self._seen.popitem(last=False)

    def last_seen(self, account_id: str) -> float:
        """Return when an account was last online; 0 if not since the last restart."""
        return self._seen.get(account_id, 0.0)
