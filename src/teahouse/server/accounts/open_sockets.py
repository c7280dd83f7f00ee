"""Open sockets by the session or token that opened them, closed when that is revoked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from starlette.requests import HTTPConnection

from teahouse.server.errors import CLOSE_CODE

REVOKED = "You were signed out."


class Closable(Protocol):
    """A socket with a queue of outgoing messages."""

    def disconnect(self, code: int, reason: str) -> None:
        """Close the socket after what is queued."""


def remember_credential(connection: HTTPConnection, credential: str) -> None:
    """Note the id of the session or token of a request or socket."""
    connection.state.credential = credential


def credential_of(connection: HTTPConnection) -> str | None:
    """Return the id of the session or token of a request or socket; None for a guest."""
    credential: str | None = getattr(connection.state, "credential", None)
    return credential


class OpenSockets:
    """All sockets that were opened by accounts."""

    def __init__(self) -> None:
        self._sockets: defaultdict[str, set[Closable]] = defaultdict(set)

    @contextmanager
    def opened(self, connection: HTTPConnection, socket: Closable) -> Iterator[None]:
        """Register a socket while it is open; a guest's is not registered."""
        credential = credential_of(connection)
        if credential is None:
            yield
            return
        self._sockets[credential].add(socket)
        try:
            yield
        finally:
            self._sockets[credential].discard(socket)
            if not self._sockets[credential]:
                del self._sockets[credential]

    def count(self, credential: str) -> int:
        """Return the number of sockets that a session or token has open."""
        return len(self._sockets.get(credential, ()))

    def close(self, credentials: Iterable[str]) -> None:
        """Close the sockets of sessions and tokens that were revoked."""
        for credential in credentials:
            for socket in list(self._sockets.get(credential, ())):
                socket.disconnect(CLOSE_CODE["sign_in_required"], REVOKED)
