"""Requests about tournaments, validated at the edge."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from teahouse.core.game import Game
from teahouse.search.levels import LEVELS
from teahouse.server.ratings.pools import pool_of
from teahouse.server.tables.setup import load_setup
from teahouse.server.tournaments.events import Rules
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError

MAX_NAME = 60
MAX_PLAYERS = 256
MAX_ROUND_ROBIN = 20
MAX_ROUNDS = 15
MAX_AHEAD = 60 * 86_400.0
"""Seconds until the latest start of a tournament."""
MAX_ARENA_CLOCK = 1_800
"""Seconds for a game in an arena: nobody waits longer than an hour for an opponent."""

TournamentName = Annotated[
    str,
    Field(min_length=1, max_length=MAX_NAME),
    AfterValidator(lambda text: ms.readable("name", text)),
]


class RoundRobinIn(ms.StrictModel):
    """Everybody meets everybody once, or twice with `double`."""

    kind: Literal["round_robin"]
    double: bool = False


class SwissIn(ms.StrictModel):
    """Players with about the same score meet."""

    kind: Literal["swiss"]
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)]


class ArenaIn(ms.StrictModel):
    """As many games as fit into a time."""

    kind: Literal["arena"]
    minutes: Annotated[int, Field(ge=5, le=360)]
    streaks: bool = False


class BotsIn(ms.StrictModel):
    """Bots of a level that fill up to a number of players."""

    level: Annotated[int, Field(ge=LEVELS[0], le=LEVELS[-1])]
    players: Annotated[int, Field(ge=2, le=64)] = 2


ClockIn = Annotated[ms.RealtimeIn | ms.CorrespondenceIn, Field(discriminator="kind")]
FormatIn = Annotated[RoundRobinIn | SwissIn | ArenaIn, Field(discriminator="kind")]
Password = Annotated[str, Field(min_length=1, max_length=100)]


class NewTournamentIn(ms.StrictModel):
    """A tournament to create."""

    name: TournamentName
    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    time_control: ClockIn
    format: FormatIn
    starts_at: Annotated[float, Field(ge=0, le=1e11)] | None = None
    """Unix time; else it starts with `starts_with` players."""
    starts_with: Annotated[int, Field(ge=2, le=MAX_PLAYERS)] | None = None
    max_players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)] | None = None
    rated: bool = False
    private: bool = False
    password: Password | None = None
    bots: BotsIn | None = None

    def rules(self, now: float) -> Rules:
        """Return the rules of the tournament; raise `ApiError` if they do not fit together."""
        game, _ = load_setup(self.game, self.options, None)
        _check_game(game, self.rated)
        chosen, limit = self.format, MAX_PLAYERS
        if isinstance(chosen, RoundRobinIn):
            limit = MAX_ROUND_ROBIN
        elif isinstance(chosen, ArenaIn):
            _check_arena_clock(self.time_control)
        most = self.max_players or limit
        if most > limit:
            message = f"A round robin has at most {limit} players."
            raise ApiError("invalid", message)
        return Rules(
            name=self.name,
            game=game.name,
            options=game.options,
            time_control=self.time_control.spec(),
            format=chosen.kind,
            rounds=_rounds(chosen),
            minutes=chosen.minutes if isinstance(chosen, ArenaIn) else 0,
            streaks=isinstance(chosen, ArenaIn) and chosen.streaks,
            starts_at=self._start(now),
            starts_with=self._start_number(most),
            max_players=most,
            rated=self.rated,
            private=self.private,
            password=self.password is not None,
            bot_level=self.bots.level if self.bots else None,
            bots_to=self._bots(most),
        )

    def _start(self, now: float) -> float | None:
        if (self.starts_at is None) == (self.starts_with is None):
            message = "Choose when it starts: at a time, or with a number of players."
            raise ApiError("invalid", message)
        if self.starts_at is not None and self.starts_at > now + MAX_AHEAD:
            raise ApiError("invalid", "A tournament starts within 60 days.")
        if self.starts_at is not None and self.starts_at < now - 300.0:
            raise ApiError("invalid", "The start is in the past. Choose a later time.")
        return None if self.starts_at is None else max(now, self.starts_at)

    def _start_number(self, most: int) -> int | None:
        if self.starts_with is not None and self.starts_with > most:
            message = f"It cannot start with {self.starts_with} players: at most {most} may join."
            raise ApiError("invalid", message)
        return self.starts_with

    def _bots(self, most: int) -> int:
        if self.bots is None:
            return 0
        if self.bots.players > most:
            message = (
                f"Bots cannot fill up to {self.bots.players} players: at most {most} may play."
            )
            raise ApiError("invalid", message)
        return self.bots.players


def _rounds(chosen: RoundRobinIn | SwissIn | ArenaIn) -> int:
    if isinstance(chosen, SwissIn):
        return chosen.rounds
    return 1 + chosen.double if isinstance(chosen, RoundRobinIn) else 0


def _check_game(game: Game, rated: bool) -> None:
    if len(game.players) != 2:
        message = (
            f"Tournaments are for two sides; {game.title} has {len(game.players)} seats with these"
            " options."
        )
        raise ApiError("invalid", message)
    if rated and pool_of(game) is None:
        message = (
            f"{game.title} has no ratings with these options. Choose casual, or other options."
        )
        raise ApiError("invalid", message)


def _check_arena_clock(clock: ms.RealtimeIn | ms.CorrespondenceIn) -> None:
    if not isinstance(clock, ms.RealtimeIn) or clock.seconds > MAX_ARENA_CLOCK:
        minutes = MAX_ARENA_CLOCK // 60
        raise ApiError("invalid", f"Games of an arena have a clock of at most {minutes} minutes.")


class JoinIn(ms.StrictModel):
    """Join a tournament, with its password if it has one."""

    password: Password | None = None


class EmptyIn(ms.StrictModel):
    """A request without choices."""
