"""The state of a game session, replayed from its events. No I/O; time comes from the events."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from teahouse.core.catalog import load_untrusted
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.core.record import Record
from teahouse.core.result import UNFINISHED, winners_text
from teahouse.session import events as ev
from teahouse.session.clock import Clock
from teahouse.session.consent import PendingOffer, accepted, consenting_with, declined
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.moves import MoveOutcome, PlayedMove

LastMove = tuple[Position, str]
"""A move, and the position it was played in."""
CHAT_WINDOW = 100
"""Chat messages kept in memory; the log has all of them."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a seat at the moment."""

    kind: str
    """local, remote or bot."""
    name: str | None
    level: int | None
    joined: bool
    account: str | None = None
    """The id of the account that plays the seat, or did until a bot took over; None for guests."""
    program: bool = False
    """Whether that is a bot account."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast bots play against each other."""

    speed: float | None = 1.0
    """Factor of the normal pace; None for as fast as possible."""
    paused: bool = False


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A chat message; `seq` is that of its event."""

    seq: int
    seat: int
    text: str
    time: float


class GameSession:
    """One game being played by people and bots."""

    def __init__(self, created: ev.Created, now: Timestamp) -> None:
        self.created = created
        self._without_help = created.without_help
        self.created_at = now.wall
        self.game: Game = load_untrusted(created.game, option_texts(created.options))
        self.start: Position = (
            self.game.position(created.start)
            if created.start
            else self.game.start(created.seed or 0)
        )
        self.seq = 1
        self.updated = now.wall
        self.position = self.start
        self.moves: list[PlayedMove] = []
        self.states: list[bytes] = []
        """The state after each move, so that positions need no replay."""
        self.last: LastMove | None = None
        self.revision = 0
        """Incremented with every change of the position; unlike a ply, it never repeats."""
        self.chat: deque[ChatMessage] = deque(maxlen=CHAT_WINDOW)
        """The latest messages."""
        self.chat_count = 0
        """The number of all messages."""
        self.ended: ev.Ended | None = None
        self.offers: dict[ev.OfferKind, PendingOffer] = {}
        self.declined: dict[ev.OfferKind, int] = {}
        """The revision at which an offer of a kind was last declined."""
        self.rematch: str | None = None
        self.hint_users: frozenset[int | None] = frozenset()
        """Seats that have asked for a hint since the last move; None for spectators."""
        self.pace = Pace()
        self.start_since = now.uptime
        """The server's uptime when somebody last joined or moved, for `start_within`."""
        self.seats = [_seat(spec) for spec in created.seats]
        self.clock = Clock(created.time_control, [seat.kind != "bot" for seat in self.seats])
        self._run_clock(now)

    @classmethod
    def replay(cls, log: Sequence[LoggedEvent]) -> GameSession:
        """Replay a session from all its events."""
        created = log[0].event
        assert isinstance(created, ev.Created), "the first event creates the game"
        session = cls(created, log[0].time)
        for logged in log[1:]:
            session.apply(logged)
        return session

    @classmethod
    def from_record(
        cls, record: Record, seats: Sequence[ev.SeatSpec], now: Timestamp
    ) -> GameSession:
        """Return a session in which the moves of a record were played."""
        start, seed = record.positions[0], record.seed
        by_seed = seed is not None and start == record.game.start(seed)
        created = ev.Created(
            game=record.game.name,
            options=record.game.options,
            seed=seed,
            start=None if by_seed else str(start),
            seats=tuple(seats),
        )
        session = cls(created, now)
        for ply, move in enumerate(record.moves):
            session.commit([ev.Moved(seat=session.position.player, ply=ply, move=move)], now)
        if record.result != session.result:
            session.commit([ev.Ended(result=record.result, reason=None, seat=None)], now)
        return session

    def copy(self) -> GameSession:
        """Return an independent copy, to apply events that may have to be dropped."""
        other = object.__new__(GameSession)
        other.__dict__.update(self.__dict__)  # as `copy` does, in a third of the time
        other.moves = list(self.moves)
        other.states = list(self.states)
        other.chat = self.chat.copy()
        other.offers = dict(self.offers)
        other.declined = dict(self.declined)
        other.seats = list(self.seats)
        other.clock = self.clock.copy()
        return other

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or otherwise."""
        return self.ended is not None or self.position.over

    @property
    def player(self) -> int | None:
        """The seat to move; None when the game is over."""
        return None if self.over else self.position.player

    @property
    def ply(self) -> int:
        """The number of moves played in this session."""
        return len(self.moves)

    @property
    def result(self) -> str:
        """The result in a record's notation."""
        if self.ended is not None:
            return self.ended.result
        if not self.position.over:
            return UNFINISHED
        return winners_text(self.game, self.position.winners)

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats; empty for a draw and during the game."""
        if not self.over:
            return ()
        names = self.result.split("+")
        return tuple(seat for seat, name in enumerate(self.game.players) if name in names)

    @property
    def help_allowed(self) -> bool:
        """Whether the computer may help with the game as it stands."""
        return not self._without_help or self.over

    @property
    def bot_to_move(self) -> bool:
        """Whether it is a bot's turn."""
        return self.player is not None and self.is_bot(self.player)

    @property
    def bots_only(self) -> bool:
        """Whether bots play all seats."""
        return all(seat.kind == "bot" for seat in self.seats)

    @property
    def needs_audience(self) -> bool:
        """Whether bots play only while somebody watches: nothing depends on their game."""
        return self.bots_only and self.created.tournament is None

    @property
    def turn(self) -> tuple[int, bool]:
        """Identifies the turn that a bot searches: when it changes, the search is obsolete."""
        return self.revision, self.bot_to_move

    def is_bot(self, seat: int) -> bool:
        """Return whether a bot plays this seat."""
        return self.seats[seat].kind == "bot"

    def seats_of(self, account: str) -> frozenset[int]:
        """Return the seats that an account has or had until a bot took over, or its device has."""
        own = [number for number, seat in enumerate(self.seats) if seat.account == account]
        return frozenset(
            number for seat in own for number in consenting_with(self, seat, "rematch")
        )

    def last_ply_of(self, seats: Iterable[int]) -> int | None:
        """Return the ply of the last move that one of these seats played."""
        wanted = set(seats)
        plies = (ply for ply in reversed(range(self.ply)) if self.moves[ply].player in wanted)
        return next(plies, None)

    def at(self, ply: int) -> tuple[Position, LastMove | None]:
        """Return the position after a number of moves, and the move that led there."""
        if not 0 < ply <= self.ply:
            return self.start, None
        return self._position(ply), (self._position(ply - 1), self.moves[ply - 1].move)

    def _position(self, ply: int) -> Position:
        if ply == 0:
            return self.start
        return Position(self.game, self.states[ply - 1], self.start.ply + ply)

    def turns_since(self, ply: int) -> list[int]:
        """Return the seats whose turn ended with a move at `ply` or later, one for each turn."""
        seats = [played.player for played in self.moves[ply:]]
        if not self.position.over:
            seats.append(self.position.player)
        return [seat for seat, after in pairwise(seats) if after != seat]

    def record(self) -> Record:
        """Return the game so far as a record."""
        positions = [self._position(ply) for ply in range(self.ply + 1)]
        moves = [played.move for played in self.moves]
        record = Record.played(self.game, positions, moves, self.created.seed)
        for name, seat in zip(self.game.players, self.seats, strict=True):
            who = f"bot, level {seat.level}" if seat.kind == "bot" else seat.name
            if who:
                record.names[name] = who
        if self.ended is not None and self.ended.result != UNFINISHED:
            record.end(self.ended.result)
        return record

    def commit(self, events: Iterable[ev.Event], now: Timestamp) -> list[LoggedEvent]:
        """Number events, apply them, and return them for the log."""
        log = []
        for event in events:
            log.append(LoggedEvent(self.seq + 1, now, event))
            self.apply(log[-1])
        return log

    def apply(self, logged: LoggedEvent, outcome: MoveOutcome | None = None) -> None:
        """Apply the next event of the log; the outcome of a move is computed unless it is known."""
        assert logged.seq == self.seq + 1, "events are numbered without gaps"
        event, now = logged.event, logged.time
        self.seq = logged.seq
        if not isinstance(event, ev.Claimed):  # nothing has happened in the game
            self.updated = now.wall
        match event:
            case ev.Joined(seat=seat, account=None):
                self.seats[seat] = replace(self.seats[seat], joined=True)
            case ev.Joined(seat=seat, account=account, name=name, program=program):
                self.seats[seat] = replace(
                    self.seats[seat], joined=True, account=account, name=name, program=program
                )
            case ev.Claimed(seat=seat, account=account, name=name):
                self.seats[seat] = replace(self.seats[seat], account=account, name=name)
            case ev.Renamed(seat=seat, name=name):
                self.seats[seat] = replace(self.seats[seat], name=name)
            case ev.Moved():
                self._move(event, now, outcome)
            case ev.TookBack(ply=ply):
                self._rewind(ply, now)
            case ev.Offered(seat=seat, offer=kind, ply=ply):
                agreed = consenting_with(self, seat, kind)
                self.offers[kind] = PendingOffer(kind, seat, ply, agreed, since=now.wall)
            case ev.Responded(seat=seat, offer=kind, accept=True):
                self.offers[kind] = accepted(self, self.offers[kind], seat)
            case ev.Responded(seat=seat, offer=kind):
                if kind != "rematch":
                    self.declined[kind] = self.revision
                left = declined(self, self.offers.pop(kind), seat)
                if left is not None:
                    self.offers[kind] = left
            case ev.Ended():
                self.ended = event
            case ev.Replaced():
                self._replace(event, now)
            case ev.Chatted(seat=seat, text=text):
                self.chat.append(ChatMessage(self.seq, seat, text, now.wall))
                self.chat_count += 1
            case ev.HintUsed(seat=asking):
                self.hint_users |= {asking}
            case ev.Paced(speed=speed, paused=paused):
                self.pace = Pace(speed, paused)
            case ev.Vacation(seat=seat, until=until):
                self.clock.pause(seat, until, now)
            case ev.Rematched(table=table):
                self.rematch = table
                self.offers.clear()
        if isinstance(event, ev.Moved | ev.TookBack | ev.Ended | ev.Replaced):
            self.offers = {kind: one for kind, one in self.offers.items() if kind == "rematch"}
        if isinstance(event, ev.Joined | ev.Moved | ev.TookBack):
            self.start_since = now.uptime
        self._run_clock(now)

    def _move(self, event: ev.Moved, now: Timestamp, outcome: MoveOutcome | None) -> None:
        self.clock.stop_turn(event.seat, now, event.lag)
        self.revision += 1
        self.hint_users = frozenset()
        self.last = (self.position, event.move)
        if outcome is None:  # it takes all legal moves of the position
            description = self.position.describe(event.move)
            outcome = MoveOutcome(description, self.position.play(event.move).state)
        self.moves.append(PlayedMove(event.move, self.position.player, outcome.description))
        self.states.append(outcome.state)
        self.position = self._position(self.ply)
        if not self.position.over and self.position.player != event.seat:
            self.clock.pass_turn(event.seat, self.position.player)

    def _rewind(self, ply: int, now: Timestamp) -> None:
        self.clock.settle(now)
        self.clock.undo_turns(self.turns_since(ply))
        self.revision += 1
        self.hint_users = frozenset()
        self.ended = None
        del self.moves[ply:], self.states[ply:]
        self.position, self.last = self.at(ply)
        if self.clock.running != self.position.player:  # else their turn simply continues
            self.clock.renew(self.position.player)

    def _replace(self, event: ev.Replaced, now: Timestamp) -> None:
        self.clock.run(None, now)
        self.seats[event.seat] = replace(
            self.seats[event.seat], kind="bot", level=event.level, joined=True
        )
        self.clock.remove(event.seat)

    def _run_clock(self, now: Timestamp) -> None:
        """Run the clock of the seat to move, once everybody has joined."""
        ready = all(seat.joined for seat in self.seats)
        seat = self.player if ready else None
        if seat != self.clock.running or seat is None:
            self.clock.run(seat, now)


def _seat(spec: ev.SeatSpec) -> Seat:
    if isinstance(spec, ev.BotSeat):
        return Seat("bot", None, spec.level, joined=True)
    return Seat(
        spec.kind, spec.name, None, spec.kind == "local", account=spec.account, program=spec.program
    )
