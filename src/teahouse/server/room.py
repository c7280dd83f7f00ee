"""A table in memory: its state as everybody gets it, and those who look at it."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Any, Protocol

from teahouse.core.position import Position
from teahouse.server import events as ev
from teahouse.server.errors import Refused
from teahouse.server.events import Happened, Now
from teahouse.server.store import Row
from teahouse.server.table import Table

RECENT = 64  # events kept for those who come back


def hashed(secret: str) -> str:
    """What is kept of a secret: drawn from 2¹²⁸ ones, so a plain hash cannot be undone."""
    return sha256(secret.encode()).hexdigest()


def seats_opened(keys: Sequence[str | None], given: Iterable[str]) -> frozenset[int]:
    """The seats that these secrets open; Refused if one opens none."""
    seats: set[int] = set()
    for secret in given:
        digest = hashed(secret)
        opened = {seat for seat, key in enumerate(keys) if compare_digest(key or "", digest)}
        if not opened:
            raise Refused("secret", "this secret opens no seat at this table")
        seats |= opened
    return frozenset(seats)


class Guest(Protocol):
    """Somebody connected to a table."""

    seats: frozenset[int]
    views: bool
    """Whether views are wanted."""

    def send(self, message: str) -> None:
        """Pass a message on, now or soon."""

    def dismiss(self, code: int, why: str) -> None:
        """End the connection."""


@dataclass(frozen=True)
class Sight:
    """A position to be drawn for everybody, after an event."""

    number: int
    changes: int
    position: Position
    ply: int
    last: tuple[Position, str] | None


class Live:
    """A table in memory. Whoever reads or changes what it is, holds `lock`."""

    def __init__(self, table_id: str, keys: list[str | None], happened: Sequence[Happened]) -> None:
        self.id = table_id
        self.keys = keys
        self.table = Table.of(happened)
        self.lock = asyncio.Lock()
        self.guests: set[Guest] = set()
        self.thinking: asyncio.Task[None] | None = None
        self.thinks_about: tuple[int, bool] | None = None
        self.judging: asyncio.Task[None] | None = None
        self.gone = False
        """Whether this is no longer the table that the house knows."""
        self.used = 0.0
        """When it was last asked for, in the house's open time."""
        self.presence_due = False
        self.drawn = (-1, "")
        """The last view that was drawn, and `table.changes` then."""
        self.painting: asyncio.Task[None] | None = None
        self.to_paint: deque[Sight] = deque()
        self._recent = deque((self._shown(one) for one in happened[-RECENT:]), RECENT)

    @property
    def here(self) -> list[bool]:
        """For each seat whether its owner is connected; a bot always is."""
        held: set[int] = set().union(*(guest.seats for guest in self.guests))
        seats = enumerate(self.table.seats)
        return [seat.kind == "bot" or number in held for number, seat in seats]

    @property
    def watching(self) -> int:
        """How many look on without a seat."""
        return sum(not guest.seats for guest in self.guests)

    def tell(self, message: str) -> None:
        """The same text for everybody."""
        for guest in list(self.guests):
            guest.send(message)

    def show(self, sight: Sight, drawn: str) -> None:
        """A drawn position for all who want views."""
        self.drawn = (sight.changes, drawn)
        message = view_message(sight.number, drawn)
        for guest in list(self.guests):
            if guest.views:
                guest.send(message)

    def sight(self) -> Sight:
        """The position now."""
        table = self.table
        return Sight(table.number, table.changes, table.position, table.ply, table.last)

    # As JSON.

    def update(self, happened: Sequence[Happened], now: Now) -> str:
        """The message about what has just happened."""
        told = [self._shown(one) for one in happened]
        self._recent.extend(told)
        return self._update(told, now)

    def missed(self, seen: int, now: Now) -> str | None:
        """The message about all that happened after an event, if that is not too long ago."""
        missed = [one for one in self._recent if one["number"] > seen]
        if 0 < seen <= self.table.number and len(missed) == self.table.number - seen:
            return self._update(missed, now)
        return None

    def welcome(self, guest: Guest, now: Now, drawn: str | None) -> str:
        """The message with everything, for a guest."""
        head = {"type": "table", "yours": sorted(guest.seats), "watching": self.watching}
        body = {**head, **self.whole(now)}
        return to_json(body) if drawn is None else with_view(body, drawn)

    def presence(self) -> str:
        """The message about who is there."""
        return to_json({"type": "presence", "here": self.here, "watching": self.watching})

    def _update(self, told: list[dict[str, Any]], now: Now) -> str:
        head = {"type": "update", "number": self.table.number}
        return to_json({**head, "events": told, "state": self._state(now)})

    def _shown(self, happened: Happened) -> dict[str, Any]:
        """An event as everybody gets it."""
        event = happened.event
        head = {"number": happened.number, "at": happened.now.wall}
        if isinstance(event, ev.Opened):
            return {**head, "type": event.type}
        body = event.model_dump()
        if isinstance(event, ev.Moved):
            moves = self.table.moves[event.ply : event.ply + 1]
            body["says"] = (
                moves[0].describe if moves and moves[0].move == event.move else event.move
            )
        return head | body

    def _state(self, now: Now) -> dict[str, Any]:
        """What may change, but for moves, chat and the position."""
        table = self.table
        seats = [
            {
                "kind": seat.kind,
                "name": seat.name,
                "level": seat.level,
                "sat": seat.sat,
                "here": here,
            }
            for seat, here in zip(table.seats, self.here, strict=True)
        ]
        offers = [
            {
                "offer": offer.offer,
                "seat": offer.seat,
                "ply": offer.ply,
                "agreed": sorted(offer.agreed),
                "waits": sorted(table.missing(offer)),
            }
            for offer in table.offers.values()
        ]
        return {
            "seats": seats,
            "ply": table.ply,
            "player": table.player,
            "over": table.over,
            "result": table.result,
            "winners": table.winners,
            "how": table.ended.how if table.ended else None,
            "offers": offers,
            "thinking": table.bot_to_play,
            "rematch": table.rematch,
            "time": table.clock.shown(now),
        }

    def whole(self, now: Now) -> dict[str, Any]:
        """Everything that everybody may know, but for the view."""
        table = self.table
        return {
            "number": table.number,
            "table": {
                "id": self.id,
                "game": table.game.name,
                "title": table.game.title,
                "options": table.game.options,
                "seed": table.opened.seed,
                "players": table.game.players,
                "teams": table.game.teams,
                "opened": table.opened_at,
                "clock": table.opened.clock.model_dump(),
            },
            "state": self._state(now),
            "moves": [move.listed() for move in table.moves],
            "chat": table.chat,
        }

    # For the store.

    def row(self) -> Row:
        """What is kept beside the events."""
        table = self.table
        asked = {seat for offer in table.offers.values() for seat in table.missing(offer)}
        bots = {seat for seat, one in enumerate(table.seats) if one.kind == "bot"}
        alarm = table.bot_to_play or bool(asked & bots) or table.clock.running is not None
        summary = {
            "game": table.game.name,
            "title": table.game.title,
            "players": table.game.players,
            "names": [seat.name for seat in table.seats],
            "ply": table.ply,
            "player": table.player,
            "over": table.over,
            "result": table.result,
            "how": table.ended.how if table.ended else None,
            "rematch": table.rematch,
            "waits": [seat for seat in range(len(table.seats)) if table.waits_for(seat)],
        }
        return Row(self.id, summary, table.over, alarm, self.keys)


def to_json(value: Any) -> str:
    """Short JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def view_message(number: int, drawn: str) -> str:
    """The message with a view."""
    return f'{{"type":"view","number":{number},"view":{drawn}}}'


def with_view(body: dict[str, Any], drawn: str) -> str:
    """A body with a view, which is JSON already."""
    return f'{to_json(body)[:-1]},"view":{drawn}}}'
