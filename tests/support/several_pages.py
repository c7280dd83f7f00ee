"""The pages of players at several servers: they reconnect by themselves, and show clocks."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from support.several_kills import Game

RESTARTING = 1012


@dataclass(frozen=True)
class Reading:
    """When a seat's time is up, by the monotonic clock of the players: between two moments."""

    seat: int
    earliest: float
    latest: float

    @classmethod
    def of(cls, clock: dict[str, Any], asked: float, received: float) -> Reading:
        """Return what a message tells that was built between two moments."""
        left = clock["remaining_ms"][clock["running"]] / 1e3
        return cls(clock["running"], asked + left, received + left)

    def differs(self, other: Reading) -> float:
        """Return by how much two readings differ at least, however long they were on their way."""
        return max(self.earliest - other.latest, other.earliest - self.latest, 0.0)


@dataclass
class Seen:
    """What the players have seen."""

    restarts: int = 0
    errors: list[str] = field(default_factory=list)
    """Messages, responses and close codes that a page would show as an error."""
    away: list[float] = field(default_factory=list)
    """Seconds from the end of a connection until the table is there again."""
    requests: int = 0
    clocks: list[float] = field(default_factory=list)
    """Seconds by which clocks of the players of a table differ at least."""
    uncertain: list[float] = field(default_factory=list)
    """Seconds that a reading of a clock was on its way at most."""
    standing: list[float] = field(default_factory=list)
    """Seconds by which the running clock of a table without moves was moved at least."""
    other_clocks: int = 0
    """Readings in which the clocks that do not run are not the same."""


class Seat:
    """The page of one player."""

    def __init__(self, ports: list[int], game: Game, number: int, seen: Seen) -> None:
        self._ports, self._game, self._number, self._seen = ports, game, number, seen
        self._socket: ClientConnection | None = None
        self._seq = 0
        self.plies = 0
        """The moves that the page shows."""
        self.clock: dict[str, Any] = {}
        self.reading: Reading | None = None
        self._port = number % len(ports)
        self._asked = 0.0

    async def play(self, ply: int, move: str) -> None:
        """Play a move; send it again after the connection was lost."""
        request = {"type": "play", "id": ply + 1, "seat": self._number, "ply": ply, "move": move}
        self._asked = time.monotonic()
        sent, answer = None, ""
        while answer != "ack":
            try:
                socket = await self._connected()
                if sent is not socket:
                    await socket.send(json.dumps(request))
                    sent = socket
                message = self._received(await socket.recv())
                answer = message["type"] if message.get("id") == ply + 1 else ""
                if answer == "error":  # counted; a person would try again
                    await asyncio.sleep(0.1)
                    sent = None
            except ConnectionClosed as closed:
                self._lost(closed)

    async def see(self, plies: int, since: float) -> None:
        """Wait until the page shows a number of moves, of which the last was sent after `since`."""
        self._asked = since
        while self.plies < plies or self._socket is None:
            try:
                socket = await self._connected()
                if self.plies < plies:
                    self._received(await socket.recv())
            except ConnectionClosed as closed:
                self._lost(closed)

    async def reload(self) -> None:
        """Connect again, and read the clock."""
        self.close()
        await self.see(self.plies, time.monotonic())

    def _lost(self, closed: ConnectionClosed) -> None:
        code = closed.rcvd.code if closed.rcvd is not None else 1006
        if code != RESTARTING:
            self._seen.errors.append(f"closed with {code}")
        self._socket = None

    async def _connected(self) -> ClientConnection:
        if self._socket is not None:
            return self._socket
        lost = self._asked = time.monotonic()
        again = self._seq > 0
        while True:
            port = self._ports[self._port % len(self._ports)]
            try:
                socket = await connect(
                    f"ws://127.0.0.1:{port}/api/tables/{self._game.id}/socket",
                    compression=None,
                    max_size=None,
                    ping_interval=None,
                )
                break
            except OSError:  # it does not listen: a proxy tries another one
                self._port += 1
                await asyncio.sleep(0.02)
            except InvalidHandshake as error:
                self._seen.errors.append(f"not connected: {error}")
                self._port += 1
        secrets = [self._game.secrets[self._number]]
        join = {"type": "join", "protocol": 2, "secrets": secrets, "after": self._seq}
        await socket.send(json.dumps({**join, "snapshots": False}))
        first = self._received(await socket.recv())
        while first["type"] not in ("table", "update"):
            first = self._received(await socket.recv())
        if again:
            self._seen.away.append(time.monotonic() - lost)
        self._socket = socket
        return socket

    def _received(self, text: str | bytes) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(text)
        if message["type"] == "error":
            self._seen.errors.append(str(message))
        if message["type"] in ("table", "update"):
            self._seq, self.plies = message["seq"], message["state"]["ply"]
            self.clock = message["state"]["clock"]
            if self.clock["running"] is not None:
                self.reading = Reading.of(self.clock, self._asked, time.monotonic())
        return message

    def close(self) -> None:
        """Leave without a word."""
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.transport.abort()


async def play_move(game: Game, pages: list[Seat]) -> None:
    """Play the next move by one page, and wait until both show it."""
    ply, asked = len(game.moves), time.monotonic()
    move = game.position.legal[ply % len(game.position.legal)]
    await pages[game.position.player].play(ply, move)
    game.acknowledged.append((ply, move))
    game.moves.append(move)
    game.position = game.position.play(move)
    for page in pages:
        await page.see(ply + 1, asked)


def compare_clocks(seats: list[Seat], seen: Seen) -> None:
    """Note how the clocks of the players differ; one may have seen less than the other."""
    first = seats[0]
    for other in seats[1:]:
        if first.plies != other.plies or first.reading is None or other.reading is None:
            continue
        running = first.clock["running"]
        if running != other.clock["running"] or running is None:
            continue
        seen.clocks.append(first.reading.differs(other.reading))
        seen.uncertain.append(first.reading.latest - first.reading.earliest)
        left = [[*seat.clock["remaining_ms"]] for seat in (first, other)]
        for times in left:
            del times[running]
        seen.other_clocks += left[0] != left[1]
