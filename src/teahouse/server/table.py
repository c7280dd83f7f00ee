"""A table: what its events add up to, and which events a message leads to.

Everything here is reckoning: no input or output, no time but the one passed in. `follow` tells what would happen
and changes nothing; `apply` makes it so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from teahouse.core.catalog import load_foreign
from teahouse.core.errors import IllegalMove
from teahouse.core.game import Game, facts
from teahouse.core.position import Position
from teahouse.core.record import DRAW, UNFINISHED, Record
from teahouse.server import events as ev
from teahouse.server import messages as ms
from teahouse.server.clock import Clock
from teahouse.server.events import Event, Happened, Now
from teahouse.server.refusal import Refused
from teahouse.server.views import Told, told

SUBSTITUTE_LEVEL = 3  # of the bot that plays on for somebody who has left a game of three sides


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
        self.game: Game = load_foreign(opened.game, option_texts(opened.options))
        self.opened = opened
        self.opened_at = now.wall
        self.start = (
            self.game.position(opened.start) if opened.start else self.game.start(opened.seed or 0)
        )
        self.number = 0
        self.changed = now.wall
        self.position: Position = self.start
        self.moves: list[Told] = []
        self.moves_made = 0
        """How often the position has changed: it names a position, where a ply could come again."""
        self.chat: list[dict[str, Any]] = []
        self.ended: ev.Ended | None = None
        self.offers: dict[str, Offer] = {}
        self.rematch: str | None = None
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
            asked = set(self._team(offer.seat))
        if offer.offer != "draw":
            asked = {seat for seat in asked if self.seats[seat].kind != "bot"}
        return asked - offer.agreed

    def _team(self, seat: int) -> tuple[int, ...]:
        return next(team for team in self.game.teams if seat in team)

    # What a message leads to.

    def follow(self, command: ms.TableCommand, now: Now, fresh: str) -> list[Event]:
        """The events a message of a seat's owner leads to; `fresh` is the id of a table to be."""
        if command.seat >= len(self.seats) or self.seats[command.seat].kind == "bot":
            raise Refused("seat", f"seat {command.seat} is not a person's")
        match command:
            case ms.Say():
                return [ev.Said(seat=command.seat, text=command.text)]
            case ms.Rename():
                return [ev.Named(seat=command.seat, name=command.name)]
            case ms.Answer():
                return self._answer(command.seat, command.offer, command.yes, fresh)
            case ms.Ask(offer="rematch"):
                return self._ask_rematch(command.seat, fresh)
        if isinstance(command, ms.Play) and self.repeats(command):
            return []
        if self.over:
            raise Refused("over", f"the game is over ({self.result})")
        if self.clock.fallen(now):
            raise Refused("time", "the time is up")
        match command:
            case ms.Play():
                return [self.move(command.seat, command.ply, command.move)]
            case ms.Hint():
                return self._hint(command)
            case ms.Resign():
                return self._settle(Offer("resign", command.seat, self.ply), fresh)
            case ms.Ask(offer="draw"):
                return self._settle(Offer("draw", command.seat, self.ply), fresh)
            case ms.Ask():
                return self._settle(
                    Offer("takeback", command.seat, self._takeback_ply(command)), fresh
                )
        raise AssertionError(command)

    def repeats(self, command: ms.Play) -> bool:
        """Whether this decision was taken just so before: its sender did not hear of it."""
        if command.ply >= self.ply:
            return False
        done = self.moves[command.ply]
        return (done.player, done.move) == (command.seat, command.move)

    def move(self, seat: int, ply: int, text: str) -> ev.Moved:
        """A decision, if it may be taken."""
        if ply != self.ply:
            raise Refused("late", f"decision {ply} is not due: the table is at {self.ply}")
        if seat != self.player:
            decider = self.game.players[self.position.player]
            raise Refused("turn", f"{decider} decides now, not {self.game.players[seat]}")
        try:
            exact = self.position.exact(text)
        except IllegalMove as error:
            raise Refused("illegal", str(error), self.position.legal) from None
        return ev.Moved(seat=seat, ply=ply, move=exact)

    def time_up(self, now: Now) -> list[Event]:
        """What follows if the running seat has no time left."""
        if self.over or not self.clock.fallen(now):
            return []
        assert self.clock.running is not None
        return [self._given_up(self.clock.running, "time")]

    def sit(self, seats: set[int]) -> list[Event]:
        """What follows when somebody comes with secrets of these seats."""
        return [ev.Sat(seat=seat) for seat in sorted(seats) if not self.seats[seat].sat]

    def answer_for_bot(self, seat: int, yes: bool) -> list[Event]:
        """A bot's answer to an offered draw, if that still stands."""
        offer = self.offers.get("draw")
        if offer is None or seat not in self.missing(offer):
            return []
        return self._answer(seat, "draw", yes, "")

    def _hint(self, command: ms.Hint) -> list[Event]:
        if command.ply != self.ply:
            raise Refused("late", f"decision {command.ply} is not due: the table is at {self.ply}")
        if command.seat != self.player:
            raise Refused("turn", "a hint is for your own decision")
        if ev.Hinted(seat=command.seat, ply=command.ply) == self._hinted:
            return []
        return [ev.Hinted(seat=command.seat, ply=command.ply)]

    _hinted: ev.Hinted | None = None

    def _takeback_ply(self, command: ms.Ask) -> int:
        own = [ply for ply, move in enumerate(self.moves) if move.player == command.seat]
        if not own:
            raise Refused("offer", "there is no decision of yours to take back")
        ply = own[-1] if command.ply is None else command.ply
        if ply not in own:
            allowed = [str(one) for one in own]
            raise Refused("offer", f"decision {ply} was not yours to take back", allowed)
        return ply

    def _ask_rematch(self, seat: int, fresh: str) -> list[Event]:
        if not self.over:
            raise Refused("offer", "a rematch is possible when the game is over")
        if self.rematch is not None:
            raise Refused("offer", f"the rematch is at table {self.rematch}", [self.rematch])
        return self._settle(Offer("rematch", seat, self.ply), fresh)

    def _settle(self, offer: Offer, fresh: str) -> list[Event]:
        """Ask, or have it at once where nobody else must agree."""
        standing = self.offers.get(offer.offer)
        if standing is not None:
            if self.voice(offer.seat) <= standing.agreed:
                raise Refused("offer", f"the {offer.offer} has been asked for already")
            if standing.ply == offer.ply:
                return self._answer(offer.seat, offer.offer, True, fresh)
            raise Refused("offer", f"another {offer.offer} is being asked for: answer it first")
        offer.agreed = self.voice(offer.seat)
        if not self.missing(offer):
            return [self._granted(offer, fresh)]
        return [ev.Offered(seat=offer.seat, offer=offer.offer, ply=offer.ply)]

    def _answer(self, seat: int, name: ms.OfferName, yes: bool, fresh: str) -> list[Event]:
        offer = self.offers.get(name)
        if offer is None:
            raise Refused("offer", f"nobody asks for a {name}", sorted(self.offers))
        answered = ev.Answered(seat=seat, offer=name, yes=yes)
        if not yes and (seat in self.missing(offer) or seat in offer.agreed):
            return [answered]
        if seat not in self.missing(offer):
            raise Refused("offer", f"the {name} does not wait for an answer of yours")
        agreed = Offer(offer.offer, offer.seat, offer.ply, offer.agreed | self.voice(seat))
        if self.missing(agreed):
            return [answered]
        return [answered, self._granted(agreed, fresh)]

    def _granted(self, offer: Offer, fresh: str) -> Event:
        """What all have agreed to."""
        match offer.offer:
            case "takeback":
                return ev.TakenBack(ply=offer.ply)
            case "draw":
                return ev.Ended(result=DRAW, how="agreed", seat=None)
            case "resign":
                return self._given_up(offer.seat, "resigned")
            case "rematch":
                return ev.Rematch(table=fresh)

    def _given_up(self, seat: int, how: ev.How) -> Event:
        """The other side has won; with more than one other side a bot plays on."""
        team = self._team(seat)
        others = [other for other in self.game.teams if other != team]
        if len(others) > 1:
            return ev.Replaced(seat=seat, level=SUBSTITUTE_LEVEL, how=how)
        result = "+".join(self.game.players[winner] for winner in sorted(others[0]))
        return ev.Ended(result=result, how=how, seat=seat)

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
                del self.offers[event.offer]
            case ev.Ended():
                self.ended = event
            case ev.Replaced():
                self._replaced(event, now)
            case ev.Said():
                said = {"number": self.number, "seat": event.seat, "text": event.text}
                self.chat.append({**said, "at": now.wall})
            case ev.Hinted():
                self._hinted = event
            case ev.Rematch():
                self.rematch = event.table
                self.offers.clear()
        if isinstance(event, ev.Moved | ev.TakenBack | ev.Ended | ev.Replaced):
            self.offers.clear()
        self._run_clock(now)

    def _moved(self, event: ev.Moved, now: Now) -> None:
        self.clock.settle(now)
        self.moves_made += 1
        self.moves.append(told(self.position, event.move))
        self.position = self.position.play(event.move)
        if not self.position.over and self.position.player != event.seat:
            self.clock.passed(event.seat, self.position.player)

    def _cut(self, ply: int) -> None:
        """Back to an earlier ply."""
        self.moves_made += 1
        del self.moves[ply:]
        self.position = self.position_at(ply)

    def position_at(self, ply: int) -> Position:
        """The position after so many decisions of this table."""
        position = self.start
        for move in self.moves[:ply]:
            position = position.play(move.move)
        return position

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
        takes = facts(self.game.name).loser_takes
        losers = [seat for seat in range(count) if seat not in self.winners]
        if takes is not None and self.winners:
            shift = (self.game.players.index(takes) - losers[0]) % count
        return [(seat - shift) % count for seat in range(count)]


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Options from outside as text; None stands for the default."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in options.items()
        if value is not None
    }
