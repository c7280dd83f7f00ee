"""The connections to the lobby, by visitor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from teahouse.server.lobby.models import Visitor
from teahouse.server.web.errors import RECONNECT
from teahouse.server.web.wire import to_json

KEPT_SECONDS = 60.0
"""How long a message is kept for a visitor who is reloading the page."""
MAX_KEPT = 1_000


class Client(Protocol):
    """A connection."""

    def send(self, message: str) -> None:
        """Queue a message."""

    def disconnect(self, code: int, reason: str) -> None:
        """Close the connection after all queued messages."""


class Member:
    """A visitor's connection to the lobby."""

    def __init__(
        self,
        visitor: Visitor,
        client: Client,
        address: str,
        *,
        boards: bool = True,
        follows: bool = True,
        hidden: frozenset[str] = frozenset(),
        accepts: Sequence[str] = (),
    ) -> None:
        self.visitor = visitor
        self.client = client
        self.address = address
        self.boards = boards
        self.follows = follows
        """Whether its page opens games that begin."""
        self.accepts = tuple(accepts)
        """The games to which a bot account can be challenged."""
        self.hidden = hidden
        """Keys of visitors whom this one neither sees nor plays: blocked ones."""

    def send(self, body: dict[str, Any]) -> None:
        """Send a message to this connection."""
        self.client.send(to_json(body))


class Members:
    """All connections by visitor, and messages kept for visitors who are reconnecting."""

    def __init__(self) -> None:
        self._by_visitor: dict[str, list[Member]] = {}
        self._kept: dict[str, list[tuple[float, str]]] = {}
        self._count = 0

    def __iter__(self) -> Iterator[Member]:
        return iter([one for members in self._by_visitor.values() for one in members])

    def __len__(self) -> int:
        return self._count

    @property
    def visitors(self) -> int:
        """The number of different visitors."""
        return len(self._by_visitor)

    def of(self, visitor: str) -> list[Member]:
        """Return the connections of a visitor."""
        return self._by_visitor.get(visitor, [])

    def add(self, member: Member, now: float) -> None:
        """Add a connection, and send it what was kept for its visitor."""
        self._by_visitor.setdefault(member.visitor.key, []).append(member)
        self._count += 1
        kept = self._kept.pop(member.visitor.key, ()) if member.follows else ()
        for until, message in kept:
            if now < until:
                member.client.send(message)

    def remove(self, member: Member) -> bool:
        """Remove a connection; return whether its visitor has no other one."""
        key = member.visitor.key
        members = self._by_visitor.get(key, [])
        if member not in members:
            return False
        members.remove(member)
        self._count -= 1
        if not members:
            del self._by_visitor[key]
        return not members

    def send(self, visitor: str, body: dict[str, Any]) -> None:
        """Send a message to all connections of a visitor."""
        members = self.of(visitor)
        if members:
            message = to_json(body)
            for member in members:
                member.client.send(message)

    def send_or_keep(self, visitor: str, body: dict[str, Any], now: float) -> None:
        """Send a message to a visitor; keep it if the page that needs it is being opened."""
        self.send(visitor, body)
        if any(member.follows for member in self.of(visitor)):
            return
        self._kept.setdefault(visitor, []).append((now + KEPT_SECONDS, to_json(body)))
        while len(self._kept) > MAX_KEPT:
            del self._kept[next(iter(self._kept))]

    def reconnect(self, visitor: str, reason: str) -> None:
        """Close the connections of a visitor; clients reconnect by themselves."""
        for member in self.of(visitor):
            member.client.disconnect(RECONNECT, reason)

    def disconnect_all(self, reason: str) -> None:
        """Close all connections; clients reconnect by themselves."""
        for member in self:
            member.client.disconnect(RECONNECT, reason)
