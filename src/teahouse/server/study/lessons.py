"""Steps of lessons with all that the page shows, and what the coach of a first game says."""

from __future__ import annotations

import logging
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from teahouse.core.coach import coach
from teahouse.core.errors import IllegalMove
from teahouse.core.lesson import Lesson, LessonError, Step, read_lesson
from teahouse.server.study.explanations import PositionIn
from teahouse.server.tables.setup import load_position
from teahouse.server.tables.snapshots import snapshot
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError

MAX_PREPARED = 6
"""Moves of a step whose boards are sent with it; the page asks for those of others."""
MAX_COACHED = 60

log = logging.getLogger("teahouse.server.study.lessons")


class CoachIn(PositionIn):
    """A position, the moves since, and the player who is coached."""

    moves: Annotated[list[ms.MoveText], Field(max_length=MAX_COACHED, default_factory=list)]
    player: ms.SeatNumber


@cache
def _lesson(name: str) -> Lesson:
    """Return the lesson of a game; raise `ApiError` if it has none or a broken one."""
    try:
        found = read_lesson(name)
    except LessonError:  # of an external game
        log.exception("The lesson of %s cannot be used", name)
        found = None
    if found is None:
        raise ApiError("not_found", "There is no such lesson.")
    return found


def lesson_outline(name: str) -> dict[str, Any]:
    """Return what the page shows besides a step."""
    lesson = _lesson(name)
    return {
        "minutes": lesson.minutes,
        "steps": [{"number": step.number, "name": step.name} for step in lesson.steps],
        "farewell": lesson.farewell,
        "first_game": {
            "options": lesson.first_game.options,
            "players": lesson.first_game.players,
        },
    }


def lesson_step(name: str, number: int) -> dict[str, Any]:
    """Return a step: its texts, its board, and the answer to every legal move."""
    steps = _lesson(name).steps
    if not 1 <= number <= len(steps):
        raise ApiError("not_found", f"There is no such step; steps: 1 to {len(steps)}.")
    step = steps[number - 1]
    answered = [(answer, _moves(step, index)) for index, answer in enumerate(step.answers)]
    named = [move for _, moves in answered for move in moves if len(moves) <= MAX_PREPARED]
    return {
        "number": step.number,
        "name": step.name,
        "say": step.say,
        "ask": step.ask,
        "options": step.position.game.options,
        "players": step.position.game.players,
        "snapshot": snapshot(step.position, step.position.ply, step.played),
        "answers": [
            {"right": answer.right, "say": answer.say, "replies": answer.replies, "moves": moves}
            for answer, moves in answered
        ],
        "otherwise": step.otherwise,
        "shown": {
            "click_path": step.position.click_path(step.shown_move),
            "description": step.position.describe(step.shown_move, "imperative"),
        },
        "prepared": {move: _snapshots(step, move) for move in named[: 2 * MAX_PREPARED]},
    }


def _moves(step: Step, index: int) -> list[str]:
    """Return the legal moves that an answer of a step is given to."""
    return [move for move in step.position.legal if step.answer(move) is step.answers[index]]


def _snapshots(step: Step, move: str) -> list[dict[str, Any]]:
    """Return the boards after a move and after each reply to it."""
    positions = (step.position, *step.line(move))
    moves = (move, *step.answer(move).replies)
    return [
        snapshot(after, after.ply, (before, played))
        for before, after, played in zip(positions, positions[1:], moves, strict=False)
    ]


def coaching(request: CoachIn) -> dict[str, Any]:
    """Return what the coach says; raise `ApiError` if a move is illegal."""
    position = load_position(request.game, request.options, request.position)
    if request.player >= len(position.game.players):
        allowed = [str(seat) for seat in range(len(position.game.players))]
        raise ApiError("invalid", f"There is no player {request.player}.", allowed)
    try:
        return asdict(coach(position, request.moves, request.player))
    except IllegalMove as error:
        raise ApiError("illegal_move", str(error)) from None
