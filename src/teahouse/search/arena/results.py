"""The results of a match: standings, scores of each pair, and the sequential test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from teahouse.core.game import Game
from teahouse.search.arena import ratings
from teahouse.search.arena.ratings import Estimate
from teahouse.search.arena.runner import GameResult, MoveCost
from teahouse.search.arena.schedule import seatings
from teahouse.search.arena.sprt import Sprt, SprtStatus
from teahouse.search.levels import player_text


@dataclass(frozen=True)
class Standing:
    """A player's row in the table."""

    player: str
    games: int
    wins: int
    draws: int
    losses: int
    score: Estimate
    """The mean score; equal strength gives 0.5, whatever the number of sides."""
    elo: Estimate
    seconds: float
    """The mean time of a move."""
    simulations: float
    """The mean number of simulations of a move; 0 if the player does not report them."""

    @property
    def label(self) -> str:
        """The display name of the player: for a bot, its level's name."""
        return player_text(self.player)


@dataclass(frozen=True)
class MatchResults:
    """The games of a match that were played so far."""

    game: Game
    """The game with its options."""
    players: tuple[str, ...]
    """The players as they were given."""
    games: tuple[GameResult, ...]
    """In the order of the schedule."""
    sprt: Sprt | None = None
    """The sequential test, if one was asked for."""

    @property
    def games_per_round(self) -> int:
        """The number of seatings of a pair."""
        return len(seatings(self.game, (0, 1)))

    @property
    def draws(self) -> float:
        """The share of drawn games."""
        return sum(result.winner is None for result in self.games) / max(1, len(self.games))

    @property
    def plies(self) -> float:
        """The mean number of plies of a game."""
        return sum(result.plies for result in self.games) / max(1, len(self.games))

    @property
    def pairs(self) -> Sequence[tuple[int, int]]:
        """The pairs of players that have met."""
        return sorted({result.pairing.pair for result in self.games})

    def points(self, result: GameResult, player: int) -> float:
        """Return a player's share of the one point of a game."""
        seating = result.pairing.seating
        if result.winner is None:
            return seating.count(player) / len(seating)
        return float(seating[result.winner] == player)

    def round_scores(self, player: int, opponent: int | None = None) -> list[float]:
        """Return a player's scores of complete rounds, against one opponent or all."""
        return [score for _, score in self._numbered_scores(player, opponent)]

    def _numbered_scores(self, player: int, opponent: int | None) -> list[tuple[int, float]]:
        complete = self.games_per_round
        points = defaultdict(list)
        for result in self.games:
            pairing = result.pairing
            if player in pairing.pair and (opponent is None or opponent in pairing.pair):
                points[pairing.round, pairing.pair].append(self.points(result, player))
        return [
            (number, sum(won) / len(won))
            for (number, _), won in sorted(points.items())
            if len(won) == complete
        ]

    def head_to_head(self, player: int, opponent: int) -> Estimate:
        """Return a player's mean score against another."""
        return ratings.mean_score(self.round_scores(player, opponent), self.games_per_round)

    def elo(self, anchor: str | None = None) -> list[Estimate]:
        """Return every player's rating relative to the anchor's, or to the mean."""
        return self._fit_elo(None if anchor is None else self.players.index(anchor))[0]

    @property
    def elo_exists(self) -> bool:
        """Whether the maximum-likelihood ratings exist: not if a player lost all games."""
        return self._fit_elo(None)[1]

    def _fit_elo(self, anchor: int | None) -> tuple[list[Estimate], bool]:
        wins: dict[tuple[int, ...], list[float]] = {}
        for result in self.games:
            sides = tuple(sorted(result.pairing.seating))
            won = wins.setdefault(sides, [0.0] * len(self.players))
            for player in result.pairing.pair:
                won[player] += self.points(result, player)
        dispersions = {
            pair: ratings.dispersion(self.round_scores(*pair), self.games_per_round)
            for pair in self.pairs
        }
        return ratings.fit_elo(len(self.players), wins, dispersions, anchor)

    def standings(self, anchor: str | None = None) -> list[Standing]:
        """Return every player's row, the strongest first."""
        elo = self.elo(anchor)
        rows = [self._standing(player, elo[player]) for player in range(len(self.players))]
        return sorted(rows, key=lambda row: -row.elo.value)

    def _standing(self, player: int, elo: Estimate) -> Standing:
        own = [result for result in self.games if player in result.pairing.pair]
        drawn = sum(result.winner is None for result in own)
        wins = sum(
            result.winner is not None and result.pairing.seating[result.winner] == player
            for result in own
        )
        costs = [result.costs.get(player, MoveCost()) for result in own]
        choices = max(1, sum(cost.choices for cost in costs))
        return Standing(
            self.players[player],
            len(own),
            wins,
            drawn,
            len(own) - wins - drawn,
            ratings.mean_score(self.round_scores(player), self.games_per_round),
            elo,
            sum(cost.seconds for cost in costs) / choices,
            sum(cost.simulations for cost in costs) / choices,
        )

    def sprt_status(self) -> SprtStatus:
        """Return the state of the sequential test.

        Rounds count in their order, so that the order in which they ended does not matter.
        """
        if self.sprt is None:
            return SprtStatus(None, 0.0, 0)
        sides = len(self.game.teams)
        steps = self.games_per_round * sides
        counts = [0] * (steps + 1)
        rounds, llr = 0, 0.0
        for number, score in self._numbered_scores(0, 1):
            if number != rounds:
                break
            rounds += 1
            counts[round(score * steps)] += 1
            llr = self.sprt.counted_llr(counts, sides)
            if self.sprt.accepted(llr):
                break
        return SprtStatus(self.sprt.accepted(llr), llr, rounds)

    def json(self) -> dict[str, Any]:
        """Return all tables as JSON values."""
        return {
            "game": self.game.name,
            "options": self.game.options,
            "games": len(self.games),
            "draws": self.draws,
            "plies": self.plies,
            "elo_exists": self.elo_exists,
            "players": [asdict(row) for row in self.standings()],
            "pairs": [
                {"player": self.players[player], "opponent": self.players[opponent]}
                | {"games": self.games_per_round * len(self.round_scores(player, opponent))}
                | asdict(self.head_to_head(player, opponent))
                for player, opponent in self.pairs
            ],
            "sprt": self.sprt and asdict(self.sprt) | self.sprt_status()._asdict(),
            "failures": [
                {"player": self.players[player], "game": result.pairing.number + 1, "reason": text}
                for result in self.games
                for player, text in result.failures
            ],
        }
