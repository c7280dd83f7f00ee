"""`teahouse games`."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import teahouse as th
from teahouse.core.catalog import broken_games
from teahouse.core.game import game_info
from teahouse.core.options import allowed_text, option_text
from teahouse.search.levels import LEVEL_NAMES, LEVELS, LevelRating, level_ratings, uses_network
from teahouse.terminal.commands.common import Json, examples, print_json
from teahouse.terminal.commands.completion import game_names

EXAMPLES = examples("teahouse games", "teahouse games GAME", "teahouse games --json")


def games(
    game: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME …]", help="games to list; default: all", autocompletion=game_names
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the games with their seats, options and bots."""
    listed = [th.load(name).name for name in dict.fromkeys(game or th.games())]
    for broken in broken_games():
        print(f"teahouse: {broken.message}", file=sys.stderr)
    if as_json:
        print_json([_as_json(name) for name in listed])
        return
    console = Console()
    for name in listed:
        loaded = th.load(name)
        console.print(f"\n[bold]{name}[/]  {escape(loaded.summary)}", highlight=False)
        console.print(f"  seats: {', '.join(loaded.players)}", highlight=False)
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for option, kind in game_info(name).options.items():
            text = f"  {option}={option_text(kind.default)}"
            table.add_row(text, f"{kind.help}: {allowed_text(kind)}")
        console.print(table, highlight=False, markup=False)
        console.print(_levels(loaded), highlight=False, markup=False)


def _levels(game: th.Game) -> Table:
    """Return a table of each level's rating, time per move and engine; dashes if not measured."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column("  level")
    for header in ("rating", "± (95 %)", "time per move"):
        table.add_column(header, justify="right")
    table.add_column("plays with")
    rated = {rating.level: rating for rating in level_ratings(game)}
    for level, name in zip(LEVELS, LEVEL_NAMES, strict=True):
        cells = ("–", "–", "–")
        if level in rated:
            rating = rated[level]
            interval = (rating.high - rating.low) / 2
            cells = (f"{rating.elo:.0f}", f"{interval:.0f}", _time(rating.seconds))
        engine = "neural network" if uses_network(game, level) else "search"
        table.add_row(f"  {level} · {name}", *cells, engine)
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
        "levels": [_level_as_json(game, level) for level in LEVELS],
    }


def _level_as_json(game: th.Game, level: int) -> dict[str, object]:
    """Return a level with its measured rating; null where it was not measured."""
    rating = next((vars(one) for one in level_ratings(game) if one.level == level), {})
    return {
        **{field.name: rating.get(field.name) for field in fields(LevelRating)},
        "level": level,
        "name": LEVEL_NAMES[level - 1],
        "engine": "network" if uses_network(game, level) else "search",
    }
