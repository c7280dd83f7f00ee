"""Lessons: a game's `lesson.toml`, read into a strict model.

A lesson teaches a game in a few steps. Each has a position, a text, a request for a move, and
answers to right and wrong moves. `docs/adding-a-game.md` describes the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NoReturn

from teahouse.core.catalog import load
from teahouse.core.errors import IllegalMove, OptionError, PositionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.options import parse_options
from teahouse.core.packages import game_text
from teahouse.core.position import Position

FILE = "lesson.toml"
ANY = "…"
"""In a move of an answer: any characters, so that `w…` is every move that begins with w."""
START, CONTINUE = "start", "continue"
"""Positions of a step: the start of the game, and the end of the step before."""


class LessonError(ValueError):
    """A lesson that cannot be read or played; the message names the step."""


@dataclass(frozen=True)
class Answer:
    """The reaction to some moves: a text, and the replies played."""

    moves: tuple[str, ...]
    """Move texts; `ANY` in them stands for any characters."""
    say: str
    right: bool
    replies: tuple[str, ...] = ()
    """Moves that are played after it, by whoever is to move."""

    def fits(self, move: str) -> bool:
        """Return whether this answer matches a move."""
        return any(_fits(pattern, move) for pattern in self.moves)


def _fits(pattern: str, move: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split(ANY))), move) is not None


@dataclass(frozen=True)
class Step:
    """One thing to learn."""

    number: int
    """From 1 on."""
    name: str
    rules: tuple[str, ...]
    """Numbers of the rules that it teaches."""
    say: str
    ask: str
    """The request for a move."""
    answers: tuple[Answer, ...]
    """Those to right moves first; the first that fits counts."""
    otherwise: str
    """What is said to any other move."""
    position: Position
    played: tuple[Position, str] | None
    """The move that led to the position, if it is shown."""

    def answer(self, move: str) -> Answer:
        """Return the answer to a legal move."""
        otherwise = Answer((ANY,), self.otherwise, right=False)
        return next((answer for answer in self.answers if answer.fits(move)), otherwise)

    @cached_property
    def right_moves(self) -> tuple[str, ...]:
        """The accepted legal moves, in the order of the answers."""
        right = [answer for answer in self.answers if answer.right]
        patterns = [pattern for answer in right for pattern in answer.moves]
        found = [move for one in patterns for move in self.position.legal if _fits(one, move)]
        return tuple(dict.fromkeys(found))

    @property
    def shown_move(self) -> str:
        """The move shown to a player who asks for the solution."""
        return self.right_moves[0]

    def line(self, move: str) -> tuple[Position, ...]:
        """Return the positions after a legal move and after each reply to it."""
        positions = [self.position.play(move)]
        for reply in self.answer(move).replies:
            positions.append(positions[-1].play(reply))
        return tuple(positions)


@dataclass(frozen=True)
class Lesson:
    """A lesson and the first game after it."""

    game: str
    minutes: int
    steps: tuple[Step, ...]
    left_out: Mapping[str, str]
    """Numbers of rules that it does not teach, each with a reason."""
    farewell: str
    """What is said after the last step."""
    first_game: Game
    """The game with the options of the first game."""


@cache
def lesson_minutes(name: str) -> int | None:
    """Return how long the lesson of a game takes, None if it has none; no step is read."""
    try:
        minutes = tomllib.loads(game_text(name, FILE) or "").get("minutes")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):  # of an external game
        return None
    return minutes if type(minutes) is int else None


@cache
def read_lesson(name: str) -> Lesson | None:
    """Return the lesson of a game, None if it has none; raise `LessonError` if it is broken."""
    text = game_text(name, FILE)
    return None if text is None else parse_lesson(name, text)


def parse_lesson(name: str, text: str) -> Lesson:
    """Return the lesson that a text describes; raise `LessonError` with the step and the reason."""
    where = f"{FILE} of {name}"
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{where}: {error}.") from None
    table = _Table(data, where)
    minutes = table.take("minutes", int)
    farewell = table.take("farewell", str)
    first_game = _load(name, table.take("first_game", str, ""), where)
    left_out = _Table(table.take("left_out", dict, {}), where)
    reasons = {rule: left_out.take(rule, str) for rule in list(left_out)}
    steps: list[Step] = []
    for number, entry in enumerate(table.tables("steps"), 1):
        steps.append(_read_step(name, number, entry, steps[-1] if steps else None))
    table.finish()
    if not steps:
        table.fail("it has no [[steps]]")
    return Lesson(name, minutes, tuple(steps), reasons, farewell, first_game)


def _read_step(name: str, number: int, table: _Table, before: Step | None) -> Step:
    title = table.take("name", str)
    table.where = f"{FILE} of {name}, step {number} ({title})"
    where = table.take("position", str)
    options, played = table.take("options", str, ""), table.take("played", str, "")
    positions = [_start(name, where, options, before, table)]
    positions += _play_all(positions[0], played.split(), table)
    last = (positions[-2], played.split()[-1]) if played else None
    if where == CONTINUE and not played and before is not None:
        last = _last_move(before)
    step = Step(
        number=number,
        name=title,
        rules=table.texts("rules"),
        say=table.take("say", str),
        ask=table.take("ask", str),
        answers=(
            *(_read_answer(answer, right=True) for answer in table.tables("right")),
            *(_read_answer(answer, right=False) for answer in table.tables("wrong")),
        ),
        otherwise=table.take("otherwise", str, ""),
        position=positions[-1],
        played=last,
    )
    table.finish()
    _check_moves(step, table)
    return step


def _start(name: str, where: str, options: str, before: Step | None, table: _Table) -> Position:
    """Return the position that a step names."""
    if where != CONTINUE:
        game = _load(name, options, table.where)
        try:
            return game.start() if where == START else game.position(where)
        except PositionError as error:
            table.fail(str(error))
    if before is None or len(before.right_moves) != 1:
        table.fail("it continues, but the step before does not have exactly one right move")
    if options:
        table.fail("it continues, so it cannot have options")
    return before.line(before.shown_move)[-1]


def _last_move(step: Step) -> tuple[Position, str]:
    """Return the last move of a step with one right move, and the position before it."""
    moves = (step.shown_move, *step.answer(step.shown_move).replies)
    return (step.position, *step.line(step.shown_move))[-2], moves[-1]


def _play_all(position: Position, moves: list[str], table: _Table) -> list[Position]:
    positions: list[Position] = []
    for move in moves:
        try:
            position = position.play(move)
        except IllegalMove as error:
            table.fail(str(error))
        positions.append(position)
    return positions


def _read_answer(table: _Table, *, right: bool) -> Answer:
    replies = tuple(table.take("replies", str, "").split())
    answer = Answer(table.texts("moves"), table.take("say", str), right, replies)
    table.finish()
    return answer


def _check_moves(step: Step, table: _Table) -> None:
    """Raise `LessonError` if a move or reply is illegal, or no move is right or none is wrong."""
    legal = step.position.legal
    for answer in step.answers:
        for pattern in answer.moves:
            if not any(_fits(pattern, move) for move in legal):
                table.fail(
                    f"the move {quoted(pattern)} is not legal; legal moves: {listing(legal)}"
                )
    if not step.right_moves:
        table.fail("it has no right move")
    for move in legal:
        if replies := step.answer(move).replies:
            _play_all(step.position.play(move), list(replies), table)
    if any(not step.answer(move).say for move in legal):
        table.fail("it has no answer to some moves: add `otherwise`")


def _load(name: str, options: str, where: str) -> Game:
    try:
        return load(name, **parse_options(options.split()))
    except OptionError as error:
        raise LessonError(f"{where}: {error}") from None


class _Table:
    """A TOML table, all of whose keys must be read, with the right types."""

    def __init__(self, data: Mapping[str, Any], where: str) -> None:
        self._data = dict(data)
        self.where = where

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def fail(self, reason: str) -> NoReturn:
        """Raise `LessonError`."""
        raise LessonError(f"{self.where}: {reason.removesuffix('.')}.")

    def take(self, key: str, kind: type, otherwise: Any = None) -> Any:
        """Return the value of a key; without a default it is required."""
        value = self._data.pop(key, otherwise)
        if value is None:
            self.fail(f"{key} is missing")
        if type(value) is not kind:
            self.fail(f"{key} must be of type {kind.__name__}, not {quoted(value)}")
        return " ".join(str(value).split()) if kind is str else value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts that is not empty."""
        values = self.take(key, list)
        if not values or not all(type(value) is str and value for value in values):
            self.fail(f"{key} must be a list of texts")
        return tuple(values)

    def tables(self, key: str) -> list[_Table]:
        """Return a list of tables, which may be missing."""
        values = self.take(key, list, [])
        if not all(isinstance(value, dict) for value in values):
            self.fail(f"{key} must be a list of tables")
        return [_Table(value, self.where) for value in values]

    def finish(self) -> None:
        """Raise `LessonError` if a key was not read."""
        if self._data:
            self.fail(f"unknown keys: {', '.join(self._data)}")
