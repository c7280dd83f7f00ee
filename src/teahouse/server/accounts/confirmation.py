"""Re-authentication before a change of credentials or the deletion of the account.

An unattended browser or a stolen cookie must not be enough for these.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from teahouse.server.accounts.identity import CurrentSession, store_of
from teahouse.server.accounts.models import AccountSession
from teahouse.server.storage.notifications import Notifications, Publish, no_publish
from teahouse.server.web.errors import ApiError

LIFETIME = 600.0
"""Seconds for which a sign-in or a confirmation is fresh."""
MAX_PENDING = 100_000
CONFIRMED = "confirmed"
"""The topic of notifications."""


class Confirmations:
    """Recently confirmed sessions, in memory: after a restart they must be confirmed again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()
        self._publish: Publish = no_publish

    def replicate(self, notifications: Notifications, publish: Publish) -> None:
        """Replicate confirmations between processes."""
        self._publish = publish
        notifications.subscribe(CONFIRMED, self._add)

    def add(self, session_id: str) -> None:
        """Mark a session as confirmed."""
        self._publish(CONFIRMED, [session_id])
        self._add(session_id)

    def _add(self, session_id: str) -> None:
        now = self._clock()
        while self._until and (
            len(self._until) >= MAX_PENDING or next(iter(self._until.values())) < now
        ):
            self._until.popitem(last=False)
        self._until.pop(session_id, None)
        self._until[session_id] = now + LIFETIME

    def __contains__(self, session_id: str) -> bool:
        return self._until.get(session_id, float("-inf")) >= self._clock()


def confirmations_of(request: Request) -> Confirmations:
    """Return the confirmations of the application."""
    confirmations: Confirmations = request.app.state.confirmations
    return confirmations


async def _confirmed(request: Request, session: CurrentSession) -> AccountSession:
    fresh = store_of(request).now().wall - session.created < LIFETIME
    if not fresh and session.id not in confirmations_of(request):
        raise ApiError("confirmation_required", "Please confirm that it is you.")
    return session


ConfirmedSession = Annotated[AccountSession, Depends(_confirmed)]
"""The session of who has signed in or confirmed their identity in the last ten minutes."""
