"""The state of a tournament, replayed from its events. No I/O; times come from the events."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from dataclasses import field as default
from typing import Any, Literal

from teahouse.server.tournaments import events as ev
from teahouse.session.events import Correspondence

Status = Literal["open", "running", "finished", "cancelled"]


@dataclass(frozen=True, slots=True)
class Player:
    """A player of a tournament."""

    number: int
    kind: ev.PlayerKind
    account: str | None
    name: str
    level: int | None
    rating: float | None
    withdrawn: ev.Withdrew | None = None
    absences: int = 0
    """Games in a row that the player did not come to."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game of a tournament."""

    table: str
    seats: tuple[int, int]
    round: int
    """From 1 on."""
    result: ev.Decided | None = None

    @property
    def points(self) -> tuple[float, float] | None:
        """The points of both seats: 1, ½ or 0; None during the game."""
        if self.result is None:
            return None
        if self.result.draw:
            return 0.5, 0.5
        return float(self.result.winner == 0), float(self.result.winner == 1)

    def opponent(self, player: int) -> int:
        """Return whom a player meets in this game."""
        return self.seats[1 - self.seats.index(player)]


@dataclass(frozen=True, slots=True)
class Round:
    """The games of a round; in an arena, those that began together."""

    number: int
    games: tuple[Game, ...]
    byes: tuple[int, ...] = ()
    walkovers: tuple[tuple[int, int], ...] = ()
    ended: float | None = None
    """When its last game ended."""


@dataclass
class Tournament:
    """A tournament in memory."""

    id: str
    opened: ev.Opened
    created: float
    seq: int = 1
    status: Status = "open"
    players: list[Player] = default(default_factory=list)
    rounds: list[Round] = default(default_factory=list)
    round_count: int = 0
    """The number of rounds, once it has started."""
    field: tuple[int, ...] = ()
    """The players who were there at the start."""
    started: float | None = None
    ended: float | None = None
    cancelled: ev.Cancelled | None = None
    last_joined: float | None = None
    """When somebody last joined or came back."""
    last_paired: float | None = None
    last_decided: float | None = None
    pending: dict[str, tuple[int, int]] = default(default_factory=dict)
    """Games that are not over, by table: the index of their round, and in the round."""
    computed: tuple[int, Any] = default(default=(0, None), compare=False, repr=False)
    """The standings, kept until the next event, and the number of events they are of."""

    @classmethod
    def replay(cls, tournament_id: str, log: list[tuple[float, ev.Event]]) -> Tournament:
        """Replay a tournament from all its events."""
        time, opened = log[0]
        assert isinstance(opened, ev.Opened), "the first event creates the tournament"
        tournament = cls(tournament_id, opened, time)
        for time, event in log[1:]:
            tournament.apply(event, time)
        return tournament

    def copy(self) -> Tournament:
        """Return an independent copy, to apply events that may have to be dropped."""
        other = copy(self)
        other.players = list(self.players)
        other.rounds = list(self.rounds)
        other.pending = dict(self.pending)
        return other

    @property
    def rules(self) -> ev.Rules:
        """What its creator has chosen."""
        return self.opened.rules

    @property
    def over(self) -> bool:
        """Whether it has ended or was cancelled."""
        return self.status in ("finished", "cancelled")

    @property
    def active(self) -> list[Player]:
        """The players who have not withdrawn."""
        return [player for player in self.players if player.withdrawn is None]

    @property
    def games(self) -> Iterator[Game]:
        """All games in the order in which they began."""
        return (game for played in self.rounds for game in played.games)

    @property
    def ends(self) -> float | None:
        """When the last games of an arena begin."""
        if self.rules.format != "arena" or self.started is None:
            return None
        return self.started + 60.0 * self.rules.minutes

    @property
    def simultaneous(self) -> bool:
        """Whether all games begin at the start: a round robin by correspondence."""
        by_days = isinstance(self.rules.time_control, Correspondence)
        return by_days and self.rules.format == "round_robin"

    def player_of(self, account: str) -> Player | None:
        """Return the player of an account."""
        found = (player for player in self.players if player.account == account)
        return next(found, None)

    def unfinished_games(self) -> list[Game]:
        """Return the games that are not over."""
        return [self.rounds[place].games[index] for place, index in self.pending.values()]

    def apply(self, event: ev.Event, time: float) -> None:
        """Apply the next event of the log."""
        self.seq += 1
        match event:
            case ev.Joined():
                self.last_joined = time
                number = len(self.players)
                self.players.append(
                    Player(number, event.kind, event.account, event.name, event.level, event.rating)
                )
            case ev.Withdrew(player=number):
                self.players[number] = replace(self.players[number], withdrawn=event)
            case ev.Returned(player=number):
                self.last_joined = time
                self.players[number] = replace(self.players[number], withdrawn=None, absences=0)
            case ev.Renamed(account=account, name=name):
                self._rename(account, name)
            case ev.Started(rounds=rounds):
                self.status, self.started, self.round_count = "running", time, rounds
                self.field = tuple(player.number for player in self.active)
            case ev.Paired():
                self._pair(event, time)
            case ev.Decided():
                self._decide(event, time)
            case ev.Finished():
                self.status, self.ended = "finished", time
            case ev.Cancelled():
                self.status, self.ended, self.cancelled = "cancelled", time, event

    def _rename(self, account: str, name: str) -> None:
        if self.opened.creator == account:
            self.opened = replace(self.opened, creator_name=name)
        player = self.player_of(account)
        if player is not None:
            self.players[player.number] = replace(player, name=name)

    def _pair(self, event: ev.Paired, time: float) -> None:
        place = len(self.rounds)
        self.last_paired = time
        games = tuple(Game(one.table, one.seats, place + 1) for one in event.games)
        ended = None if games else time
        self.rounds.append(Round(place + 1, games, event.byes, event.walkovers, ended))
        for index, game in enumerate(games):
            self.pending[game.table] = (place, index)

    def _decide(self, event: ev.Decided, time: float) -> None:
        self.last_decided = time
        place, index = self.pending.pop(event.table)
        played = self.rounds[place]
        game = replace(played.games[index], result=event)
        games = (*played.games[:index], game, *played.games[index + 1 :])
        ended = time if all(one.result for one in games) else None
        self.rounds[place] = replace(played, games=games, ended=ended)
        for seat, number in enumerate(game.seats):
            player = self.players[number]
            absences = player.absences + 1 if seat in event.absent else 0
            self.players[number] = replace(player, absences=absences)
