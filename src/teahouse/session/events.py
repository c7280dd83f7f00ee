"""Events of a game session (event sourcing): immutable values that a session is replayed from.

Events hold no secrets. `type` names an event on the wire and in the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

OfferKind = Literal["takeback", "draw", "resign", "rematch"]
EndReason = Literal["resigned", "agreed", "timeout", "aborted", "absent", "failed", "closed"]
"""`failed`: a UGI engine failed; `closed`: an operator closed the game."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment on two clocks, both in seconds.

    `wall` is Unix time. `uptime` is the total time the server has been running: it does
    not advance while the server is stopped, and neither do realtime clocks.
    """

    wall: float = 0.0
    uptime: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """An account that takes a seat."""

    account: str
    name: str
    program: bool = False
    """Whether it is a bot account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanSeat:
    """A seat for a person: on the device that created the game (local), or elsewhere (remote).

    A bot account has such a seat too.
    """

    kind: Literal["local", "remote"] = "local"
    name: str | None = None
    account: str | None = None
    """The id of the account that plays this seat; None for a guest."""
    program: bool = False
    """Whether that is a bot account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSeat:
    """A seat for a bot of a level."""

    kind: Literal["bot"] = "bot"
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Untimed:
    """No clock."""

    kind: Literal["none"] = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Realtime:
    """Seconds for the whole game, with an increment (Fischer) for each turn."""

    kind: Literal["realtime"] = "realtime"
    seconds: int
    increment: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence:
    """Days for each turn."""

    kind: Literal["correspondence"] = "correspondence"
    days: int


SeatSpec = HumanSeat | BotSeat
TimeControl = Untimed | Realtime | Correspondence


def between_people(seats: Sequence[SeatSpec]) -> bool:
    """Return whether people on several devices play each other, without bots."""
    kinds = {seat.kind for seat in seats}
    return "bot" not in kinds and "remote" in kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The game was created; always the first event."""

    type: Literal["created"] = "created"
    game: str
    options: dict[str, Any]
    seed: int | None = None
    start: str | None = None
    """The start position as text, if it is not the game's own."""
    seats: tuple[SeatSpec, ...]
    time_control: TimeControl = Untimed()
    listed: bool = False
    """Whether the game is shown to everybody; others watch by its link only."""
    rated: bool = False
    """Whether the result counts for the players' ratings."""
    tournament: str | None = None
    """The id of the tournament that the game belongs to."""
    start_within: int | None = None
    """Seconds in which everybody has to join, and then to make their first move; None for no
    limit."""

    @property
    def counts(self) -> bool:
        """Whether the game is rated or of a tournament: no computer help, no takebacks."""
        return self.rated or self.tournament is not None

    @property
    def without_help(self) -> bool:
        """Whether the computer must not help: in games between people, and in games that count.

        A bot that takes over a seat during the game does not change this.
        """
        people = any(seat.kind != "bot" for seat in self.seats)
        return between_people(self.seats) or (self.counts and people)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A player took their seat for the first time: a guest, or an account under its name."""

    type: Literal["joined"] = "joined"
    seat: int
    account: str | None = None
    name: str | None = None
    program: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A guest's seat became that of an account."""

    type: Literal["claimed"] = "claimed"
    seat: int
    account: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A player changed their name."""

    type: Literal["renamed"] = "renamed"
    seat: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A move was played."""

    type: Literal["moved"] = "moved"
    seat: int
    ply: int
    move: str
    lag: float = 0.0
    """Lag compensation in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A player made an offer that others have to accept."""

    type: Literal["offered"] = "offered"
    seat: int
    offer: OfferKind
    ply: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Responded:
    """A player accepted or declined an offer, or withdrew their own."""

    type: Literal["responded"] = "responded"
    seat: int
    offer: OfferKind
    accept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TookBack:
    """The game was rewound to an earlier ply."""

    type: Literal["took_back"] = "took_back"
    ply: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The game was decided by something other than its rules."""

    type: Literal["ended"] = "ended"
    result: str
    reason: EndReason | None
    """None if unknown: a record stores the result alone."""
    seat: int | None
    note: str = ""
    """An operator's reason for closing the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A bot took over the seat of a player who resigned or ran out of time."""

    type: Literal["replaced"] = "replaced"
    seat: int
    level: int
    reason: EndReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Chatted:
    """A player sent a chat message."""

    type: Literal["chatted"] = "chatted"
    seat: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HintUsed:
    """A player, or a spectator if `seat` is None, asked the computer about the game."""

    type: Literal["hint_used"] = "hint_used"
    seat: int | None
    ply: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paced:
    """The pace of a game between bots was set."""

    type: Literal["paced"] = "paced"
    speed: float | None
    """Factor of the normal pace; None for as fast as possible."""
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacation:
    """A player went on vacation, which pauses their correspondence clock, or came back."""

    type: Literal["vacation"] = "vacation"
    seat: int
    until: float | None
    """Unix time of its end; None when the player has come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rematched:
    """The players agreed on a rematch; `table` is the id of the new game."""

    type: Literal["rematched"] = "rematched"
    table: str
    without: tuple[int, ...] = ()
    """The seats whose players did not agree: bots play for them in the new game."""


Event = (
    Created
    | Joined
    | Claimed
    | Renamed
    | Moved
    | Offered
    | Responded
    | TookBack
    | Ended
    | Replaced
    | Chatted
    | HintUsed
    | Paced
    | Vacation
    | Rematched
)


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event with its sequence number, counted from 1, and its time."""

    seq: int
    time: Timestamp
    event: Event
