"""Results of the matches between levels, kept in a table: docs/studies/levels.csv.

A row is one run of a match: its games of one seed. It counts as long as both players have the
budgets that they had then, so that only what has changed is played again. A match goes on where its
games are stored, or anywhere with another seed; `pool` returns the results of all its runs.
"""

import csv
import math
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from time import perf_counter, process_time

from matches import STUDIES, Match

import teahouse as th
from teahouse.core.options import format_options
from teahouse.search.arena import MatchResults
from teahouse.search.arena.ratings import Z95, wilson
from teahouse.search.levels import Level, level_of_bot, player_text, profile, uses_network

TABLE = STUDIES / "levels.csv"
TIMED_EVERY = 4  # plies between positions whose search is timed


@dataclass(frozen=True)
class Row:
    """The result of a run: score and Elo of the first player against the second."""

    kind: str
    game: str
    options: str
    """Those that differ from their defaults."""
    first: str
    second: str
    first_budget: str
    second_budget: str
    seed: int
    games: int
    draws: float
    score: float
    low: float
    high: float
    elo: float
    elo_low: float
    elo_high: float
    first_seconds: float
    """Mean time of a move, as `time_per_move` measures it."""
    second_seconds: float

    @property
    def match(self) -> tuple[str, ...]:
        """What is measured: all but seed and result."""
        return astuple(self)[:7]

    @property
    def title(self) -> str:
        """The game with its options."""
        return f"{th.load(self.game).title} {self.options}".strip()


def read_rows(path: Path = TABLE) -> list[Row]:
    """Return the stored results; none without the file."""
    if not path.exists():
        return []
    types = {field.name: field.type for field in fields(Row)}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Row(**{name: types[name](value) for name, value in row.items()})  # type: ignore[operator]
            for row in csv.DictReader(file)
        ]


def write_rows(rows: Iterable[Row], path: Path = TABLE) -> None:
    """Write the results."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def result_rows(match: Match, stored: Iterable[Row], result: MatchResults, seed: int) -> list[Row]:
    """Return the rows of a match, by seed: stored ones, and that of `seed` if it has more games."""
    game = th.load(match.game, **dict(match.options))
    first, second = match.players
    key = (
        *(match.kind, match.game, match.key, first, second),
        *(budget_text(game, first), budget_text(game, second)),
    )
    runs = {row.seed: row for row in stored if row.match == key}
    if result.games and (seed not in runs or runs[seed].games < len(result.games)):
        score, elo = result.head_to_head(0, 1), result.elo(second)[0]
        runs[seed] = Row(
            *key,
            seed=seed,
            games=len(result.games),
            draws=round(result.draws, 3),
            score=round(score.value, 3),
            low=round(score.low, 3),
            high=round(score.high, 3),
            elo=round(elo.value, 1),
            elo_low=round(elo.low, 1),
            elo_high=round(elo.high, 1),
            first_seconds=time_per_move(result, first),
            second_seconds=time_per_move(result, second),
        )
    return [runs[number] for number in sorted(runs)]


def pool(rows: Iterable[Row]) -> list[Row]:
    """Return one row for each match, with the games of all its runs."""
    matches: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        matches.setdefault(row.match, []).append(row)
    return [_pool_runs(runs) if len(runs) > 1 else runs[0] for runs in matches.values()]


def _pool_runs(runs: list[Row]) -> Row:
    """Return the result of several runs of a match, with the seed of the first."""
    games = sum(row.games for row in runs)

    def mean(name: str) -> float:
        return sum(row.games * getattr(row, name) for row in runs) / games

    score = wilson(mean("score"), sum(map(effective_games, runs)))
    # Ratings of independent games: the mean weighted by precision.
    precision = [((row.elo_high - row.elo_low) / (2 * Z95)) ** -2 for row in runs]
    elo = sum(row.elo * weight for row, weight in zip(runs, precision, strict=True))
    elo /= sum(precision)
    half = Z95 / math.sqrt(sum(precision))
    return replace(
        runs[0],
        games=games,
        draws=round(mean("draws"), 3),
        score=round(score.value, 3),
        low=round(score.low, 3),
        high=round(score.high, 3),
        elo=round(elo, 1),
        elo_low=round(elo - half, 1),
        elo_high=round(elo + half, 1),
        first_seconds=round(mean("first_seconds"), 4),
        second_seconds=round(mean("second_seconds"), 4),
    )


def effective_games(row: Row) -> float:
    """Return the independent games whose Wilson interval is that of the row.

    The squared width of the interval is quadratic in Z95² / games.
    """
    half = (row.high - row.low) / 2
    square = 0.25 - half**2
    linear = row.score * (1 - row.score) - 2 * half**2
    inverse = (math.sqrt(linear**2 + 4 * square * half**2) - linear) / (2 * square)
    return Z95**2 / inverse


def budget_text(game: th.Game, player: str) -> str:
    """Return the budget of a level's bot per move; for other players their text."""
    level = level_of_bot(player)
    if level is None:
        return player
    budget = profile(game).levels[level - 1]
    default = Level()
    changed = {
        name: value
        for name, value in vars(budget).items()
        if value != getattr(default, name) and name != "engine"
    }
    if uses_network(game, level):
        changed["engine"] = "network"
    return format_options(changed, ",")


def time_per_move(result: MatchResults, player: str) -> float:
    """Return the mean time of a level's moves in the positions of a game; 0 for other players.

    It is CPU time where that is less, so that other load on the machine does not count.
    """
    level = level_of_bot(player)
    if level is None:
        return 0.0
    positions = [
        position
        for position in th.Record.parse(result.games[0].record).positions
        if len(position.legal) > 1
    ][::TIMED_EVERY]
    bot = th.bot(result.game, level, seed=0)
    bot.choose(positions[0])  # load the kernels
    total = 0.0
    for position in positions:
        wall, cpu = perf_counter(), process_time()
        bot.choose(position)
        total += min(perf_counter() - wall, process_time() - cpu)
    return round(total / len(positions), 4)


def table(rows: Iterable[Row], kind: str) -> list[str]:
    """Return the matches of a kind as a Markdown table, one game after the other."""
    lines = [
        "| game | first | second | games | draws | score of the first | 95 % interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda one: one.title):
        if row.kind == kind:
            first, second = map(player_text, (row.first, row.second))
            lines.append(
                f"| {row.title} | {first} | {second} | {row.games} | {row.draws:.0%} "
                f"| {row.score:.1%} | {row.low:.1%} – {row.high:.1%} |"
            )
    return lines
