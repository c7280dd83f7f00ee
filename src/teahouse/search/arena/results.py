"""The results of a match: everybody's score and rating, and each pair's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from teahouse.core.game import Game
from teahouse.search.arena import ratings
from teahouse.search.arena.playing import Played, Spending
from teahouse.search.arena.ratings import Estimate
from teahouse.search.arena.schedule import seatings


@dataclass(frozen=True)
class Row:
    """One entrant's line in the table."""

    entrant: str
    games: int
    wins: int
    draws: int
    losses: int
    score: Estimate
    """The share of the points: 0.5 is what equal strength gives, whatever the number of sides."""
    elo: Estimate
    seconds: float
    """The mean time of a choice."""
    simulations: float
    """The mean number of simulations of a choice; 0 where it is not known."""


@dataclass(frozen=True)
class Results:
    """A match as far as it has been played."""

    game: Game
    entrants: tuple[str, ...]
    games: tuple[Played, ...]
    """In the order of the schedule."""
    test: ratings.Test | None = None

    @property
    def games_a_bout(self) -> int:
        """How many seatings there are."""
        return len(seatings(self.game, (0, 1)))

    @property
    def draws(self) -> float:
        """The share of drawn games."""
        return sum(played.winner is None for played in self.games) / max(1, len(self.games))

    @property
    def decisions(self) -> float:
        """The mean number of decisions in a game."""
        return sum(played.decisions for played in self.games) / max(1, len(self.games))

    def share(self, played: Played, entrant: int) -> float:
        """An entrant's part of the one point of a game."""
        sides = played.fixture.sides
        if played.winner is None:
            return sides.count(entrant) / len(sides)
        return float(sides[played.winner] == entrant)

    def bouts(self, entrant: int, other: int | None = None) -> list[float]:
        """An entrant's scores in the finished bouts, against one other or all."""
        return [score for _, score in self._numbered_bouts(entrant, other)]

    def _numbered_bouts(self, entrant: int, other: int | None) -> list[tuple[int, float]]:
        scores = defaultdict(list)
        for played in self.games:
            fixture = played.fixture
            if entrant in fixture.pair and (other is None or other in fixture.pair):
                scores[fixture.bout, fixture.pair].append(self.share(played, entrant))
        return [
            (bout, sum(shares) / len(shares))
            for (bout, _), shares in sorted(scores.items())
            if len(shares) == self.games_a_bout
        ]

    def against(self, entrant: int, other: int) -> Estimate:
        """An entrant's score against another."""
        return ratings.score(self.bouts(entrant, other), self.games_a_bout)

    def elo(self, anchor: str | None = None) -> list[Estimate]:
        """Everybody's rating, counted from the anchor's or from the mean of all."""
        return self._rated(None if anchor is None else self.entrants.index(anchor))[0]

    @property
    def elo_exists(self) -> bool:
        """Whether some ratings are most likely; not where somebody has lost everything."""
        return self._rated(None)[1]

    def _rated(self, anchor: int | None) -> tuple[list[Estimate], bool]:
        tally: dict[tuple[int, ...], list[float]] = {}
        for played in self.games:
            won = tally.setdefault(tuple(sorted(played.fixture.sides)), [0.0] * len(self.entrants))
            for entrant in played.fixture.pair:
                won[entrant] += self.share(played, entrant)
        pairs = {played.fixture.pair for played in self.games}
        spread = {pair: ratings.dispersion(self.bouts(*pair), self.games_a_bout) for pair in pairs}
        return ratings.elo(len(self.entrants), tally, spread, anchor)

    def rows(self, anchor: str | None = None) -> list[Row]:
        """Everybody's line, the strongest first."""
        elo = self.elo(anchor)
        rows = [self._row(entrant, elo[entrant]) for entrant in range(len(self.entrants))]
        return sorted(rows, key=lambda row: -row.elo.value)

    def _row(self, entrant: int, elo: Estimate) -> Row:
        own = [played for played in self.games if entrant in played.fixture.pair]
        drawn = sum(played.winner is None for played in own)
        wins = sum(
            played.winner is not None and played.fixture.sides[played.winner] == entrant
            for played in own
        )
        spent = [played.spent.get(entrant, Spending()) for played in own]
        choices = max(1, sum(one.choices for one in spent))
        return Row(
            self.entrants[entrant],
            len(own),
            wins,
            drawn,
            len(own) - wins - drawn,
            ratings.score(self.bouts(entrant), self.games_a_bout),
            elo,
            sum(one.seconds for one in spent) / choices,
            sum(one.simulations for one in spent) / choices,
        )

    def decided(self) -> tuple[str | None, float, int]:
        """The sequential test's verdict, its ratio, and the bouts it took.

        Bouts are looked at in their order, so that it does not matter which ended first.
        """
        if self.test is None:
            return None, 0.0, 0
        done: list[float] = []
        ratio = 0.0
        for bout, score in self._numbered_bouts(0, 1):
            if bout != len(done):
                break
            done.append(score)
            ratio = self.test.ratio(done, self.games_a_bout, len(self.game.teams))
            if self.test.verdict(ratio):
                break
        return self.test.verdict(ratio), ratio, len(done)

    def json(self) -> dict[str, Any]:
        """Everything in the tables, for programs."""
        verdict, ratio, bouts = self.decided()
        return {
            "game": self.game.name,
            "options": self.game.options,
            "games": len(self.games),
            "draws": self.draws,
            "decisions": self.decisions,
            "elo_exists": self.elo_exists,
            "entrants": [asdict(row) for row in self.rows()],
            "pairs": [
                {"entrant": self.entrants[one], "other": self.entrants[other]}
                | {"games": self.games_a_bout * len(self.bouts(one, other))}
                | asdict(self.against(one, other))
                for one, other in self.pairs
            ],
            "test": self.test
            and asdict(self.test) | {"verdict": verdict, "ratio": ratio, "bouts": bouts},
        }

    @property
    def pairs(self) -> Sequence[tuple[int, int]]:
        """The pairs of entrants that have met."""
        return sorted({played.fixture.pair for played in self.games})
