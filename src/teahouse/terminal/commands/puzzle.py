"""`teahouse puzzle`."""

from __future__ import annotations

import random
import sys
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

import teahouse as th
from teahouse.search.puzzles.puzzle import Puzzle, daily_puzzle
from teahouse.search.puzzles.puzzle import puzzle as numbered_puzzle
from teahouse.search.puzzles.themes import theme_labels
from teahouse.terminal.commands.common import Json, examples, print_json
from teahouse.terminal.commands.completion import game_names, puzzle_themes
from teahouse.terminal.line_input import choose_game, line_input
from teahouse.terminal.puzzle_ui import PuzzleUI

EXAMPLES = examples(
    "teahouse puzzle GAME",
    "teahouse puzzle --daily",
    "teahouse puzzle GAME --number 12",
    "teahouse puzzle GAME --rating 800 --json",
)
NEAR = 5  # puzzles next to the wanted rating, one of which is shown


def puzzle(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="name of the game", autocompletion=game_names),
    ] = None,
    number: Annotated[int | None, typer.Option(min=1, help="number of the puzzle")] = None,
    daily: Annotated[bool, typer.Option("--daily", help="the puzzle of today (UTC)")] = False,
    theme: Annotated[
        str | None, typer.Option(help="only puzzles with this theme", autocompletion=puzzle_themes)
    ] = None,
    rating: Annotated[int | None, typer.Option(help="puzzles of about this rating")] = None,
    as_json: Json = False,
) -> None:
    """Solve puzzles: find the only move that wins, or that does not lose.

    Type ? for the legal moves, hint for a part of the answer, solution for all of it, next for
    another puzzle, and quit at any time. With --json, print a puzzle with its solution.
    """
    if daily and (number is not None or theme is not None or rating is not None):
        raise th.OptionError("--daily excludes --number, --theme and --rating.")
    ask = line_input()
    if game is None and not daily:
        if as_json:
            raise th.OptionError(f"Name a game; games: {', '.join(_games())}.")
        game = choose_game(ask, _games())
    first = _choose(game, number, daily, theme, rating)
    if as_json:
        print_json(_json(first))
        return
    queue = [first]

    def choose() -> Puzzle:
        return queue.pop() if queue else _choose(first.game, None, False, theme, rating)

    PuzzleUI(choose, ask, sys.stdout).run()


def _games() -> tuple[str, ...]:
    return tuple(name for name in th.games() if th.puzzles(name))


def _choose(
    game: str | None, number: int | None, daily: bool, theme: str | None, rating: int | None
) -> Puzzle:
    """Return the puzzle that the command line asks for, or a random one."""
    if daily:
        today = datetime.now(UTC).date()
        return daily_puzzle((_checked(game),) if game else _games(), today)
    name = _checked(game)
    if number is not None:
        return numbered_puzzle(name, number)
    found = [one for one in th.puzzles(name) if theme is None or theme in one.themes]
    if not found:
        used = {theme for one in th.puzzles(name) for theme in one.themes}
        allowed = ", ".join(theme for theme in theme_labels(name) if theme in used)
        raise th.OptionError(f"{name} has no puzzles with the theme {theme!r}; themes: {allowed}.")
    if rating is not None:
        found = sorted(found, key=lambda one: abs(one.rating - rating))[:NEAR]
    return random.choice(found)  # noqa: S311 - no secret


def _checked(name: str | None) -> str:
    """Return the name of a game with puzzles; raise `OptionError` if it has none."""
    assert name is not None
    name = th.load(name).name  # raises if the game is unknown
    if not th.puzzles(name):
        raise th.OptionError(f"{name} has no puzzles; games: {', '.join(_games())}.")
    return name


def _json(found: Puzzle) -> dict[str, Any]:
    return {
        "game": found.game,
        "number": found.number,
        "options": found.position.game.options,
        "position": found.start,
        "task": found.task,
        "goal": found.goal,
        "rating": found.rating,
        "themes": found.themes,
        "line": found.line,
        "then": found.then,
    }
