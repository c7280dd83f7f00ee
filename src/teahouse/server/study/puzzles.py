"""Puzzles as clients get them; the solution is sent only with an answer or on request."""

from __future__ import annotations

import logging
from datetime import date
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from teahouse.core.catalog import games, load
from teahouse.core.errors import IllegalMove, OptionError
from teahouse.core.game import Game, game_info, non_default_options
from teahouse.core.options import ChoiceOption, option_label, option_text
from teahouse.search.levels import level_near
from teahouse.search.puzzles.attempt import PlayedMove, hint, judge, outcome_sentence, solution
from teahouse.search.puzzles.puzzle import Puzzle, daily_puzzle, puzzle, puzzles
from teahouse.search.puzzles.themes import theme_label
from teahouse.server.tables.snapshots import played_move, snapshot
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.web.listing import list_levels

MAX_ANSWERS = 20

log = logging.getLogger("teahouse.server.study.puzzles")


class AnswerIn(ms.StrictModel):
    """The player's moves in a puzzle so far; the last one is judged."""

    moves: Annotated[list[ms.MoveText], Field(min_length=1, max_length=MAX_ANSWERS)]


class HintIn(ms.StrictModel):
    """The player's right moves in a puzzle so far."""

    moves: Annotated[list[ms.MoveText], Field(max_length=MAX_ANSWERS)]


@cache
def puzzle_games() -> tuple[str, ...]:
    """Return the names of the games that have puzzles."""
    return tuple(name for name in games() if _readable_puzzles(name))


def _readable_puzzles(name: str) -> tuple[Puzzle, ...]:
    try:
        return puzzles(name)
    except (KeyError, TypeError, ValueError, AttributeError):  # of an external game
        log.exception("The puzzles of %s cannot be used", name)
        return ()


def daily(day: date) -> dict[str, Any] | None:
    """Return which puzzle is that of a day; None if there are no puzzles."""
    if not puzzle_games():
        return None
    found = daily_puzzle(puzzle_games(), day)
    title = load(found.game).title
    return {"date": day.isoformat(), "game": found.game, "title": title, "number": found.number}


def find_puzzle(name: str, number: int) -> Puzzle:
    """Return a puzzle, or raise `ApiError`."""
    require_puzzles(name)
    try:
        return puzzle(name, number)
    except OptionError as error:
        raise ApiError("not_found", str(error)) from None


def require_puzzles(name: str) -> None:
    """Raise `ApiError` if a game has no puzzles."""
    if name not in puzzle_games():
        allowed = ", ".join(puzzle_games())
        raise ApiError("not_found", f"There are no puzzles of this name; games: {allowed}.")


def list_puzzles(name: str) -> dict[str, Any]:
    """Return the numbers, ratings and themes of a game's puzzles, for choosing one."""
    require_puzzles(name)
    found, game = puzzles(name), load(name)
    used = dict.fromkeys(theme for one in found for theme in one.themes)
    return {
        "game": name,
        "title": game.title,
        "levels": list_levels(game),
        "themes": {theme: theme_label(name, theme) for theme in used},
        "puzzles": [
            {"number": one.number, "rating": one.rating, "themes": one.themes} for one in found
        ],
    }


def puzzle_to_solve(name: str, number: int) -> dict[str, Any]:
    """Return a puzzle with its board, without the solution."""
    found = find_puzzle(name, number)
    position = found.position
    game = position.game
    return {
        "game": name,
        "title": game.title,
        "number": number,
        "count": len(puzzles(name)),
        "rating": found.rating,
        "difficulty": level_near(game, found.rating),
        "variant": _variant(game),
        "task": found.task,
        "options": game.options,
        "players": game.players,
        "player": position.player,
        "snapshot": snapshot(position, position.ply, None),
    }


def _variant(game: Game) -> str:
    """Return the options that differ from their defaults in words."""
    declared = game_info(game.name).options
    texts = []
    for name, value in non_default_options(game).items():
        option, text = declared[name], option_text(value)
        if isinstance(option, ChoiceOption) and option.choice_labels:
            text = option.choice_labels[list(option.names).index(value)]
        texts.append(f"{option_label(name, option)}: {text}")
    return ", ".join(texts)


def answer(name: str, number: int, moves: list[str]) -> dict[str, Any]:
    """Return whether the last of the player's moves is right, and the boards after it."""
    found = find_puzzle(name, number)
    try:
        verdict = judge(found, moves)
    except IllegalMove as error:
        raise ApiError("illegal_move", str(error)) from None
    return {
        "right": verdict.right,
        "solved": verdict.solved,
        "say": verdict.say,
        "snapshots": [_snapshot(step) for step in verdict.steps],
    }


def hinted(name: str, number: int, moves: list[str]) -> dict[str, Any]:
    """Return where the right move after the player's moves begins."""
    try:
        clicks, say = hint(find_puzzle(name, number), moves)
    except IllegalMove as error:
        raise ApiError("illegal_move", str(error)) from None
    return {"click_path": clicks, "say": say}


def shown_solution(name: str, number: int) -> dict[str, Any]:
    """Return the moves of the solution in words, with the themes of the puzzle."""
    found = find_puzzle(name, number)
    steps = solution(found)
    return {
        "moves": [played_move(step.before, step.move) for step in steps],
        "asked": len(found.line),
        "say": outcome_sentence(found, steps[len(found.line) - 1].after),
        "themes": [{"name": theme, "label": theme_label(name, theme)} for theme in found.themes],
    }


def _snapshot(step: PlayedMove) -> dict[str, Any]:
    after = step.after
    return snapshot(after, after.ply, (step.before, step.move))
