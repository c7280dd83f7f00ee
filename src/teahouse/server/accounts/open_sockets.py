"""Open sockets by the session or token that opened them, closed when that ends."""

from __future__ import annotations

from asyncio import get_running_loop
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from starlette.requests import HTTPConnection

from teahouse.server.storage.notifications import Notifications, Publish, no_publish
from teahouse.server.web.errors import CLOSE_CODE, RECONNECT, ApiError

REVOKED = "You were signed out, or the token was revoked."
REOPENED = "Your account was changed. Please reconnect."
REVOKE, REOPEN = "revoke", "reopen"
"""Topics of notifications: sessions and tokens whose sockets are closed."""
MAX_REVOKED = 1_000
"""Recently revoked credentials, for sockets that are just being opened."""


class Closable(Protocol):
    """A socket with a queue of outgoing messages."""

    def disconnect(self, code: int, reason: str) -> None:
        """Close the socket after what is queued."""


def remember_credential(
    connection: HTTPConnection,
    credential: str,
    seconds_left: float | None = None,
    max_sockets: int | None = None,
) -> None:
    """Store the id of the session or token of a request or socket, and the limits of a token."""
    connection.state.credential = credential
    connection.state.seconds_left = seconds_left
    connection.state.max_sockets = max_sockets


def credential_of(connection: HTTPConnection) -> str | None:
    """Return the id of the session or token of a request or socket; None for a guest."""
    credential: str | None = getattr(connection.state, "credential", None)
    return credential


def open_sockets(connection: HTTPConnection) -> OpenSockets:
    """Return the open sockets of the application."""
    sockets: OpenSockets = connection.app.state.open_sockets
    return sockets


class OpenSockets:
    """All sockets that were opened by accounts."""

    def __init__(self) -> None:
        self._sockets: defaultdict[str, set[Closable]] = defaultdict(set)
        self._revoked: deque[str] = deque(maxlen=MAX_REVOKED)
        self._publish: Publish = no_publish

    def replicate(self, notifications: Notifications, publish: Publish) -> None:
        """Close sockets in all processes."""
        self._publish = publish
        notifications.subscribe(REVOKE, lambda text: self._close(text.split(" ")))
        notifications.subscribe(REOPEN, lambda text: self._reconnect(text.split(" "), REOPENED))

    @contextmanager
    def opened(self, connection: HTTPConnection, socket: Closable) -> Iterator[None]:
        """Register a socket while it is open; a guest's is not registered.

        Raise `ApiError` if its session or token was revoked while it was being opened, or has too
        many sockets.
        """
        credential = credential_of(connection)
        if credential is None:
            yield
            return
        if credential in self._revoked:
            raise ApiError("sign_in_required", REVOKED)
        most: int | None = connection.state.max_sockets
        if most is not None and len(self._sockets.get(credential, ())) >= most:
            raise ApiError("at_capacity", f"This token has {most} sockets open already.")
        self._sockets[credential].add(socket)
        left: float | None = connection.state.seconds_left
        timer = None if left is None else get_running_loop().call_later(left, _expire, socket)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            self._sockets[credential].discard(socket)
            if not self._sockets[credential]:
                del self._sockets[credential]

    def reconnect(self, credentials: Iterable[str], reason: str) -> None:
        """Close the sockets of sessions and tokens; clients open them again by themselves."""
        given = list(credentials)
        self._publish(REOPEN, given)
        self._reconnect(given, reason)

    def _reconnect(self, credentials: Iterable[str], reason: str) -> None:
        for credential in credentials:
            for socket in list(self._sockets.get(credential, ())):
                socket.disconnect(RECONNECT, reason)

    def close(self, credentials: Iterable[str]) -> None:
        """Close the sockets of sessions and tokens that were revoked."""
        given = list(credentials)
        self._publish(REVOKE, given)
        self._close(given)

    def _close(self, credentials: Iterable[str]) -> None:
        for credential in credentials:
            self._revoked.append(credential)
            for socket in list(self._sockets.get(credential, ())):
                socket.disconnect(CLOSE_CODE["sign_in_required"], REVOKED)


def _expire(socket: Closable) -> None:
    socket.disconnect(CLOSE_CODE["sign_in_required"], "The token has expired.")
