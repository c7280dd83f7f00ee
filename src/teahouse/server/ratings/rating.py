"""Rating a finished game: everybody's new rating from the ratings before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from teahouse.server.ratings import glicko2, plackett_luce
from teahouse.server.ratings.pools import Pool
from teahouse.server.ratings.scale import Rating

DAY = 86_400.0

Entrant = str | int
"""Who plays a seat: an account by its id, or a bot by its level."""


@dataclass(frozen=True)
class RatedGame:
    """A finished game as far as it matters for ratings."""

    table: str
    pool: str
    time: float
    """Unix time of its end."""
    seats: tuple[Entrant, ...]
    winners: tuple[int, ...]
    """The sides that share the first place; all of them after a draw."""

    @property
    def key(self) -> tuple[float, str]:
        """Games are rated in this order, whenever they are found."""
        return self.time, self.table

    @property
    def accounts(self) -> tuple[str, ...]:
        """The accounts that are rated."""
        return tuple(one for one in self.seats if isinstance(one, str))


@dataclass(frozen=True)
class PlayerRating:
    """An account's rating in a pool."""

    rating: Rating
    games: int = 0
    updated: float | None = None
    """Unix time of the end of the last game; None before the first one."""

    def days(self, now: float) -> float:
        """Return the days since the last game."""
        return 0.0 if self.updated is None else max(0.0, now - self.updated) / DAY


def current(pool: Pool, player: PlayerRating, now: float) -> Rating:
    """Return a player's rating now: its deviation has grown since the last game."""
    model = glicko2 if pool.duel else plackett_luce
    return model.aged(player.rating, player.days(now))


def expected_scores(pool: Pool, seats: Sequence[Rating]) -> list[float]:
    """Return the chances of every side, for the current ratings of the seats."""
    sides = [[seats[seat] for seat in team] for team in pool.game.teams]
    if pool.duel:
        first = glicko2.expected_score(sides[0][0], sides[1][0])
        return [first, 1 - first]
    return plackett_luce.expected_scores(sides)


def rate(
    pool: Pool, game: RatedGame, players: Mapping[str, PlayerRating]
) -> dict[str, PlayerRating]:
    """Return the accounts' ratings after a game; bots stay where they were measured."""
    after = (_rate_duel if pool.duel else _rate_sides)(pool, game, players)
    return {
        account: PlayerRating(after[seat], players[account].games + 1, game.time)
        for seat, account in enumerate(game.seats)
        if isinstance(account, str)
    }


def _rate_duel(
    pool: Pool, game: RatedGame, players: Mapping[str, PlayerRating]
) -> dict[int, Rating]:
    both = [_player(pool, one, players) for one in game.seats]
    days = [one.days(game.time) for one in both]
    after = {}
    for side, (seat,) in enumerate(pool.game.teams):
        if not isinstance(game.seats[seat], str):
            continue
        other = pool.game.teams[1 - side][0]
        score = (side in game.winners) / len(game.winners)
        after[seat] = glicko2.rate(
            both[seat].rating, both[other].rating, score, days[seat], days[other]
        )
    return after


def _rate_sides(
    pool: Pool, game: RatedGame, players: Mapping[str, PlayerRating]
) -> dict[int, Rating]:
    teams = pool.game.teams
    seats = [current(pool, _player(pool, one, players), game.time) for one in game.seats]
    rated = plackett_luce.rate([[seats[seat] for seat in team] for team in teams], game.winners)
    return {
        seat: rating
        for team, ratings in zip(teams, rated, strict=True)
        for seat, rating in zip(team, ratings, strict=True)
    }


def _player(pool: Pool, one: Entrant, players: Mapping[str, PlayerRating]) -> PlayerRating:
    if isinstance(one, str):
        return players[one]
    level = pool.level(one)
    assert level is not None, "rated games have measured levels"
    return PlayerRating(level)  # never played before: a level does not age
