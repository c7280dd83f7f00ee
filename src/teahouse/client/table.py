"""A table as a client sees it: its position, computed by the rules, and what one can do there."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from time import monotonic
from typing import Any

from teahouse.client.channel import Channel, Message
from teahouse.client.errors import ClientError, ProtocolError, RequestError
from teahouse.client.http import PROTOCOL, HttpApi
from teahouse.client.models import Offer, Seat, TableEvent, TimeControl, parse_time_control
from teahouse.core.catalog import load_untrusted
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.core.position import Position

STALE_CODES = ("stale_ply", "not_your_turn", "game_over", "time_expired")
"""Error codes of a late move: the position has changed meanwhile."""
MAX_EVENTS = 1_000
"""Events that are kept for `events`."""


class Table:
    """One game, kept up to date in the background.

    Lost connections are reopened, and missed events are fetched by sequence number.
    """

    def __init__(self, api: HttpApi, table_id: str, secrets: Sequence[str], patience: float):
        self.id = table_id
        self.url = f"{api.url}/tables/{table_id}"
        """The address of its page."""
        self.game: Game
        self.time_control: TimeControl
        self.own_seats: tuple[int, ...] = ()
        self.seats: tuple[Seat, ...] = ()
        self.offers: tuple[Offer, ...] = ()
        self.over = False
        self.result = "*"
        self.result_text: str | None = None
        """The result and its reason in words."""
        self.winners: tuple[int, ...] = ()
        self.rated = False
        self.rematch: str | None = None
        """The id of the next table of the same players."""
        self.seq = 0
        self._secrets = list(secrets)
        self._positions: list[Position] = []
        self._moves: list[str] = []
        self._revision = 0
        """Incremented with every change of the position; unlike a ply, it never repeats."""
        self._clock: Message | None = None
        self._clock_read = 0.0
        self._events: deque[TableEvent] = deque(maxlen=MAX_EVENTS)
        self._changed = asyncio.Event()
        socket = f"{api.url}/api/tables/{table_id}/socket"
        self._channel = Channel(socket, api.headers, self._join, self._receive, patience)

    # Connecting.

    async def open(self) -> None:
        """Join the table; raise `ClientError` if that is not possible."""
        self._channel.start(self._changed.set)
        while not self._positions:
            await self.next_change()

    async def close(self) -> None:
        """Leave the table; the game continues."""
        await self._channel.close()

    async def next_change(self) -> None:
        """Wait for a change; raise `ClientError` if the connection is closed permanently."""
        if self._channel.error is not None:
            raise self._channel.error
        self._changed.clear()
        await self._changed.wait()

    def _join(self) -> Message:
        return {
            "type": "join",
            "protocol": PROTOCOL,
            "secrets": self._secrets,
            "after": self.seq,
            "snapshots": False,
        }

    # State.

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[-1]

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position from the start."""
        return tuple(self._positions)

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves played so far."""
        return tuple(self._moves)

    @property
    def my_turn(self) -> bool:
        """Whether one of this client's seats is to move."""
        player = self.position.player
        return not self.over and player in self.own_seats and self.seats[player].kind != "bot"

    def seconds_left(self, seat: int) -> float | None:
        """Return a seat's remaining time by its clock; None without one."""
        if self._clock is None or self._clock["remaining_ms"][seat] is None:
            return None
        passed = monotonic() - self._clock_read
        left: float = self._clock["remaining_ms"][seat] / 1_000
        return max(0.0, left - passed) if self._clock["running"] == seat else left

    async def turns(self) -> AsyncIterator[Position]:
        """Yield the position whenever it is this client's turn, until the game is over.

        A position for which `play` failed, or was not called, is not yielded twice.
        """
        seen = -1
        while not self.over:
            if self.my_turn and self._revision != seen:
                seen = self._revision
                yield self.position
            else:
                await self.next_change()

    async def events(self) -> AsyncIterator[TableEvent]:
        """Yield what happens from now on: moves, chat, offers; end with the game."""
        last = self.seq
        while True:
            while missed := [one for one in self._events if one.seq > last]:
                for event in missed:
                    last = event.seq
                    yield event
            if self.over:
                return
            await self.next_change()

    async def finished(self) -> str:
        """Wait for the end of the game and return its result in words."""
        while not self.over:
            await self.next_change()
        return self.result_text or self.result

    # Commands.

    async def play(self, move: str) -> bool:
        """Play a move of the current position; return whether it counted.

        Raise `IllegalMove`, without asking the server, if the rules forbid it. A move that comes
        too late (the opponent resigned, a takeback was agreed, time is up) does not count.
        """
        return await self.play_at(self.position, move)

    async def play_at(self, position: Position, move: str) -> bool:
        """Play a move in a position of this game; it does not count if that has passed."""
        exact = position.exact(move)
        if position != self.position:
            return False
        ply = len(self._moves)
        message = {"type": "play", "seat": position.player, "ply": ply, "move": exact}
        try:
            answer = await self._channel.request(message, repeat=True)
        except RequestError as error:
            if error.code in STALE_CODES:
                return False
            raise
        # The update comes before the acknowledgement, except on a connection that was lost.
        while self.seq < answer["seq"]:
            await self.next_change()
        return True

    async def resign(self, seat: int | None = None) -> None:
        """Resign; a game that is over stays as it is."""
        try:
            await self._command("resign", seat, repeat=True)
        except RequestError as error:
            if error.code != "game_over":
                raise

    async def offer(self, kind: str, seat: int | None = None) -> None:
        """Offer a takeback, a draw or a rematch."""
        await self._command("offer", seat, offer=kind)

    async def respond(self, kind: str, accept: bool, seat: int | None = None) -> None:
        """Accept or decline an offer, or withdraw one's own."""
        await self._command("respond", seat, offer=kind, accept=accept)

    async def chat(self, text: str, seat: int | None = None) -> None:
        """Send a chat message of at most 500 characters."""
        await self._command("chat", seat, text=text)

    async def _command(
        self, kind: str, seat: int | None, *, repeat: bool = False, **fields: Any
    ) -> None:
        if seat is None:
            if not self.own_seats:
                message = f"You are a spectator at table {self.id}; only its players can {kind}."
                raise RequestError("not_your_seat", message)
            seat = self.own_seats[0]
        await self._channel.request({"type": kind, "seat": seat, **fields}, repeat=repeat)

    # Messages of the server.

    def _receive(self, message: Message) -> None:
        match message["type"]:
            case "table":
                self._read_table(message)
            case "update":
                self._read_update(message)
            case "presence":
                pass
            case _:
                return
        self._changed.set()

    def _read_table(self, message: Message) -> None:
        if message["protocol"] != PROTOCOL:
            raise ProtocolError(f"The server speaks protocol {message['protocol']}, not {PROTOCOL}")
        table = message["table"]
        try:
            self.game = load_untrusted(table["game"], option_texts(table["options"]))
        except ValueError as error:
            raise ClientError(f"This program cannot play {table['title']}: {error}") from None
        start = table.get("start")
        first = self.game.position(start) if start else self.game.start(table["seed"] or 0)
        self.time_control = parse_time_control(table["time_control"])
        self.rated = table.get("rated", False)
        self.own_seats = tuple(message["your_seats"])
        self._positions, self._moves = [first], []
        self._revision += 1
        for played in message["moves"]:
            self._append(played["move"])
        self.seq = message["seq"]
        self._read_state(message["state"])

    def _read_update(self, message: Message) -> None:
        for event in message["events"]:
            if event["seq"] <= self.seq:
                continue
            if event["type"] == "moved":
                self._append(event["move"])
            elif event["type"] == "took_back":
                del self._moves[event["ply"] :], self._positions[event["ply"] + 1 :]
                self._revision += 1
            head = {key: event[key] for key in ("seq", "type", "time")}
            data = {key: value for key, value in event.items() if key not in head}
            self._events.append(TableEvent(**head, data=data))
        self.seq = max(self.seq, message["seq"])
        if "your_seats" in message:  # after reconnecting
            self.own_seats = tuple(message["your_seats"])
        self._read_state(message["state"])

    def _read_state(self, state: Message) -> None:
        self.seats = tuple(Seat.parse(seat) for seat in state["seats"])
        self.offers = tuple(
            Offer(one["offer"], one["seat"], tuple(one["awaiting"])) for one in state["offers"]
        )
        self.over, self.result = state["over"], state["result"]
        self.result_text, self.winners = state["result_text"], tuple(state["winners"])
        self.rematch = state["rematch"]
        self._clock, self._clock_read = state["clock"], monotonic()

    def _append(self, move: str) -> None:
        self._positions.append(self.position.play(move))
        self._moves.append(move)
        self._revision += 1
