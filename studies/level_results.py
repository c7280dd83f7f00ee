"""Results of the matches between levels, kept in a table: docs/studies/levels.csv.

A row is one match. It counts as long as both players have the budgets that they had then, so that
only what has changed is played again, and a match goes on wherever its games are stored.
"""

import csv
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from time import perf_counter, process_time

from matches import STUDIES, Match

import teahouse as th
from teahouse.core.options import format_options
from teahouse.search.arena import MatchResults
from teahouse.search.levels import Level, level_of_bot, player_text, profile, uses_network

TABLE = STUDIES / "levels.csv"
TIMED_EVERY = 4  # plies between positions whose search is timed


@dataclass(frozen=True)
class Row:
    """The result of a match: score and Elo of the first player against the second."""

    kind: str
    game: str
    options: str
    """Those that differ from their defaults."""
    first: str
    second: str
    first_budget: str
    second_budget: str
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
        """What is measured: all but the result."""
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


def result_row(match: Match, stored: Iterable[Row], result: MatchResults) -> Row | None:
    """Return the row of a match: of its games, or the stored one if that has more; None if none."""
    game = th.load(match.game, **dict(match.options))
    first, second = match.players
    key = (
        *(match.kind, match.game, match.key, first, second),
        *(budget_text(game, first), budget_text(game, second)),
    )
    old = next((row for row in stored if row.match == key), None)
    if old is not None and old.games >= len(result.games):
        return old
    if not result.games:
        return None
    score, elo = result.head_to_head(0, 1), result.elo(second)[0]
    return Row(
        *key,
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
