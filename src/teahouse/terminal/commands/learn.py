"""`teahouse learn`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

import teahouse as th
from teahouse.core.lesson import Lesson, LessonError, lesson_minutes, read_lesson
from teahouse.terminal import progress
from teahouse.terminal.commands.common import examples
from teahouse.terminal.commands.completion import game_names
from teahouse.terminal.lesson_ui import CoachedUI, LessonUI
from teahouse.terminal.line_input import Ask, choose_game, line_input
from teahouse.terminal.local_game import LocalGame, new_record
from teahouse.terminal.seats import assign_seats

EXAMPLES = examples("teahouse learn GAME", "teahouse learn GAME --step 3")
FIRST_LEVEL = 1


def learn(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="name of the game", autocompletion=game_names),
    ] = None,
    step: Annotated[int, typer.Option(min=1, help="begin with this step")] = 1,
) -> None:
    """Learn a game in a few steps, then play a first game with a coach.

    Each step shows a position, says one thing and asks for a move. Type ? for the legal moves, show
    for a right one, and quit at any time.
    """
    ask = line_input()
    lesson = _lesson(game or choose_game(ask, _taught()))
    if step > len(lesson.steps):
        raise th.OptionError(f"The lesson of {lesson.game} has steps 1 to {len(lesson.steps)}.")
    interactive = sys.stdin.isatty()
    finished = LessonUI(lesson, ask, sys.stdout, pause=interactive).run(step)
    if finished and _wants_game(ask):
        _play_first_game(lesson, ask)


def _taught() -> list[str]:
    return [name for name in th.games() if lesson_minutes(name) is not None]


def _lesson(name: str) -> Lesson:
    """Return the lesson of a game; raise `OptionError` if there is none."""
    name = th.load(name).name  # raises if the game is unknown
    try:
        lesson = read_lesson(name)
    except LessonError as error:
        raise th.OptionError(f"The lesson cannot be used: {error}") from None
    if lesson is None:
        raise th.OptionError(f"{name} has no lesson; lessons: {', '.join(_taught())}.")
    return lesson


def _wants_game(ask: Ask) -> bool:
    answer = ask("Play your first game now, with a coach? yes or no: ")
    return (answer or "").strip().lower() in ("yes", "y")


def _play_first_game(lesson: Lesson, ask: Ask) -> None:
    """Play against bots of the lowest level."""
    game = lesson.first_game
    others = dict.fromkeys(game.players[1:], f"level{FIRST_LEVEL}")
    seats = assign_seats(game, {game.players[0]: "human", **others})
    local_game = LocalGame(new_record(game), seats)
    animated = Console(stderr=True).is_interactive
    try:
        show = progress.live if animated else progress.silent
        CoachedUI(local_game, ask, sys.stdout, show).run()
    finally:
        local_game.close()
