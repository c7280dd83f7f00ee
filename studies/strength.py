"""How strong are the bots? Matches between the levels, against plain UCT, and of threads.

    python studies/strength.py --cores 2 --games 100 --folder ~/strength

Finished games are kept in the folder, so a run that was stopped goes on where it was. At the end
each game's ladder goes into its `bots.json`, and docs/studies/strength.md is written.
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
from teahouse.search.arena import Results, play_match
from teahouse.search.levels import LEVELS, LevelRating, profile

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "studies" / "strength.md"
GAMES = ROOT / "src" / "teahouse" / "games"

Options = Mapping[str, Any]

# Toot draws much without `most_pieces`; its draws are reported either way.
MODES: tuple[tuple[str, Options], ...] = (
    *(("orochi", {}), ("oolong", {}), ("toot", {"most_pieces": True})),
    *(("fillit", {"mode": mode}) for mode in ("2", "3", "teams", "2mini", "3mini")),
)
TWO_PLAYERS: tuple[tuple[str, Options], ...] = (
    *(("orochi", {}), ("oolong", {}), ("fillit", {}), ("fillit", {"mode": "2mini"})),
    ("toot", {"most_pieces": True}),
)
# The budgets of the search and of plain UCT, so that each match takes about as long. Level 8 has
# two threads, of which one works out the end of the game in Orochi: there it meets plain UCT on two
# threads, and also on one, as plain UCT is usually written.
PLAIN: tuple[tuple[str, Options, str, str], ...] = (
    ("orochi", {}, "seconds=0.3,threads=2", "seconds=0.3,threads=2"),
    ("orochi", {}, "seconds=0.4,threads=2", "seconds=0.4"),
    ("oolong", {}, "seconds=0.04", "seconds=0.04"),
    ("fillit", {}, "seconds=0.05", "seconds=0.05"),
    ("fillit", {"mode": "2mini"}, "seconds=0.05", "seconds=0.05"),
    ("toot", {"most_pieces": True}, "seconds=0.04", "seconds=0.04"),
)
THREADS_SECONDS = 0.05


@dataclass(frozen=True)
class Match:
    """Two entrants and what they play."""

    kind: str
    game: str
    options: tuple[tuple[str, str | bool], ...]
    entrants: tuple[str, str]
    games: int

    @property
    def key(self) -> str:
        """The options that are not the usual ones, as `bots.json` names them."""
        usual = th.load(self.game).options
        return ",".join(f"{name}={value}" for name, value in self.options if usual[name] != value)

    @property
    def title(self) -> str:
        """The game with its options."""
        return f"{th.load(self.game).title} {self.key}".strip()

    @property
    def folder(self) -> str:
        """Where its games are kept."""
        return "-".join((self.game, self.key, *self.entrants)).replace(":", "_").replace(",", "_")

    @property
    def cores(self) -> int:
        """What a game takes: level 8 has two threads."""
        return 2 if f"level{LEVELS[-1]}" in self.entrants or "threads=2" in self.folder else 1


def matches(games: int) -> Iterator[Match]:
    """All matches, those with the highest levels last: they take longest."""
    for name, options, own, plain in PLAIN:
        yield Match("plain", name, tuple(options.items()), (f"search:{own}", f"uct:{plain}"), 200)
    for name, options in TWO_PLAYERS:
        one = f"search:seconds={THREADS_SECONDS}"
        yield Match("threads", name, tuple(options.items()), (f"{one},threads=2", one), 100)
    for level in LEVELS[1:]:
        for name, options in MODES:
            pair = (f"level{level}", f"level{level - 1}")
            yield Match("ladder", name, tuple(options.items()), pair, games)


def ladder(results: list[tuple[Match, Results]]) -> list[LevelRating]:
    """Ratings counted from level 1, the doubts of all steps added up."""
    rungs = [LevelRating(1, 0, 0, 0, 0.0, None, 0)]
    elo = variance = 0.0
    for _, result in sorted(results, key=lambda pair: pair[0].entrants[0]):
        upper, lower = result.rows()
        if upper.entrant != result.entrants[0]:
            upper, lower = lower, upper
        step = result.elo(result.entrants[1])[0]
        elo += step.value
        variance += ((step.high - step.low) / 3.92) ** 2
        doubt = 1.96 * math.sqrt(variance)
        if len(rungs) == 1:
            rungs[0] = LevelRating(1, 0, 0, 0, round(lower.seconds, 4), None, 0)
        score = round(result.against(0, 1).value, 3)
        rungs.append(
            LevelRating(
                *(len(rungs) + 1, round(elo), round(elo - doubt), round(elo + doubt)),
                *(round(upper.seconds, 4), score, len(result.games)),
            )
        )
    return rungs


def write_ladders(results: list[tuple[Match, Results]]) -> None:
    """Put every game's ladders into its folder, in place of those that were there."""
    for name in sorted({match.game for match, _ in results}):
        path = GAMES / name / "bots.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        data["ratings"] = {}
        keys = sorted({match.key for match, _ in results if match.game == name})
        for key in keys:
            own = [pair for pair in results if (pair[0].game, pair[0].key) == (name, key)]
            # A game that was measured in one way alone has that ladder whatever the options.
            data["ratings"][key if len(keys) > 1 else ""] = [vars(rung) for rung in ladder(own)]
        path.write_text(_pretty(data), encoding="utf-8")


