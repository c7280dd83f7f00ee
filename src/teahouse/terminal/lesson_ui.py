"""A lesson line by line, and a first game with a coach."""

from __future__ import annotations

from typing import TextIO

import teahouse as th
from teahouse.core.coach import coach
from teahouse.core.lesson import Lesson, Step
from teahouse.core.position import Position
from teahouse.draw.rules_text import rules_text
from teahouse.draw.text import render_text
from teahouse.terminal.command_ui import INTRODUCTION, LIST_MOVES, CommandUI, Quit
from teahouse.terminal.line_input import Ask
from teahouse.terminal.line_ui import LineUI

WRONG_MOVES_BEFORE_HELP = 2


class SkipStep(Exception):  # noqa: N818 - not an error
    """The player skips the step."""


class LessonUI(CommandUI):
    """Teaches one game through lines of text."""

    def __init__(self, lesson: Lesson, ask: Ask, out: TextIO, *, pause: bool = False) -> None:
        super().__init__(ask, out)
        self.lesson = lesson
        self.pause = pause
        """Whether to wait for Enter after each step."""
        self._step = lesson.steps[0]
        self.commands = {
            "?": (self.list_moves, LIST_MOVES),
            "show": (self._show_move, "show a right move"),
            "skip": (self._skip, "go to the next step"),
            "rules": (self._rules, "show the rules"),
            "help": (self.help, "show this list"),
            "quit": (self.quit, "quit; continue later with --step NUMBER"),
        }

    @property
    def position(self) -> Position:
        """The position of the current step."""
        return self._step.position

    def run(self, first: int = 1) -> bool:
        """Teach from a step on; return whether the player reached the end."""
        game, count = self.lesson.first_game, len(self.lesson.steps)
        self.print(f"Learn {game.title}: {count} steps, about {self.lesson.minutes} minutes.")
        self.print(INTRODUCTION)
        for step in self.lesson.steps[first - 1 :]:
            self._step = step
            try:
                self._teach(step)
            except SkipStep:
                continue
            except Quit:
                self.goodbye(
                    f"Goodbye. Continue with: teahouse learn {game.name} --step {step.number}"
                )
                return False
        self.print("")
        self.print_wrapped(self.lesson.farewell)
        return True

    def _teach(self, step: Step) -> None:
        """Ask for a move until it is right."""
        self.print("")
        self.print(f"Step {step.number} of {len(self.lesson.steps)}: {step.name}")
        self.print_wrapped(step.say)
        self.print("")
        scene = step.position.scene
        marked = ", ".join(spot.name for spot in scene.spots if "due" in spot.marks)
        parts = (step.ask, f"Marked: {marked}." if marked else "", scene.notation_hint)
        self._show_board(step.position, " ".join(filter(None, parts)))
        wrong = 0
        while True:
            move = self._read_move()
            answer = step.answer(move)
            if answer.right:
                break
            wrong += 1
            self.print_wrapped(f"Not yet. {answer.say}")
            self._show_replies(step, move)
            again = " or type show" if wrong >= WRONG_MOVES_BEFORE_HELP else ""
            self.print(f"Your move is taken back: try again{again}.")
        self.print("")
        positions = step.line(move)
        self._show_board(positions[-1], f"Right! {answer.say}")
        self._show_replies(step, move)
        if self.pause and self.ask("Press Enter to continue. ") is None:
            raise Quit

    def _show_board(self, position: Position, status: str) -> None:
        self.print(render_text(position, status, self.width))

    def _show_replies(self, step: Step, move: str) -> None:
        for position, reply in zip(step.line(move), step.answer(move).replies, strict=False):
            self.print_wrapped(f"{position.describe(reply)}.")

    def _read_move(self) -> str:
        """Return a legal move; carry out commands before."""
        while True:
            line = self.read_line()
            if self.run_command(line):
                continue
            try:
                return self.position.exact(line)
            except th.IllegalMove as error:
                self.print_wrapped(str(error))

    def _show_move(self, _: str) -> None:
        move = self._step.shown_move
        self.print_wrapped(f"{self.position.describe(move, 'imperative')}: type {move}")

    def _skip(self, _: str) -> None:
        raise SkipStep

    def _rules(self, _: str) -> None:
        self.print(rules_text(self.position.game))


class CoachedUI(LineUI):
    """A game in which a coach says what the player may do, and why moves mattered."""

    _coached = 0
    """The number of moves that the coach has spoken about."""

    def show_board(self, _: str) -> None:
        """Show the coach's remarks, the board and the coach's advice."""
        record = self.local_game.record
        viewer = self.local_game.people[0]
        first = min(self._coached, len(record.moves))  # moves may have been undone
        said = coach(record.positions[first], record.moves[first:], viewer)
        self._coached = len(record.moves)
        for remark in said.remarks:
            self.print_wrapped(f"Coach: {remark}")
        super().show_board("")
        if said.advice:
            self.print_wrapped(f"Coach: {said.advice}")
