"""What the client sends and receives, as immutable values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the server."""

    id: str
    """Its id, which never changes."""
    name: str
    """The name that others see."""
    kind: str
    """person or bot."""

    @classmethod
    def parse(cls, body: Mapping[str, Any] | None) -> Account | None:
        """Return the account that a JSON object stands for, if any."""
        return None if body is None else cls(body["id"], body["name"], body["kind"])


@dataclass(frozen=True, slots=True)
class Person:
    """A seat for a person or a program: of this client (local), or by link (remote)."""

    kind: Literal["local", "remote"] = "local"
    """`local` or `remote`."""
    name: str | None = None
    """The name that others see; None for that of the account, or of a guest."""

    def json(self) -> dict[str, Any]:
        """Return the seat as the protocol has it."""
        return {"kind": self.kind} | ({} if self.name is None else {"name": self.name})


@dataclass(frozen=True, slots=True)
class HouseBot:
    """A seat for a bot of the server."""

    level: int
    """1 to 8."""

    def json(self) -> dict[str, Any]:
        """Return the seat as the protocol has it."""
        return {"kind": "bot", "level": self.level}


@dataclass(frozen=True, slots=True)
class Untimed:
    """No clock."""

    def json(self) -> dict[str, Any]:
        """Return the time control as the protocol has it."""
        return {"kind": "none"}


@dataclass(frozen=True, slots=True)
class Realtime:
    """Seconds for the game, and an increment for each turn."""

    seconds: int
    """For the whole game."""
    increment: int = 0
    """Seconds added for each turn."""

    def json(self) -> dict[str, Any]:
        """Return the time control as the protocol has it."""
        return {"kind": "realtime", "seconds": self.seconds, "increment": self.increment}


@dataclass(frozen=True, slots=True)
class Correspondence:
    """Days for each turn."""

    days: int
    """For each turn."""

    def json(self) -> dict[str, Any]:
        """Return the time control as the protocol has it."""
        return {"kind": "correspondence", "days": self.days}


SeatSpec = Person | HouseBot
TimeControl = Untimed | Realtime | Correspondence


def parse_time_control(body: Mapping[str, Any]) -> TimeControl:
    """Return the time control that a JSON object stands for."""
    match body["kind"]:
        case "realtime":
            return Realtime(body["seconds"], body["increment"])
        case "correspondence":
            return Correspondence(body["days"])
        case _:
            return Untimed()


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a seat of a table at the moment."""

    kind: str
    """local, remote or bot."""
    name: str | None
    """The name of who plays it, if known."""
    level: int | None
    """Of a bot of the server."""
    joined: bool
    """Whether somebody has taken it."""
    online: bool
    """Whether that player is connected."""
    account: Account | None
    """None for guests and bots of a level."""

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> Seat:
        """Return the seat that a JSON object stands for."""
        names = ("kind", "name", "level", "joined", "online")
        return cls(**{name: body[name] for name in names}, account=_account(body))


@dataclass(frozen=True, slots=True)
class Offer:
    """A pending offer: takeback, draw, resign or rematch."""

    kind: str
    """takeback, draw, resign or rematch."""
    seat: int
    """Whose offer it is."""
    awaiting: tuple[int, ...]
    """The seats that have not responded."""


@dataclass(frozen=True, slots=True)
class TableEvent:
    """Something that happened at a table; `data` has the fields of its type (docs/protocol.md)."""

    seq: int
    """Its number at the table."""
    type: str
    """What happened, such as `moved`."""
    time: float
    """Unix time."""
    data: Mapping[str, Any]
    """The fields of its type."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """A game that somebody proposes."""

    id: str
    """The id to accept or decline it by."""
    game: str
    """The game's name."""
    options: Mapping[str, Any]
    """The options of the game."""
    time_control: TimeControl
    """The clock."""
    rated: bool
    """Whether the result changes ratings."""
    challenger: Account | None
    """None for a guest."""
    challenger_name: str | None
    """The challenger's name; None for a guest without one."""
    challenger_rating: int | None
    """The challenger's rating; None without one."""
    seat: int | None
    """The challenger's seat; None for a random one."""
    places: int
    """Seats for people and programs from outside."""
    taken: int
    """Those of them that are taken."""
    to: str | None
    """The name of the account that is challenged; None if everybody is."""

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> Challenge:
        """Return the challenge that a JSON object stands for."""
        challenger, rating = body["players"][0], body["rating"]
        return cls(
            id=body["id"],
            game=body["game"],
            options=body["options"],
            time_control=parse_time_control(body["time_control"]),
            rated=body["rated"],
            challenger=_account(challenger),
            challenger_name=challenger["name"],
            challenger_rating=rating and rating["value"],
            seat=body["seat"],
            places=body["places"],
            taken=len(body["players"]),
            to=body["to"],
        )


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament in a list."""

    id: str
    """The id to join it by."""
    name: str
    """Its title."""
    game: str
    """The game's name."""
    options: Mapping[str, Any]
    """The options of all games."""
    time_control: TimeControl
    """The clock of all games."""
    format: str
    """round_robin, swiss or arena."""
    status: str
    """Whether it waits, runs or is over."""
    players: int
    """How many have joined."""
    rated: bool
    """Whether results change ratings."""
    starts_at: float | None
    """Unix time; None if it starts with a number of players."""

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> Tournament:
        """Return the tournament that a JSON object stands for."""
        names = (
            *("id", "name", "game", "options", "format"),
            *("status", "players", "rated", "starts_at"),
        )
        control = parse_time_control(body["time_control"])
        return cls(**{name: body[name] for name in names}, time_control=control)


def _account(body: Mapping[str, Any]) -> Account | None:
    return Account.parse(body.get("account"))
