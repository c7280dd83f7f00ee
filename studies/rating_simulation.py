"""Games between players of known strength, rated as on a server."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from teahouse.search.arena.ratings import PER_ELO
from teahouse.server.ratings.pools import Pool
from teahouse.server.ratings.rating import (
    DAY,
    Entrant,
    PlayerRating,
    RatedGame,
    current,
    expected_scores,
    rate,
)
from teahouse.server.ratings.scale import Rating

DAYS = 365.0
"""The time in which the games are played."""
DISTANCE = 300.0
"""Points by which opponents differ: their probability falls by e at this distance."""
BINS = 10
APART = 150.0
"""Points from which on the order of two players is to be right."""


@dataclass(frozen=True)
class Prediction:
    """A side's predicted chance before a game, and its result."""

    chance: float
    won: bool
    against_level: bool


@dataclass(frozen=True)
class Bin:
    """Predictions of about the same chance."""

    chance: float
    score: float
    size: int


@dataclass(frozen=True)
class Simulation:
    """Players after many games."""

    strengths: dict[str, float]
    players: dict[str, PlayerRating]
    predictions: list[Prediction]

    def bins(self) -> list[Bin]:
        """Return the predictions in ten bins by their chance."""
        return bins(self.predictions)

    @property
    def errors(self) -> list[float]:
        """How far each rating is from the player's strength."""
        return [self.players[name].rating.value - self.strengths[name] for name in self.strengths]

    @property
    def within(self) -> float:
        """The share of players whose strength is within two deviations of their rating."""
        ratings = [self.players[name].rating for name in self.strengths]
        inside = [
            abs(error) <= 2 * rating.deviation
            for error, rating in zip(self.errors, ratings, strict=True)
        ]
        return sum(inside) / len(inside)

    @property
    def order(self) -> tuple[int, int]:
        """Pairs of players that are far apart: those in the right order, and all."""
        apart = [
            (weak, strong)
            for weak in self.strengths
            for strong in self.strengths
            if self.strengths[strong] - self.strengths[weak] >= APART
        ]
        right = [
            self.players[weak].rating.value < self.players[strong].rating.value
            for weak, strong in apart
        ]
        return sum(right), len(right)


def bins(predictions: Sequence[Prediction]) -> list[Bin]:
    """Return predictions in ten bins by their chance, without empty ones."""
    sorted_in: list[list[Prediction]] = [[] for _ in range(BINS)]
    for one in predictions:
        sorted_in[min(BINS - 1, int(one.chance * BINS))].append(one)
    return [
        Bin(
            sum(one.chance for one in found) / len(found),
            sum(one.won for one in found) / len(found),
            len(found),
        )
        for found in sorted_in
        if found
    ]


def calibration_error(predictions: Sequence[Prediction]) -> float:
    """Return the mean distance of chances and scores, weighted by the size of the bins (ECE)."""
    found = bins(predictions)
    total = sum(one.size for one in found)
    return sum(one.size * abs(one.chance - one.score) for one in found) / total


def simulate(
    pool: Pool,
    games: int,
    people: int,
    *,
    strongest: float = 1.0,
    level_games: float = 0.5,
    seed: int = 1,
) -> Simulation:
    """Play games between people of known strength, and against levels, and rate them.

    Strengths are spread evenly from the first level to a part of the last one. Everybody begins
    without a rating and meets opponents with about the same rating.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    top = strongest * pool.levels[-1][1].value
    strengths = {f"player {n}": rng.uniform(0.0, top) for n in range(people)}
    players = {name: PlayerRating(pool.start) for name in strengths}
    predictions: list[Prediction] = []
    for number in range(games):
        now = DAY * DAYS * number / games
        against_level = rng.random() < level_games
        seats = list(_seats(pool, players, against_level, rng))
        rng.shuffle(seats)
        chances = expected_scores(pool, [_rating(pool, players, one, now) for one in seats])
        winner = _winner(pool, [_strength(pool, strengths, one) for one in seats], rng)
        predictions += [
            Prediction(chances[side], side == winner, against_level)
            for side, team in enumerate(pool.game.teams)
            if any(isinstance(seats[seat], str) for seat in team)
        ]
        game = RatedGame(f"{number:010}", pool.id, now, tuple(seats), (winner,))
        players.update(rate(pool, game, players))
    return Simulation(strengths, players, predictions)


def _seats(
    pool: Pool, players: dict[str, PlayerRating], against_level: bool, rng: random.Random
) -> Iterator[Entrant]:
    """Yield a player, and opponents with about the same rating."""
    first = rng.choice(list(players))
    yield first
    own = players[first].rating.value
    known: dict[Entrant, float] = {
        name: player.rating.value for name, player in players.items() if name != first
    }
    if against_level:
        known = {level: rating.value for level, rating in pool.levels}
    for _ in pool.game.players[1:]:
        weights = [math.exp(-abs(value - own) / DISTANCE) for value in known.values()]
        chosen = rng.choices(list(known), weights)[0]
        if isinstance(chosen, str):
            del known[chosen]
        yield chosen


def _rating(pool: Pool, players: dict[str, PlayerRating], one: Entrant, now: float) -> Rating:
    if isinstance(one, str):
        return current(pool, players[one], now)
    level = pool.level(one)
    assert level is not None
    return level


def _strength(pool: Pool, strengths: dict[str, float], one: Entrant) -> float:
    return strengths[one] if isinstance(one, str) else dict(pool.levels)[one].value


def _winner(pool: Pool, strengths: Sequence[float], rng: random.Random) -> int:
    """Return the side that wins, by the model by which the levels were measured."""
    sides = [
        math.exp(PER_ELO * sum(strengths[seat] for seat in team) / len(team))
        for team in pool.game.teams
    ]
    return rng.choices(range(len(sides)), sides)[0]
