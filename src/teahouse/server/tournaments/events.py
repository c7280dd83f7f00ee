"""Events of a tournament (event sourcing): immutable values that it is replayed from.

Events hold no secrets. `type` names an event in the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from teahouse.session.events import Correspondence, Realtime

Format = Literal["round_robin", "swiss", "arena"]
PlayerKind = Literal["person", "bot", "level"]
"""A person or a bot account, or a bot of the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a tournament's creator has chosen."""

    name: str
    game: str
    options: dict[str, Any]
    time_control: Realtime | Correspondence
    format: Format
    rounds: int = 0
    """Swiss: the number of rounds, at most. Round robin: how often everybody meets."""
    minutes: int = 0
    """Arena: how long games begin."""
    streaks: bool = False
    """Arena: whether a third win in a row, and further ones, count double."""
    starts_at: float | None = None
    starts_with: int | None = None
    """The number of players with which it starts, if it has no time."""
    max_players: int
    rated: bool = False
    private: bool = False
    """Whether only its link leads to it."""
    password: bool = False
    """Whether joining needs a password."""
    bot_level: int | None = None
    """The level of bots that fill up."""
    bots_to: int = 0
    """The number of players up to which bots fill up at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The tournament was created; always the first event."""

    type: Literal["opened"] = "opened"
    creator: str
    creator_name: str
    rules: Rules
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A player joined for the first time; players are numbered from 0 in this order."""

    type: Literal["joined"] = "joined"
    kind: PlayerKind
    account: str | None
    """None for a bot of the server."""
    name: str
    level: int | None = None
    rating: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrew:
    """A player left, or was withdrawn since they did not come to their games."""

    type: Literal["withdrew"] = "withdrew"
    player: int
    reason: Literal["left", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A player who had withdrawn came back."""

    type: Literal["returned"] = "returned"
    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """An operator changed the name of an account that plays, or that created the tournament."""

    type: Literal["renamed"] = "renamed"
    account: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Play began. `rounds` is the number of rounds, 0 in an arena."""

    type: Literal["started"] = "started"
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedGame:
    """A game: the id of its table, and for each seat the number of its player."""

    table: str
    seats: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """A round was paired. Its tables are created afterwards, under the ids that are given here."""

    type: Literal["paired"] = "paired"
    games: tuple[PairedGame, ...]
    byes: tuple[int, ...] = ()
    """Players without a game."""
    walkovers: tuple[tuple[int, int], ...] = ()
    """Round robin: players whose opponent, named second, has withdrawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A game ended."""

    type: Literal["decided"] = "decided"
    table: str
    winner: int | None
    """The seat that won; None for a draw, and if nobody won."""
    draw: bool = False
    absent: tuple[int, ...] = ()
    """The seats whose players did not come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """All games were over."""

    type: Literal["finished"] = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The tournament was cancelled before its start, or had too few players."""

    type: Literal["cancelled"] = "cancelled"
    reason: Literal["creator", "too_few", "operator"]


Event = (
    Opened
    | Joined
    | Withdrew
    | Returned
    | Renamed
    | Started
    | Paired
    | Decided
    | Finished
    | Cancelled
)
