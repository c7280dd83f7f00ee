"""Requests and socket messages of the lobby, validated at the edge."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from teahouse.search.levels import LEVELS
from teahouse.server.web import messages as ms

MIN_RATING, MAX_RATING = -1_000, 5_000
PACES: dict[str, ms.UntimedIn | ms.RealtimeIn] = {
    "10+5": ms.RealtimeIn(kind="realtime", seconds=600, increment=5),
    "none": ms.UntimedIn(),
}
"""The time controls of quick pairing."""

AccountName = Annotated[str, Field(min_length=1, max_length=ms.MAX_NAME)]
RatingLimit = Annotated[int, Field(ge=MIN_RATING, le=MAX_RATING)]


class GuestIn(ms.StrictModel):
    """Who asks, if nobody is signed in: a guest with a secret of their own, and their name."""

    key: ms.Secret | None = None
    name: ms.Name | None = None


class BotPlaceIn(ms.StrictModel):
    """A seat for a bot of the server."""

    seat: ms.SeatNumber
    level: Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])]


class ChallengeIn(ms.StrictModel):
    """A game that somebody proposes."""

    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    time_control: ms.TimeControlIn = ms.UntimedIn()
    seat: ms.SeatNumber | None = None
    """The challenger's seat; random by default."""
    bots: Annotated[list[BotPlaceIn], Field(max_length=ms.MAX_SEATS)] = Field(default_factory=list)
    rated: bool = False
    listed: bool = True
    """Whether everybody may watch the game."""
    rating_range: tuple[RatingLimit, RatingLimit] | None = Field(default=None, strict=False)
    to: AccountName | None = None
    """The account that is challenged; everybody by default."""

    @model_validator(mode="after")
    def _check(self) -> ChallengeIn:
        seats = [bot.seat for bot in self.bots]
        if len(set(seats)) < len(seats) or self.seat in seats:
            raise PydanticCustomError("custom", "Each seat can be taken once.")
        if self.rating_range is not None and self.rating_range[0] > self.rating_range[1]:
            raise PydanticCustomError("custom", "The lowest rating is above the highest one.")
        return self


class NewChallengeIn(ChallengeIn):
    """A challenge to create, and who does."""

    guest: GuestIn = GuestIn()


class AnswerIn(ms.StrictModel):
    """Who accepts or cancels a challenge."""

    guest: GuestIn = GuestIn()


class EnterIn(GuestIn):
    """The first message on the lobby's socket."""

    type: Literal["enter"]
    protocol: int = ms.PROTOCOL
    boards: bool = True
    """Whether the client wants pictures of the games being played."""
    follows: bool = True
    """Whether the client goes to games that begin; a page that only shows news does not."""
    accepts: Annotated[list[ms.GameName], Field(max_length=100)] = Field(default_factory=list)
    """The games to which a bot account can be challenged while it is connected."""


class SeekIn(ms.StrictModel):
    """Look for opponents of about one's own strength."""

    type: Literal["seek"]
    id: ms.MessageId
    game: ms.GameName
    pace: Literal["10+5", "none"] = "10+5"


class StopIn(ms.StrictModel):
    """Look no longer."""

    type: Literal["stop"]
    id: ms.MessageId


class BoardsIn(ms.StrictModel):
    """Send pictures of the games being played, or none."""

    type: Literal["boards"]
    id: ms.MessageId
    on: bool


enter_adapter: TypeAdapter[EnterIn] = TypeAdapter(EnterIn)
LobbyMessage = SeekIn | StopIn | BoardsIn | ms.PingIn
message_adapter: TypeAdapter[LobbyMessage] = TypeAdapter(
    Annotated[LobbyMessage, Field(discriminator="type")]
)
