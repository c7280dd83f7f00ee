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
"""How long processes may take to know which others share snapshots."""
DISTRUST_SECONDS = 10.0
"""How long a process that has not rendered in time for once is not waited for."""
MAX_DISTRUST_SECONDS = 640.0
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
    """Whether it takes them as differences to the one before."""
    shown: int
    """The revision of the last snapshot that it was sent, or -1."""

    def send(self, message: str) -> None:
        """Queue a message."""

    def disconnect(self, code: int, reason: str) -> None:
        """Close the connection after all queued messages."""


@dataclass(frozen=True)
class Elsewhere:
    """Who is connected to the table by another process."""

    seats: frozenset[int]
    spectators: int
    until: float
    """The time of the event loop at which this is out of date."""
    drawings: bool = False
    """Whether anybody there takes snapshots as differences, which processes share."""


class Subscribers:
    """All subscribers of one table; `seats` returns its seats."""

    def __init__(self, seats: Callable[[], Sequence[Seat]]) -> None:
        self._seats = seats
        self._members: set[Subscriber] = set()
        self._presence_timer: asyncio.TimerHandle | None = None
        self._elsewhere: dict[str, Elsewhere] = {}
        self._distrusted: dict[str, tuple[float, float]] = {}
        """Processes that did not render in time: until when none is expected, and for how long."""
        self._met = -math.inf
        """When a process was last added to those that share snapshots, this one included."""

    def __len__(self) -> int:
        return len(self._members)

    @property
    def spectators(self) -> int:
        """The number of those without a seat, in all processes."""
        return self.here.spectators + sum(one.spectators for one in self._elsewhere.values())

    @property
    def here(self) -> Elsewhere:
        """Who is connected by this process."""
        seats: frozenset[int] = frozenset().union(*(one.seats for one in self._members))
        spectators = sum(not one.seats for one in self._members)
        return Elsewhere(seats, spectators, 0.0, self.take_diffs)

    @property
    def processes_elsewhere(self) -> int:
        """The number of other processes by which anybody is connected."""
        return len(self._elsewhere)

    @property
    def drawers(self) -> list[str]:
        """The other processes with which snapshots are shared."""
        return [
            process
            for process, present in self._elsewhere.items()
            if present.drawings and not self._is_distrusted(process)
        ]

    @property
    def settled(self) -> bool:
        """Whether the processes that share snapshots know of each other."""
        return asyncio.get_running_loop().time() - self._met >= SETTLE_SECONDS

    def distrust(self, process: str) -> None:
        """Share no snapshots with a process for a while, each time for twice as long."""
        _, before = self._distrusted.get(process, (0.0, DISTRUST_SECONDS / 2))
        seconds = min(2 * before, MAX_DISTRUST_SECONDS)
        until = asyncio.get_running_loop().time() + seconds
        self._distrusted[process] = until, seconds

    def trust(self, process: str) -> None:
        """Note that a process has rendered in time."""
        self._distrusted.pop(process, None)

    def _is_distrusted(self, process: str) -> bool:
        until, _ = self._distrusted.get(process, (-math.inf, 0.0))
        return asyncio.get_running_loop().time() < until

    def knows(self, process: str) -> bool:
        """Return whether another process has said who is connected there."""
        return process in self._elsewhere

    def set_elsewhere(self, process: str, present: Elsewhere) -> None:
        """Note who is connected by another process."""
        before = self.online, self.spectators
        known = self._elsewhere.pop(process, None)
        if present.drawings and not (known and known.drawings):
            self._met = asyncio.get_running_loop().time()
        if present.seats or present.spectators:
            self._elsewhere[process] = present
        else:
            self.trust(process)
        if before != (self.online, self.spectators):
            self.announce_presence()

    def expire_elsewhere(self, now: float) -> None:
        """Forget processes that have not said anything for long."""
        for process, present in list(self._elsewhere.items()):
            if present.until < now:
                self.set_elsewhere(process, Elsewhere(frozenset(), 0, now))

    @property
    def address(self) -> str:
        """The address of a player, else of a spectator, else an empty text."""
        players = [one.address for one in self._members if one.seats]
        return min(players or (one.address for one in self._members), default="")

    @property
    def want_snapshots(self) -> bool:
        """Whether anybody wants snapshots."""
        return any(subscriber.snapshots for subscriber in self._members)

    @property
    def take_diffs(self) -> bool:
        """Whether anybody takes snapshots as differences."""
        return any(one.snapshots and one.diffs for one in self._members)

    @property
    def online(self) -> list[bool]:
        """For each seat whether its player is connected; a bot always is."""
        connected: set[int] = set().union(
            *(one.seats for one in self._members),
            *(one.seats for one in self._elsewhere.values()),
        )
        seats = enumerate(self._seats())
        return [seat.kind == "bot" or number in connected for number, seat in seats]

    def add(self, subscriber: Subscriber) -> None:
        """Add a subscriber."""
        if not self.take_diffs:
            self._met = asyncio.get_running_loop().time()
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
        """The latest revision that those who take differences were sent, or -1."""
        return max((one.shown for one in self._members if one.diffs), default=-1)

    def behind(self, revision: int) -> list[Subscriber]:
        """Return those who want snapshots and have not got the one of a revision."""
        return [one for one in self._members if one.snapshots and one.shown < revision]

    def disconnect_all(self, reason: str) -> None:
        """Close all connections; clients reconnect by themselves."""
        for subscriber in list(self._members):
            subscriber.disconnect(RECONNECT, reason)

    def take_claimed(self, log: Iterable[LoggedEvent]) -> None:
        """Take seats that accounts claim from all who play them; the accounts reconnect."""
        claimed = {one.event.seat for one in log if isinstance(one.event, Claimed)}
        for subscriber in self._members:
            if subscriber.seats & claimed:
                subscriber.seats -= claimed
                subscriber.disconnect(RECONNECT, CLAIMED)

    def announce_presence(self) -> None:
        """Broadcast soon who is connected."""
        if self._presence_timer is None:
            loop = asyncio.get_running_loop()
            self._presence_timer = loop.call_later(PRESENCE_DELAY, self._send_presence)

    def _send_presence(self) -> None:
        self._presence_timer = None
        body = {"online": self.online, "spectators": self.spectators}
        self.broadcast(to_json({"type": "presence", **body}))
