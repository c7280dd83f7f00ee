"""Measure the strength of the bots: levels against each other, search against plain UCT, threads.

    python studies/strength.py --cores 2 --games 100 --folder ~/strength

Finished games are stored in the folder, and an interrupted run continues there. At the end the
ratings are written to each game's `bots.json`, and the tables to docs/studies/strength.md.
"""

import argparse
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Timer
from typing import Any

import teahouse as th
from teahouse.core.options import format_options
from teahouse.search.arena import MatchResults, play_match
from teahouse.search.levels import LEVELS, LevelRating, profile

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "studies" / "strength.md"
GAMES = ROOT / "src" / "teahouse" / "games"

Options = Mapping[str, Any]

# Without `most_pieces` most games of Toot are drawn.
VARIANTS: tuple[tuple[str, Options], ...] = (
    *(("orochi", {}), ("oolong", {}), ("toot", {"most_pieces": True})),
    *(("fillit", {"mode": mode}) for mode in ("2", "3", "teams", "2mini", "3mini")),
)
TWO_PLAYERS: tuple[tuple[str, Options], ...] = (
    *(("orochi", {}), ("oolong", {}), ("fillit", {}), ("fillit", {"mode": "2mini"})),
    ("toot", {"most_pieces": True}),
)
# Budgets of the game's own search and of plain UCT, chosen so that all matches take about as long.
# In Orochi one of the two threads of level 8 runs the df-pn solver near the end of the game, so the
# search plays against plain UCT on two threads, and on one, as plain UCT is usually implemented.
PLAIN_UCT_MATCHES: tuple[tuple[str, Options, str, str], ...] = (
    ("orochi", {}, "seconds=0.3,threads=2", "seconds=0.3,threads=2"),
    ("orochi", {}, "seconds=0.4,threads=2", "seconds=0.4"),
    ("oolong", {}, "seconds=0.04", "seconds=0.04"),
    ("fillit", {}, "seconds=0.05", "seconds=0.05"),
    ("fillit", {"mode": "2mini"}, "seconds=0.05", "seconds=0.05"),
    ("toot", {"most_pieces": True}, "seconds=0.04", "seconds=0.04"),
)
THREADS_SECONDS = 0.05
PLAIN_UCT_GAMES = 200
THREADS_GAMES = 100


@dataclass(frozen=True)
class Match:
    """A match of the study: two players and a game with its options."""

    kind: str
    game: str
    options: tuple[tuple[str, str | bool], ...]
    players: tuple[str, str]
    games: int

    @property
    def key(self) -> str:
        """The options that differ from their defaults, as in `bots.json`."""
        return format_options(dict(self._changed_options), ",")

    @property
    def _changed_options(self) -> list[tuple[str, str | bool]]:
        defaults = th.load(self.game).options
        return [(name, value) for name, value in self.options if defaults[name] != value]

    @property
    def title(self) -> str:
        """The game with its options."""
        return f"{th.load(self.game).title} {self.key}".strip()

    @property
    def folder(self) -> str:
        """The name of the folder of its games."""
        options = ",".join(f"{name}={value}" for name, value in self._changed_options)
        return "-".join((self.game, options, *self.players)).replace(":", "_").replace(",", "_")

    @property
    def cores(self) -> int:
        """The cores that one game needs: level 8 has two threads."""
        return 2 if f"level{LEVELS[-1]}" in self.players or "threads=2" in self.folder else 1


def matches(games: int) -> Iterator[Match]:
    """Yield all matches, those of the highest levels last: they take longest."""
    for name, options, own, plain in PLAIN_UCT_MATCHES:
        pair = (f"search:{own}", f"uct:{plain}")
        yield Match("plain", name, tuple(options.items()), pair, PLAIN_UCT_GAMES)
    for name, options in TWO_PLAYERS:
        one = f"search:seconds={THREADS_SECONDS}"
        pair = (f"{one},threads=2", one)
        yield Match("threads", name, tuple(options.items()), pair, THREADS_GAMES)
    for level in LEVELS[1:]:
        for name, options in VARIANTS:
            pair = (f"level{level}", f"level{level - 1}")
            yield Match("ladder", name, tuple(options.items()), pair, games)


def rate_levels(results: list[tuple[Match, MatchResults]]) -> list[LevelRating]:
    """Return ratings relative to level 1; the variances of the steps add up."""
    ratings = [LevelRating(1, 0, 0, 0, 0.0, None, 0)]
    elo = variance = 0.0
    for _, result in sorted(results, key=lambda pair: pair[0].players[0]):
        upper, lower = result.standings()
        if upper.player != result.players[0]:
            upper, lower = lower, upper
        step = result.elo(result.players[1])[0]
        elo += step.value
        variance += ((step.high - step.low) / 3.92) ** 2
        half = 1.96 * math.sqrt(variance)
        if len(ratings) == 1:
            ratings[0] = LevelRating(1, 0, 0, 0, round(lower.seconds, 4), None, 0)
        score = round(result.head_to_head(0, 1).value, 3)
        ratings.append(
            LevelRating(
                *(len(ratings) + 1, round(elo), round(elo - half), round(elo + half)),
                *(round(upper.seconds, 4), score, len(result.games)),
            )
        )
    return ratings


