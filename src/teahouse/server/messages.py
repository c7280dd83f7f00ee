"""Everything that may come from outside, checked at the edge: requests and sockets' messages."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from teahouse.search.levels import LEVELS

MAX_SEATS = 8
MAX_MOVES = 2_000
MAX_TEXT = 500
MAX_NAME = 40
MAX_RECORD = 100_000


class Strict(BaseModel):
    """A body without guesses: no unknown keys, no text for numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _readable(text: str) -> str:
    """The text without spaces around it, if people can read it."""
    text = text.strip()
    if not text:
        raise ValueError("may not be empty")
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Co", "Cn") for letter in text):
        raise ValueError("may hold only letters, signs and spaces")
    if any(letter in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" for letter in text):
        raise ValueError("may not turn the direction of writing")
    return text


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(_readable)]
Words = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(_readable)]
GameName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
MoveText = Annotated[str, Field(min_length=1, max_length=200)]
PositionText = Annotated[str, Field(min_length=1, max_length=5_000)]
OptionValue = Annotated[str, Field(max_length=5_000)] | int | bool | None
Options = Annotated[dict[str, OptionValue], Field(max_length=20)]
Seed = Annotated[int, Field(ge=0, lt=1 << 62)]
Secret = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{22,64}$")]
TableId = Annotated[str, Field(pattern=r"^[a-z0-9]{10}$")]
Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Ply = Annotated[int, Field(ge=0, le=1_000_000)]


class Person(Strict):
    """A seat for somebody on the screen that opens the table, or for whoever has the link."""

    kind: Literal["here", "link"]
    name: Name | None = None


class BotSeat(Strict):
    """A seat for a bot."""

    kind: Literal["bot"]
    level: Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])]


class NoClock(Strict):
    """All the time in the world."""

    kind: Literal["none"] = "none"


class RealClock(Strict):
    """So many seconds for the game, and some more for each turn."""

    kind: Literal["real"]
    seconds: Annotated[int, Field(ge=10, le=36_000)]
    increment: Annotated[int, Field(ge=0, le=300)] = 0


class DaysClock(Strict):
    """So many days for each turn."""

    kind: Literal["days"]
    days: Annotated[int, Field(ge=1, le=30)]


SeatChoice = Annotated[Person | BotSeat, Field(discriminator="kind")]
ClockChoice = Annotated[NoClock | RealClock | DaysClock, Field(discriminator="kind")]


class Setup(Strict):
    """A game with options."""

    game: GameName
    options: Options = {}
    seed: Seed | None = None


class NewTable(Setup):
    """A table to open."""

    start: PositionText | None = None
    seats: Annotated[list[SeatChoice], Field(min_length=1, max_length=MAX_SEATS)]
    clock: ClockChoice = NoClock()


class Explore(Strict):
    """Moves from a start, or a record; and how many of its moves to play."""

    game: GameName | None = None
    options: Options = {}
    seed: Seed | None = None
    start: PositionText | None = None
    moves: Annotated[list[MoveText], Field(max_length=MAX_MOVES)] = []
    record: Annotated[str, Field(max_length=MAX_RECORD)] | None = None
    ply: Ply | None = None


class RecordText(Strict):
    """A record to keep."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_RECORD)]


class StatusOf(Strict):
    """A table, and the secrets one has for it."""

    id: TableId
    secrets: Annotated[list[Secret], Field(max_length=MAX_SEATS)] = []


class Status(Strict):
    """Tables to look at."""

    tables: Annotated[list[StatusOf], Field(max_length=200)]


class Join(Strict):
    """The first message of a socket."""

    type: Literal["join"]
    secrets: Annotated[list[Secret], Field(max_length=MAX_SEATS)] = []
    seen: Annotated[int, Field(ge=0, le=1 << 40)] = 0
    views: bool = True


class Command(Strict):
    """A message from somebody who sits at the table."""

    id: Annotated[int, Field(ge=0, le=1 << 53)]
    seat: Seat


OfferName = Literal["takeback", "draw", "resign", "rematch"]


class Play(Command):
    """Take a decision."""

    type: Literal["play"]
    ply: Ply
    move: MoveText


class Ask(Command):
    """Ask the others for something."""

    type: Literal["ask"]
    offer: Literal["takeback", "draw", "rematch"]
    ply: Ply | None = None


class Answer(Command):
    """Answer what somebody asked."""

    type: Literal["answer"]
    offer: OfferName
    yes: bool


class Resign(Command):
    """Give up."""

    type: Literal["resign"]


class Say(Command):
    """Chat."""

    type: Literal["say"]
    text: Words


class Rename(Command):
    """Change one's name."""

    type: Literal["name"]
    name: Name


class Hint(Command):
    """Ask a bot what it would do."""

    type: Literal["hint"]
    ply: Ply


class Ping(Strict):
    """Ask whether the house is there."""

    type: Literal["ping"]
    id: Annotated[int, Field(ge=0, le=1 << 53)]


TableCommand = Play | Ask | Answer | Resign | Say | Rename | Hint
join: TypeAdapter[Join] = TypeAdapter(Join)
command: TypeAdapter[Any] = TypeAdapter(
    Annotated[TableCommand | Ping, Field(discriminator="type")],
)
