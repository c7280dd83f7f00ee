"""Requests and socket messages, validated at the edge and converted to session commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter
from pydantic_core import PydanticCustomError

from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.search.levels import LEVELS
from teahouse.server.web.errors import MAX_RECORD
from teahouse.server.web.readable import clean, unreadable_because
from teahouse.session import commands
from teahouse.session import events as ev
from teahouse.session.events import OfferKind

PROTOCOL = 2
MAX_SEATS = 8
MAX_MOVES = 2_000
MAX_VARIATION = 200
MAX_CHAT = 500
MAX_NAME = 40
SPEEDS = (0.5, 1.0, 2.0, 4.0)
"""Of games between bots."""


class StrictModel(BaseModel):
    """A body without coercion and without unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def readable(what: str, text: str) -> str:
    """Return the text without surrounding whitespace, if it can be displayed safely."""
    text = clean(text)
    if not text:
        raise PydanticCustomError("custom", f"Please enter a {what}.")
    kind = unreadable_because(text)
    if kind:
        message = f"Please choose a {what} without {kind} characters."
        raise PydanticCustomError("custom", message)
    return text


Name = Annotated[
    str,
    Field(min_length=1, max_length=MAX_NAME),
    AfterValidator(lambda text: readable("name", text)),
]
ChatText = Annotated[
    str,
    Field(min_length=1, max_length=MAX_CHAT),
    AfterValidator(lambda text: readable("message", text)),
]
GameName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
MoveText = Annotated[str, Field(min_length=1, max_length=200)]
PositionText = Annotated[str, Field(min_length=1, max_length=5_000)]
OptionValue = Annotated[str, Field(max_length=5_000)] | int | bool | None
Options = Annotated[dict[str, OptionValue], Field(max_length=20)]
Seed = Annotated[int, Field(ge=0, lt=1 << 62)]
Secret = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{22,64}$")]
TableId = Annotated[str, Field(pattern=r"^[a-z0-9]{10}$")]
SeatNumber = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Ply = Annotated[int, Field(ge=0, le=1_000_000)]
MessageId = Annotated[int, Field(ge=0, le=1 << 53)]


def _known_speed(speed: float) -> float:
    if speed not in SPEEDS:
        speeds = ", ".join(f"{one:g}" for one in SPEEDS)
        raise PydanticCustomError("custom", f"Choose one of the speeds {speeds}, or null.")
    return speed


class HumanSeatIn(StrictModel):
    """A seat for a person: on this device (local) or by link (remote)."""

    kind: Literal["local", "remote"]
    name: Name | None = None

    def spec(self) -> ev.HumanSeat:
        """Return the seat for the session."""
        return ev.HumanSeat(kind=self.kind, name=self.name)


class BotSeatIn(StrictModel):
    """A seat for a bot."""

    kind: Literal["bot"]
    level: Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])]

    def spec(self) -> ev.BotSeat:
        """Return the seat for the session."""
        return ev.BotSeat(level=self.level)


class UntimedIn(StrictModel):
    """No clock."""

    kind: Literal["none"] = "none"

    def spec(self) -> ev.Untimed:
        """Return the time control for the session."""
        return ev.Untimed()


class RealtimeIn(StrictModel):
    """Seconds for the game, and an increment for each turn."""

    kind: Literal["realtime"]
    seconds: Annotated[int, Field(ge=10, le=36_000)]
    increment: Annotated[int, Field(ge=0, le=300)] = 0

    def spec(self) -> ev.Realtime:
        """Return the time control for the session."""
        return ev.Realtime(seconds=self.seconds, increment=self.increment)


class CorrespondenceIn(StrictModel):
    """Days for each turn."""

    kind: Literal["correspondence"]
    days: Annotated[int, Field(ge=1, le=30)]

    def spec(self) -> ev.Correspondence:
        """Return the time control for the session."""
        return ev.Correspondence(days=self.days)


SeatIn = Annotated[HumanSeatIn | BotSeatIn, Field(discriminator="kind")]
TimeControlIn = Annotated[UntimedIn | RealtimeIn | CorrespondenceIn, Field(discriminator="kind")]


class GameIn(StrictModel):
    """A game with options."""

    game: GameName
    options: Options = {}
    seed: Seed | None = None


class SetupIn(GameIn):
    """Options to check."""

    adjust: bool = False
    """Whether choices that do not fit the options before them are left out, instead of an error."""


class NewTableIn(GameIn):
    """A table to create."""

    listed: bool = False
    """Whether the first page shows the game for others to watch."""
    rated: bool = False
    start: PositionText | None = None
    seats: Annotated[list[SeatIn], Field(min_length=1, max_length=MAX_SEATS)]
    time_control: TimeControlIn = UntimedIn()