def write_ratings(results: list[tuple[Match, MatchResults]]) -> None:
    """Replace the ratings in every game's `bots.json`."""
    for name in sorted({match.game for match, _ in results}):
        path = GAMES / name / "bots.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        data["ratings"] = {}
        keys = sorted({match.key for match, _ in results if match.game == name})
        for key in keys:
            own = [pair for pair in results if (pair[0].game, pair[0].key) == (name, key)]
            # Ratings of a single variant are used for all options.
            data["ratings"][key if len(keys) > 1 else ""] = [vars(one) for one in rate_levels(own)]
        path.write_text(_format(data), encoding="utf-8")


def _format(data: dict[str, object]) -> str:
    """Return JSON with one line for each level."""
    parts = []
    for name, value in data.items():
        if name == "search":
            parts.append(f"  {json.dumps(name)}: {json.dumps(value)}")
            continue
        assert isinstance(value, dict)
        tables = [
            f"    {json.dumps(key)}: [\n"
            + ",\n".join(f"      {json.dumps(row)}" for row in rows)
            + "\n    ]"
            for key, rows in value.items()
        ]
        parts.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(tables) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_page(results: list[tuple[Match, MatchResults]]) -> None:
    """Write the tables as Markdown."""
    lines = [
        "# Strength of the bots",
        "",
        "Generated by `python studies/strength.py`. Draws count half. The sides are swapped from",
        "the same openings of two random plies. Intervals are 95 %. Equal strength gives 50 %,",
        "also with three sides.",
        "",
        "## The game's own search against plain UCT",
        "",
        "One thread each unless stated. Plain UCT: uniform rollouts, no proofs, no tree reuse.",
        "",
        *_table(results, "plain"),
        "",
        "## Two threads against one",
        "",
        *_table(results, "threads"),
        "",
        "## Each level against the one below",
        "",
        *_table(results, "ladder"),
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _table(results: list[tuple[Match, MatchResults]], kind: str) -> list[str]:
    lines = [
        "| game | first | second | games | draws | score of the first | 95 % interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for match, result in results:
        if match.kind == kind:
            score = result.head_to_head(0, 1)
            first, second = match.players
            lines.append(
                f"| {match.title} | {first} | {second} | {len(result.games)} | {result.draws:.0%} "
                f"| {score.value:.1%} | {score.low:.1%} – {score.high:.1%} |"
            )
    return lines


def main() -> None:
    """Play all matches and write the ratings and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--games", type=int, default=100, help="games of each level against the one below"
    )
    parser.add_argument("--cores", type=int, default=2, help="number of cores to use")
    parser.add_argument(
        "--limit",
        type=float,
        default=1e6,
        help="seconds to play; with 0 only the stored games are reported",
    )
    parser.add_argument(
        "--only",
        default="",
        help="part of a match's folder or kind, such as level8; writes nothing",
    )
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    cancel = Event()
    timer = Timer(arguments.limit, cancel.set)
    timer.daemon = True
    timer.start()
    if arguments.limit <= 0:
        cancel.set()

    def play(match: Match) -> tuple[Match, MatchResults]:
        game = th.load(match.game, **dict(match.options))
        assert len(profile(game).levels) == len(LEVELS)
        folder = arguments.folder / match.folder
        jobs = max(1, arguments.cores // match.cores)
        result = play_match(game, match.players, match.games, folder, jobs=jobs, cancel=cancel)
        score = result.head_to_head(0, 1)
        print(
            f"{match.kind} {match.title}: {' – '.join(match.players)} {score.value:.3f} "
            f"({score.low:.3f} – {score.high:.3f}) in {len(result.games)} games, "
            f"draws {result.draws:.2f}",
            flush=True,
        )
        return match, result

    selected = [
        match
        for match in matches(arguments.games)
        if not arguments.only
        or any(part in f"{match.kind} {match.folder}" for part in arguments.only.split(","))
    ]
    results = [play(match) for match in selected]
    if not arguments.only:
        order = {match: place for place, match in enumerate(selected)}
        results.sort(key=lambda pair: (pair[0].kind, pair[0].title, order[pair[0]]))
        write_ratings([pair for pair in results if pair[0].kind == "ladder"])
        write_page(results)


if __name__ == "__main__":
    main()
