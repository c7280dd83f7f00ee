"""A table: what its events add up to. No input or output, no time but that of the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from teahouse.core.catalog import load_untrusted
from teahouse.core.game import Game, game_info
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.core.result import DRAW, UNFINISHED
from teahouse.server import events as ev
from teahouse.server import messages as ms
from teahouse.server.clock import Clock
from teahouse.server.events import Happened, Now
from teahouse.server.ipc import option_texts
from teahouse.server.snapshots import Told, told


@dataclass
class Seat:
    """Who sits here."""

    kind: str
    name: str | None
    level: int | None
    sat: bool


@dataclass
class Offer:
    """What is asked of the others, and who has agreed so far."""

    offer: ms.OfferName
    seat: int
    ply: int
    agreed: set[int] = field(default_factory=set)


class Table:
    """One game being played."""

    def __init__(self, opened: ev.Opened, now: Now) -> None:
        self.game: Game = load_untrusted(opened.game, option_texts(opened.options))
        self.opened = opened
        self.opened_at = now.wall
        self.start = (
            self.game.position(opened.start) if opened.start else self.game.start(opened.seed or 0)
        )
        self.number = 0
        self.changed = now.wall
        self.position: Position = self.start
        self.moves: list[Told] = []
        self.last: tuple[Position, str] | None = None
        """The last move, and the position it was played in."""
        self.changes = 0
        """How often the position has changed: plies can come again, this cannot."""
        self.chat: list[dict[str, Any]] = []
        self.ended: ev.Ended | None = None
        self.offers: dict[str, Offer] = {}
        self.rematch: str | None = None
        self.declined: dict[str, int] = {}
        """The offers that were declined, each with `changes` as it was then."""
        self.hinted = -1
        """`changes` as it was when a hint was asked for last."""
        self.seats = [
            Seat(seat.kind, getattr(seat, "name", None), getattr(seat, "level", None), False)
            for seat in opened.seats
        ]
        for seat in self.seats:
            seat.sat = seat.kind != "link"
        self.clock = Clock(opened.clock, [seat.kind != "bot" for seat in self.seats])
        self._run_clock(now)

    @classmethod
    def of(cls, happened: Sequence[Happened]) -> Table:
        """The table that these events, from the first on, add up to."""
        first = happened[0]
        assert isinstance(first.event, ev.Opened), "a table begins with its opening"
        table = cls(first.event, first.now)
        for one in happened:
            table.apply(one)
        return table

    # What is so.

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or otherwise."""
        return self.ended is not None or self.position.over

    @property
    def player(self) -> int | None:
        """The seat that decides next."""
        return None if self.over else self.position.player

    @property
    def ply(self) -> int:
        """How many decisions were taken at this table."""
        return len(self.moves)

    @property
    def result(self) -> str:
        """As a record says it."""
        if self.ended is not None:
            return self.ended.result
        if not self.position.over:
            return UNFINISHED
        return "+".join(self.game.players[seat] for seat in self.position.winners) or DRAW

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that have won."""
        named = self.result.split("+") if self.over else []
        return tuple(seat for seat, name in enumerate(self.game.players) if name in named)

    @property
    def bot_to_play(self) -> bool:
        """Whether a bot decides next."""
        return self.player is not None and self.seats[self.player].kind == "bot"

    @property
    def turn(self) -> tuple[int, bool]:
        """What a bot thinks about: this changes if it need not go on."""
        return self.changes, self.bot_to_play

    def waits_for(self, seat: int) -> bool:
        """Whether a decision or an answer of this seat is missing."""
        return self.player == seat or any(seat in self.missing(one) for one in self.offers.values())

    def voice(self, seat: int) -> set[int]:
        """The seats that speak with one voice: all on the screen that opened the table, or one."""
        if self.seats[seat].kind != "here":
            return {seat}
        return {number for number, other in enumerate(self.seats) if other.kind == "here"}

    def missing(self, offer: Offer) -> set[int]:
        """The seats whose answer is missing."""
        asked = set(range(len(self.seats)))
        if offer.offer == "resign":
            asked = set(next(team for team in self.game.teams if offer.seat in team))
        if offer.offer != "draw":
            asked = {seat for seat in asked if self.seats[seat].kind != "bot"}
        return asked - offer.agreed

    # What has happened.

    def apply(self, happened: Happened) -> None:
        """Make an event so."""
        assert happened.number == self.number + 1, "events are numbered without a gap"
        event, now = happened.event, happened.now
        self.number = happened.number
        self.changed = now.wall
        match event:
            case ev.Sat():
                self.seats[event.seat].sat = True
            case ev.Named():
                self.seats[event.seat].name = event.name
            case ev.Moved():
                self._moved(event, now)
            case ev.TakenBack():
                self.clock.settle(now)
                self._cut(event.ply)
                self.clock.renew(self.position.player)
            case ev.Offered():
                agreed = self.voice(event.seat)
                self.offers[event.offer] = Offer(event.offer, event.seat, event.ply, agreed)
            case ev.Answered(yes=True):
                self.offers[event.offer].agreed |= self.voice(event.seat)
            case ev.Answered():
                if event.offer != "rematch":
                    self.declined[event.offer] = self.changes
                del self.offers[event.offer]
            case ev.Ended():
                self.ended = event
            case ev.Replaced():
                self._replaced(event, now)
            case ev.Said():
                said = {"number": self.number, "seat": event.seat, "text": event.text}
                self.chat.append({**said, "at": now.wall})
            case ev.Hinted():
                self.hinted = self.changes
            case ev.Rematch():
                self.rematch = event.table
                self.offers.clear()
        if isinstance(event, ev.Moved | ev.TakenBack | ev.Ended | ev.Replaced):
            self.offers.clear()
        self._run_clock(now)

    def _moved(self, event: ev.Moved, now: Now) -> None:
        self.clock.settle(now)
        self.changes += 1
        self.last = (self.position, event.move)
        self.moves.append(told(self.position, event.move))
        self.position = self.position.play(event.move)
        if not self.position.over and self.position.player != event.seat:
            self.clock.passed(event.seat, self.position.player)

    def _cut(self, ply: int) -> None:
        """Back to an earlier ply."""
        self.changes += 1
        del self.moves[ply:]
        self.position, self.last = self.at(ply)

    def at(self, ply: int) -> tuple[Position, tuple[Position, str] | None]:
        """The position after so many decisions, and the last of those."""
        position, last = self.start, None
        for move in self.moves[:ply]:
            last = (position, move.move)
            position = position.play(move.move)
        return position, last

    def _replaced(self, event: ev.Replaced, now: Now) -> None:
        self.clock.run(None, now)
        seat = self.seats[event.seat]
        seat.kind, seat.level, seat.sat = "bot", event.level, True
        self.clock.retire(event.seat)

    def _run_clock(self, now: Now) -> None:
        """Time runs once all have come, until the game is over."""
        ready = all(seat.sat for seat in self.seats)
        runs = self.player if ready else None
        if runs != self.clock.running or runs is None:
            self.clock.run(runs, now)

    # What others make of it.

    def record(self) -> Record:
        """The game so far as a record."""
        record = Record(self.game, self.start, self.opened.seed)
        for name, seat in zip(self.game.players, self.seats, strict=True):
            who = f"bot, level {seat.level}" if seat.kind == "bot" else seat.name
            if who:
                record.names[name] = who
        for move in self.moves:
            record.play(move.move)
        if self.ended is not None:
            record.end(self.ended.result)
        return record

    def rematch_seats(self) -> list[int]:
        """For every seat of the next game, the seat of this one whose owner takes it.

        Everybody moves on by a seat, unless the game says where its loser sits next.
        """
        count = len(self.seats)
        shift = 1
        takes = game_info(self.game.name).loser_seat
        losers = [seat for seat in range(count) if seat not in self.winners]
        if takes is not None and self.winners:
            shift = (self.game.players.index(takes) - losers[0]) % count
        return [(seat - shift) % count for seat in range(count)]

    def rematch_seat(self, seat: int) -> ms.Person | ms.BotSeat:
        """Whoever sat on a seat when the table was opened, for the next table."""
        choice = self.opened.seats[seat]
        if isinstance(choice, ms.BotSeat):
            return choice
        return ms.Person(kind=choice.kind, name=self.seats[seat].name)