def _pretty(data: dict[str, object]) -> str:
    """JSON with one line for each level."""
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


def write_page(results: list[tuple[Match, Results]]) -> None:
    """The tables, for people."""
    lines = [
        "# How strong the bots are",
        "",
        "Written by `python studies/strength.py`. Draws count half; seats are exchanged from the",
        "same openings of two random decisions; intervals are 95 %. With three sides 50 % is what",
        "equal strength gives.",
        "",
        "## The game's own search against plain UCT",
        "",
        "Both with one thread, unless it says so. Plain UCT: uniform playouts, no proofs, no tree",
        "kept.",
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


def _table(results: list[tuple[Match, Results]], kind: str) -> list[str]:
    lines = [
        "| game | first | second | games | draws | score of the first | interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for match, result in results:
        if match.kind == kind:
            score = result.against(0, 1)
            first, second = match.entrants
            lines.append(
                f"| {match.title} | {first} | {second} | {len(result.games)} | {result.draws:.0%} "
                f"| {score.value:.1%} | {score.low:.1%} – {score.high:.1%} |"
            )
    return lines


def main() -> None:
    """Play all matches, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="for each step of a ladder")
    parser.add_argument("--cores", type=int, default=2, help="that games are played on")
    parser.add_argument("--limit", type=float, default=1e6, help="seconds until it stops")
    parser.add_argument(
        "--only", default="", help="part of a match's folder or kind, such as level8"
    )
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    cancel = Event()
    timer = Timer(given.limit, cancel.set)
    timer.daemon = True
    timer.start()
    if given.limit <= 0:
        cancel.set()  # nothing is played: what there is gets written

    def play(match: Match) -> tuple[Match, Results]:
        game = th.load(match.game, **dict(match.options))
        assert len(profile(game).levels) == len(LEVELS)
        folder = given.folder / match.folder
        jobs = max(1, given.cores // match.cores)
        result = play_match(game, match.entrants, match.games, folder, jobs=jobs, cancel=cancel)
        score = result.against(0, 1)
        print(
            f"{match.kind} {match.title}: {' – '.join(match.entrants)} {score.value:.3f} "
            f"({score.low:.3f} – {score.high:.3f}) in {len(result.games)} games, "
            f"draws {result.draws:.2f}",
            flush=True,
        )
        return match, result

    chosen = [
        match
        for match in matches(given.games)
        if not given.only
        or any(part in f"{match.kind} {match.folder}" for part in given.only.split(","))
    ]
    results = [play(match) for match in chosen]
    if not given.only:
        order = {match: place for place, match in enumerate(chosen)}
        results.sort(key=lambda pair: (pair[0].kind, pair[0].title, order[pair[0]]))
        write_ladders([pair for pair in results if pair[0].kind == "ladder"])
        write_page(results)


if __name__ == "__main__":
    main()
