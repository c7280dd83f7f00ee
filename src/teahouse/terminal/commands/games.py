"""`teahouse games`."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import teahouse as th
from teahouse.core.catalog import broken_games
from teahouse.core.game import game_info
from teahouse.core.options import allowed_text, option_text
from teahouse.search.levels import LEVEL_NAMES, LEVELS, LevelRating, level_ratings
from teahouse.terminal.commands.common import Json, examples, print_json

EXAMPLES = examples("teahouse games", "teahouse games --json")


def games(as_json: Json = False) -> None:
    """List the games with their seats, options and bots."""
    for broken in broken_games():
        name = f"{broken.name} ({broken.package})"
        print(f"teahouse: The game {name} cannot be used: {broken.reason}.", file=sys.stderr)
    if as_json:
        print_json([_as_json(name) for name in th.games()])
        return
    console = Console()
    for name in th.games():
        game = th.load(name)
        console.print(f"\n[bold]{name}[/]  {escape(game.summary)}", highlight=False)
        console.print(f"  seats: {', '.join(game.players)}", highlight=False)
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for option, kind in game_info(name).options.items():
            text = f"  {option}={option_text(kind.default)}"
            table.add_row(text, f"{kind.help}: {allowed_text(kind)}")
        console.print(table, highlight=False, markup=False)
        if ratings := level_ratings(game):
            console.print(_levels(ratings), highlight=False, markup=False)


def _levels(ratings: tuple[LevelRating, ...]) -> Table:
    """Return a table of each level's name, rating and time per move; dashes if not measured."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column("  level")
    for header in ("rating", "± (95 %)", "time per move"):
        table.add_column(header, justify="right")
    rated = {rating.level: rating for rating in ratings}
    for level, name in zip(LEVELS, LEVEL_NAMES, strict=True):
        cells = ("–", "–", "–")
        if level in rated:
            rating = rated[level]
            interval = (rating.high - rating.low) / 2
            cells = (f"{rating.elo:.0f}", f"{interval:.0f}", _time(rating.seconds))
        table.add_row(f"  {level} · {name}", *cells)
    return table


def _time(seconds: float) -> str:
    return f"{max(1, round(1000 * seconds))} ms" if seconds < 0.1 else f"{seconds:.1f} s"


def _as_json(name: str) -> dict[str, object]:
    game = th.load(name)
    return {
        "name": name,
        "title": game.title,
        "summary": game.summary,
        "players": game.players,
        "options": {
            option: {"default": kind.default, "help": kind.help, "allowed": allowed_text(kind)}
            for option, kind in game_info(name).options.items()
        },
        "levels": [
            {**vars(rating), "name": LEVEL_NAMES[rating.level - 1]}
            for rating in level_ratings(game)
        ],
    }
