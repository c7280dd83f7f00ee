"""Measure the levels of the bots: each against the one below, the first against a greedy player.

    python studies/levels.py --cores 2 --folder ~/levels
    python studies/levels.py --cores 2 --folder ~/levels --only level7,level8 --limit 3600
    python studies/levels.py --folder ~/levels --limit 0

Finished games are stored in the folder, and an interrupted run continues there. At the end the
results are written to docs/studies/levels.csv, which keeps those of earlier runs for levels that
have not changed; the ratings to each game's `bots.json`; tables and plots to
docs/studies/levels.md. Games of another seed (`--seed`, with a folder of its own) are added to
those of earlier seeds.
Levels with a budget in simulations may be measured on a busy machine, the last one may not.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from level_results import Row, pool, read_rows, result_rows, table, write_rows
from matches import ROOT, STUDIES, TOOT, Match, Options, parse_arguments, play_all

import teahouse as th
from teahouse.search.arena.plot import ratings_plot
from teahouse.search.arena.ratings import Estimate
from teahouse.search.levels import LEVELS, LevelRating, level_text
from teahouse.search.threads import default_threads

PAGE = STUDIES / "levels.md"
PLOTS = STUDIES / "levels"
GAMES = ROOT / "src" / "teahouse" / "games"

VARIANTS: tuple[tuple[str, Options], ...] = (
    *(("orochi", {}), ("oolong", {}), ("toot", {}), TOOT),
    *(("fillit", {"mode": mode}) for mode in ("2", "3", "teams", "2mini", "3mini")),
)
DEFAULT_GAMES = 120  # for intervals of ± 8 points at a score of 75 %
GREEDY_GAMES = 400
MIN_GAMES = 20  # for a rating


def matches(games: int) -> Iterator[Match]:
    """Yield all matches, those of the highest levels last: they take longest."""
    for name, options in VARIANTS:
        yield Match("greedy", name, tuple(options.items()), ("level1", "greedy"), GREEDY_GAMES)
    for level in LEVELS[1:]:
        for name, options in VARIANTS:
            pair = (f"level{level}", f"level{level - 1}")
            yield Match("ladder", name, tuple(options.items()), pair, games)


def rate_levels(steps: Mapping[str, Row]) -> list[LevelRating]:
    """Return ratings relative to level 1, up to the first step with too few games.

    The variances of the steps add up.
    """
    ratings: list[LevelRating] = []
    elo = variance = 0.0
    for level in LEVELS[1:]:
        step = steps.get(f"level{level}")
        if step is None or step.games < MIN_GAMES:
            break
        elo += step.elo
        variance += ((step.elo_high - step.elo_low) / 3.92) ** 2
        half = 1.96 * math.sqrt(variance)
        if not ratings:
            ratings.append(LevelRating(1, 0, 0, 0, step.second_seconds, None, 0))
        bounds = (round(elo), round(elo - half), round(elo + half))
        ratings.append(LevelRating(level, *bounds, step.first_seconds, step.score, step.games))
    return ratings


def rated(rows: Iterable[Row]) -> dict[str, dict[str, list[LevelRating]]]:
    """Return the ratings by game and by options."""
    steps: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows:
        if row.kind == "ladder":
            steps.setdefault(row.game, {}).setdefault(row.options, {})[row.first] = row
    return {
        game: {key: rate_levels(levels) for key, levels in sorted(keys.items())}
        for game, keys in steps.items()
    }


def write_ratings(ratings: dict[str, dict[str, list[LevelRating]]]) -> None:
    """Replace the ratings in every game's `bots.json`."""
    for name, by_options in ratings.items():
        path = GAMES / name / "bots.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        # Ratings of a single variant are used for all options.
        data["ratings"] = {
            key if len(by_options) > 1 else "": [vars(one) for one in levels]
            for key, levels in by_options.items()
        }
        path.write_text(format_bots(data), encoding="utf-8")


def format_bots(data: dict[str, Any]) -> str:
    """Return JSON with one line for each level."""
    parts = []
    for name, value in data.items():
        if name not in ("levels", "ratings"):
            parts.append(f"  {json.dumps(name)}: {json.dumps(value)}")
            continue
        tables = [
            f"    {json.dumps(key)}: [\n"
            + ",\n".join(f"      {json.dumps(row)}" for row in rows)
            + "\n    ]"
            for key, rows in value.items()
        ]
        parts.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(tables) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_plots(ratings: dict[str, dict[str, list[LevelRating]]]) -> list[str]:
    """Write a plot of the ratings of every variant; return Markdown that shows them."""
    PLOTS.mkdir(exist_ok=True)
    lines = []
    for name, by_options in ratings.items():
        for key, levels in by_options.items():
            if not levels:
                continue
            title = f"{th.load(name).title} {key}".strip()
            rows = {level_text(one.level): Estimate(one.elo, one.low, one.high) for one in levels}
            path = PLOTS / f"{'-'.join(title.lower().replace('=', ' ').split())}.svg"
            plot = ratings_plot(f"{title}: Elo with 95 % interval", rows)
            path.write_text(plot, encoding="utf-8")
            lines.append(f"![Ratings of {title}]({PLOTS.name}/{path.name})")
    return lines


def write_page(rows: list[Row], plots: list[str]) -> None:
    """Write tables and plots as Markdown."""
    lines = [
        "# Strength of the levels",
        "",
        "Generated by `python studies/levels.py`. Draws count half. The sides are swapped from the",
        "same openings of two random plies. Intervals are 95 %. Equal strength gives 50 %, also",
        "with three sides. Bots have the same budgets as in the apps: levels limited by",
        f"simulations use one thread, the last level uses {default_threads()} threads and keeps",
        "its tree from move to move.",
        "",
        "## The first level against a greedy player",
        "",
        "The greedy player looks one move ahead: it wins if it can, else takes the move with the",
        "best static evaluation ([more](../arena.md)). It models a person who knows the rules.",
        "",
        *table(rows, "greedy"),
        "",
        "## Ratings",
        "",
        *plots,
        "",
        "## Each level against the one below",
        "",
        *table(rows, "ladder"),
        "",
        "Of the games of level 8, 23 of Fillit mode=3, 88 of mode=3mini and most of Toot with 12",
        "tiles were played while other programs ran at a lower priority, so these scores may be",
        "slightly low.",
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Play all matches and write the ratings and the page."""
    arguments = parse_arguments(__doc__, DEFAULT_GAMES)
    results = play_all(matches(arguments.games), arguments)
    if not arguments.only:
        stored = read_rows()
        runs = [
            row
            for match, result in results
            for row in result_rows(match, stored, result, arguments.seed)
        ]
        write_rows(runs)
        rows = pool(runs)
        ratings = rated(rows)
        write_ratings(ratings)
        write_page(rows, write_plots(ratings))


if __name__ == "__main__":
    main()
