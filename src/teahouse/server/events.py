"""What can happen at a table. A table is what its events add up to; nothing in them is secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from teahouse.server.messages import ClockChoice, OfferName, SeatChoice, Strict

How = Literal["resigned", "agreed", "time"]


@dataclass(frozen=True)
class Now:
    """A moment on two scales, both in seconds.

    `wall` is Unix time. `open` is how long the house has been open in all: it stands still while
    the house is closed, and so do the clocks of games in real time.
    """

    wall: float
    open: float


class Opened(Strict):
    """A table was opened."""

    type: Literal["opened"] = "opened"
    game: str
    options: dict[str, Any]
    seed: int | None
    start: str | None
    seats: list[SeatChoice]
    clock: ClockChoice


class Sat(Strict):
    """A person came to a seat for the first time."""

    type: Literal["sat"] = "sat"
    seat: int


class Named(Strict):
    """Somebody changed their name."""

    type: Literal["named"] = "named"
    seat: int
    name: str


class Moved(Strict):
    """A decision was taken."""

    type: Literal["moved"] = "moved"
    seat: int
    ply: int
    move: str


class Offered(Strict):
    """Something is asked of the others."""

    type: Literal["offered"] = "offered"
    seat: int
    offer: OfferName
    ply: int


class Answered(Strict):
    """Consent, or not."""

    type: Literal["answered"] = "answered"
    seat: int
    offer: OfferName
    yes: bool


class TakenBack(Strict):
    """The game goes on from an earlier ply."""

    type: Literal["taken_back"] = "taken_back"
    ply: int


class Ended(Strict):
    """The game was decided otherwise than by its rules."""

    type: Literal["ended"] = "ended"
    result: str
    how: How
    seat: int | None


class Replaced(Strict):
    """A bot plays on for somebody."""

    type: Literal["replaced"] = "replaced"
    seat: int
    level: int
    how: How


class Said(Strict):
    """Chat."""

    type: Literal["said"] = "said"
    seat: int
    text: str


class Hinted(Strict):
    """Somebody asked a bot for advice."""

    type: Literal["hinted"] = "hinted"
    seat: int
    ply: int


class Rematch(Strict):
    """The same people play again at another table."""

    type: Literal["rematch"] = "rematch"
    table: str


Event = (
    Opened
    | Sat
    | Named
    | Moved
    | Offered
    | Answered
    | TakenBack
    | Ended
    | Replaced
    | Said
    | Hinted
    | Rematch
)
event: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


@dataclass(frozen=True)
class Happened:
    """An event with its number and its moment."""

    number: int
    now: Now
    event: Event