class ExploreIn(StrictModel):
    """Moves from a start position, or a record; `ply` selects the position to show.

    With `partial`, a record with an error is shown up to there.
    """

    game: GameName | None = None
    options: Options = {}
    seed: Seed | None = None
    start: PositionText | None = None
    moves: Annotated[list[MoveText], Field(max_length=MAX_MOVES)] = []
    record: Annotated[str, Field(max_length=MAX_RECORD)] | None = None
    ply: Ply | None = None
    partial: bool = False

    @classmethod
    def from_position(cls, position: Position, moves: Sequence[str]) -> ExploreIn:
        """Return the request for the position after moves from another one."""
        options: dict[str, OptionValue] = {**option_texts(position.game.options)}
        return cls(game=position.game.name, options=options, start=str(position), moves=list(moves))


class RecordIn(StrictModel):
    """A record to store."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_RECORD)]


class TableStatusIn(StrictModel):
    """A table, and the client's secrets for it."""

    id: TableId
    secrets: Annotated[list[Secret], Field(max_length=MAX_SEATS)] = []


class StatusIn(StrictModel):
    """Tables to report on."""

    tables: Annotated[list[TableStatusIn], Field(max_length=200)]
    mine: bool = False
    """Whether to add the tables of the account that asks."""


class Join(StrictModel):
    """The first message on a socket."""

    type: Literal["join"]
    protocol: int = PROTOCOL
    secrets: Annotated[list[Secret], Field(max_length=MAX_SEATS)] = []
    after: Annotated[int, Field(ge=0, le=1 << 40)] = 0
    """The sequence number of the last event received."""
    snapshots: bool = True
    diffs: bool = False
    """Whether snapshots after the first may come as diffs."""


class CommandIn(StrictModel):
    """A command of a seated player."""

    id: MessageId
    seat: SeatNumber

    def command(self) -> commands.Command:
        """Return the command for the session."""
        raise NotImplementedError  # abstract: each command overrides it


class PlayIn(CommandIn):
    """Play a move."""

    type: Literal["play"]
    ply: Ply
    move: MoveText

    def command(self) -> commands.Play:
        return commands.Play(seat=self.seat, ply=self.ply, move=self.move)


class OfferIn(CommandIn):
    """Offer a takeback, a draw or a rematch."""

    type: Literal["offer"]
    offer: Literal["takeback", "draw", "rematch"]
    ply: Ply | None = None

    def command(self) -> commands.Offer:
        return commands.Offer(seat=self.seat, offer=self.offer, ply=self.ply)


class RespondIn(CommandIn):
    """Accept or decline an offer."""

    type: Literal["respond"]
    offer: OfferKind
    accept: bool

    def command(self) -> commands.Respond:
        return commands.Respond(seat=self.seat, offer=self.offer, accept=self.accept)


class ResignIn(CommandIn):
    """Resign."""

    type: Literal["resign"]

    def command(self) -> commands.Resign:
        return commands.Resign(seat=self.seat)


class ChatIn(CommandIn):
    """Send a chat message."""

    type: Literal["chat"]
    text: ChatText

    def command(self) -> commands.Chat:
        return commands.Chat(seat=self.seat, text=self.text)


class RenameIn(CommandIn):
    """Change one's name."""

    type: Literal["rename"]
    name: Name

    def command(self) -> commands.Rename:
        return commands.Rename(seat=self.seat, name=self.name)


class HintIn(StrictModel):
    """Request a hint for the position at `ply`, or after a variation from there.

    Spectators have no seat.
    """

    id: MessageId
    type: Literal["hint"]
    seat: SeatNumber | None = None
    ply: Ply
    moves: Annotated[list[MoveText], Field(max_length=MAX_VARIATION)] = []

    def command(self) -> commands.UseHint:
        return commands.UseHint(seat=self.seat, ply=self.ply)


class PaceIn(CommandIn):
    """Set the pace of a game between bots."""

    type: Literal["pace"]
    speed: Annotated[float, AfterValidator(_known_speed)] | None
    paused: bool = False

    def command(self) -> commands.SetPace:
        return commands.SetPace(seat=self.seat, speed=self.speed, paused=self.paused)


class PingIn(StrictModel):
    """Check the connection."""

    type: Literal["ping"]
    id: MessageId


join_adapter: TypeAdapter[Join] = TypeAdapter(Join)
message_adapter: TypeAdapter[Any] = TypeAdapter(
    Annotated[
        PlayIn | OfferIn | RespondIn | ResignIn | ChatIn | RenameIn | HintIn | PaceIn | PingIn,
        Field(discriminator="type"),
    ],
)
