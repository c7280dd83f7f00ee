"""The clients connected to a table."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from teahouse.server.web.errors import RECONNECT
from teahouse.server.web.wire import to_json
from teahouse.session.events import Claimed, LoggedEvent
from teahouse.session.state import Seat

PRESENCE_DELAY = 0.2  # seconds; clients that come and go at once share a message
SETTLE_SECONDS = 0.5
"""How long processes may take to learn which others share snapshots."""
BACKOFF_SECONDS = 10.0
"""First back-off after a process has not rendered in time; doubled with each further one."""
MAX_BACKOFF_SECONDS = 640.0
CLAIMED = "This seat now belongs to an account. Please reconnect."


class Subscriber(Protocol):
    """A connected client."""

    address: str
    """The address that its work is charged to."""
    seats: frozenset[int]
    """The seats it has the secrets of."""
    snapshots: bool
    """Whether it wants snapshots."""
    diffs: bool
    """Whether it accepts them as diffs to the one before."""
    shown: int
    """The revision of the last snapshot that it was sent, or -1."""

    def send(self, message: str) -> None:
        """Queue a message."""

    def disconnect(self, code: int, reason: str) -> None:
        """Close the connection after all queued messages."""


@dataclass(frozen=True)
class ProcessPresence:
    """Who is connected to the table through one process."""

    seats: frozenset[int]
    spectators: int
    until: float
    """The time of the event loop at which this is out of date."""
    diffs: bool = False
    """Whether a client there takes snapshots as diffs, which processes share."""


class Subscribers:
    """All subscribers of one table; `seats` returns its seats."""

    def __init__(self, seats: Callable[[], Sequence[Seat]]) -> None:
        self._seats = seats
        self._members: set[Subscriber] = set()
        self._presence_timer: asyncio.TimerHandle | None = None
        self._remote: dict[str, ProcessPresence] = {}
        self._backoff: dict[str, tuple[float, float]] = {}
        """Processes that did not render in time: the end and the length of their back-off."""
        self._last_joined = -math.inf
        """When a process, this one included, last began to share snapshots."""

    def __len__(self) -> int:
        return len(self._members)

    @property
    def spectators(self) -> int:
        """The number of clients without a seat, in all processes."""
        return self.here.spectators + sum(one.spectators for one in self._remote.values())

    @property
    def here(self) -> ProcessPresence:
        """Who is connected through this process."""
        seats: frozenset[int] = frozenset().union(*(one.seats for one in self._members))
        spectators = sum(not one.seats for one in self._members)
        return ProcessPresence(seats, spectators, 0.0, self.take_diffs)

    @property
    def other_processes(self) -> int:
        """The number of other processes with clients at the table."""
        return len(self._remote)

    @property
    def render_peers(self) -> list[str]:
        """The other processes with which snapshots are shared."""
        return [
            process
            for process, present in self._remote.items()
            if present.diffs and not self._in_backoff(process)
        ]

    @property
    def settled(self) -> bool:
        """Whether the processes that share snapshots know of each other."""
        return asyncio.get_running_loop().time() - self._last_joined >= SETTLE_SECONDS

    def back_off(self, process: str) -> None:
        """Share no snapshots with a process for a while, doubling the time with each call."""
        _, before = self._backoff.get(process, (0.0, BACKOFF_SECONDS / 2))
        seconds = min(2 * before, MAX_BACKOFF_SECONDS)
        until = asyncio.get_running_loop().time() + seconds
        self._backoff[process] = until, seconds

    def reset_backoff(self, process: str) -> None:
        """End the back-off of a process that has rendered in time."""
        self._backoff.pop(process, None)

    def _in_backoff(self, process: str) -> bool:
        until, _ = self._backoff.get(process, (-math.inf, 0.0))
        return asyncio.get_running_loop().time() < until

    def knows(self, process: str) -> bool:
        """Return whether the presence of another process is known."""
        return process in self._remote

    def set_presence(self, process: str, present: ProcessPresence) -> None:
        """Set who is connected through another process."""
        before = self.online, self.spectators
        known = self._remote.pop(process, None)
        if present.diffs and not (known and known.diffs):
            self._last_joined = asyncio.get_running_loop().time()
        if present.seats or present.spectators:
            self._remote[process] = present
        else:
            self.reset_backoff(process)
        if before != (self.online, self.spectators):
            self.announce_presence()

    def expire_presence(self, now: float) -> None:
        """Drop processes whose presence has expired."""
        for process, present in list(self._remote.items()):
            if present.until < now:
                self.set_presence(process, ProcessPresence(frozenset(), 0, now))

    @property
    def address(self) -> str:
        """The address of a player, else of a spectator, else an empty text."""
        players = [one.address for one in self._members if one.seats]
        return min(players or (one.address for one in self._members), default="")

    @property
    def want_snapshots(self) -> bool:
        """Whether any client wants snapshots."""
        return any(subscriber.snapshots for subscriber in self._members)

    @property
    def take_diffs(self) -> bool:
        """Whether any client takes snapshots as diffs."""
        return any(one.snapshots and one.diffs for one in self._members)

    @property
    def online(self) -> list[bool]:
        """For each seat whether its player is connected; a bot always is."""
        connected: set[int] = set().union(
            *(one.seats for one in self._members),
            *(one.seats for one in self._remote.values()),
        )
        seats = enumerate(self._seats())
        return [seat.kind == "bot" or number in connected for number, seat in seats]

    def add(self, subscriber: Subscriber) -> None:
        """Add a subscriber."""
        if not self.take_diffs:
            self._last_joined = asyncio.get_running_loop().time()
        self._members.add(subscriber)

    def remove(self, subscriber: Subscriber) -> bool:
        """Remove a subscriber; return whether it was subscribed."""
        known = subscriber in self._members
        self._members.discard(subscriber)
        return known

    def broadcast(self, message: str) -> None:
        """Send a message to all."""
        for subscriber in list(self._members):
            subscriber.send(message)

    @property
    def shown(self) -> int:
        """The latest revision that clients with diffs were sent, or -1."""
        return max((one.shown for one in self._members if one.diffs), default=-1)

    def behind(self, revision: int) -> list[Subscriber]:
        """Return the clients that want snapshots and lack the one of a revision."""
        return [one for one in self._members if one.snapshots and one.shown < revision]

    def disconnect_all(self, reason: str) -> None:
        """Close all connections; clients reconnect by themselves."""
        for subscriber in list(self._members):
            subscriber.disconnect(RECONNECT, reason)

    def take_claimed(self, log: Iterable[LoggedEvent]) -> None:
        """Disconnect the clients of seats that accounts have claimed; the accounts reconnect."""
        claimed = {one.event.seat for one in log if isinstance(one.event, Claimed)}
        for subscriber in self._members:
            if subscriber.seats & claimed:
                subscriber.seats -= claimed
                subscriber.disconnect(RECONNECT, CLAIMED)

    def announce_presence(self) -> None:
        """Broadcast who is connected, after a short delay."""
        if self._presence_timer is None:
            loop = asyncio.get_running_loop()
            self._presence_timer = loop.call_later(PRESENCE_DELAY, self._send_presence)

    def _send_presence(self) -> None:
        self._presence_timer = None
        body = {"online": self.online, "spectators": self.spectators}
        self.broadcast(to_json({"type": "presence", **body}))
