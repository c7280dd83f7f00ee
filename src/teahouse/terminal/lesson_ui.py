"""A lesson line by line, and a first game with a coach."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill
from typing import TextIO

import teahouse as th
from teahouse.core.coach import coach
from teahouse.core.lesson import Lesson, Step
from teahouse.core.position import Position
from teahouse.draw.text import LINE_WIDTH, render_text
from teahouse.terminal.line_input import Ask
from teahouse.terminal.line_ui import LineUI

WRONG_MOVES_BEFORE_HELP = 2
COMMANDS = {
    "?": "list the legal moves; ? TEXT: those that contain TEXT",
    "show": "show a right move",
    "skip": "go to the next step",
    "rules": "show the rules",
    "help": "show this list",
    "quit": "quit; continue later with --step NUMBER",
}


class QuitLesson(Exception):  # noqa: N818 - not an error
    """The player stops."""


class SkipStep(Exception):  # noqa: N818 - not an error
    """The player goes on without the answer."""


class LessonUI:
    """Teaches one game through lines of text."""

    def __init__(self, lesson: Lesson, ask: Ask, out: TextIO, *, pause: bool = False) -> None:
        self.lesson = lesson
        self.ask = ask
        self.out = out
        self.pause = pause
        """Whether to wait for Enter after each step."""
        self._commands: dict[str, Callable[[Step, str], None]] = {
            "?": self._list_moves,
            "show": self._show_move,
            "skip": self._skip,
            "rules": self._rules,
            "help": self._help,
            "quit": self._quit,
        }

    def run(self, first: int = 1) -> bool:
        """Teach from a step on; return whether the player reached the end."""
        game, count = self.lesson.first_game, len(self.lesson.steps)
        self.print(f"Learn {game.title}: {count} steps, about {self.lesson.minutes} minutes.")
        self.print("Type a move, ? for the legal moves, or help for all commands.")
        for step in self.lesson.steps[first - 1 :]:
            try:
                self._teach(step)
            except SkipStep:
                continue
            except QuitLesson:
                self.print(
                    f"Goodbye. Continue with: teahouse learn {game.name} --step {step.number}"
                )
                return False
        self.print("")
        self.print(self.lesson.farewell)
        return True

    def print(self, text: str) -> None:
        """Print paragraphs and flush, so that programs that read a pipe see them at once."""
        for line in text.split("\n"):
            print(fill(line, LINE_WIDTH, break_on_hyphens=False), file=self.out, flush=True)

    def _teach(self, step: Step) -> None:
        """Ask for a move until it is right."""
        self.print("")
        self.print(f"Step {step.number} of {len(self.lesson.steps)}: {step.name}")
        self.print(step.say)
        self.print("")
        scene = step.position.scene
        marked = ", ".join(spot.name for spot in scene.spots if "due" in spot.marks)
        parts = (step.ask, f"Marked: {marked}." if marked else "", scene.notation_hint)
        self._show_board(step.position, " ".join(filter(None, parts)))
        wrong = 0
        while True:
            move = self._read_move(step)
            answer = step.answer(move)
            if answer.right:
                break
            wrong += 1
            self.print(f"Not yet. {answer.say}")
            self._show_replies(step, move)
            again = " or type show" if wrong >= WRONG_MOVES_BEFORE_HELP else ""
            self.print(f"Your move is taken back: try again{again}.")
        self.print("")
        positions = step.line(move)
        self._show_board(positions[-1], f"Right! {answer.say}")
        self._show_replies(step, move)
        if self.pause and self.ask("Press Enter to go on. ") is None:
            raise QuitLesson

    def _show_board(self, position: Position, status: str) -> None:
        print(render_text(position, status), file=self.out, flush=True)

    def _show_replies(self, step: Step, move: str) -> None:
        for position, reply in zip(step.line(move), step.answer(move).replies, strict=False):
            self.print(f"{position.describe(reply)}.")

    def _read_move(self, step: Step) -> str:
        """Return a legal move; carry out commands before."""
        while True:
            line = self.ask("> ")
            if line is None:
                self.print("")
                raise QuitLesson
            word, _, rest = line.strip().partition(" ")
            command = {"": "help", "exit": "quit", "q": "quit"}.get(word.lower(), word.lower())
            if command in self._commands:
                self._commands[command](step, rest.strip())
                continue
            try:
                return step.position.exact(line.strip())
            except th.IllegalMove as error:
                self.print(str(error))

    def _list_moves(self, step: Step, part: str) -> None:
        moves = [move for move in step.position.legal if part.lower() in move.lower()]
        self.print(" ".join(moves) or f"No legal move contains {part!r}.")

    def _show_move(self, step: Step, _: str) -> None:
        move = step.shown_move
        self.print(f"{step.position.describe(move, 'imperative')}: type {move}")

    def _skip(self, step: Step, _: str) -> None:
        raise SkipStep

    def _rules(self, step: Step, _: str) -> None:
        print(step.position.game.rules_page, file=self.out, flush=True)

    def _help(self, step: Step, _: str) -> None:
        self.print(f"A move, for example {step.position.legal[0]}, or a command:")
        for word, text in COMMANDS.items():
            self.print(f"  {word:<5} {text}")

    def _quit(self, step: Step, _: str) -> None:
        raise QuitLesson


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
            self._say(remark)
        super().show_board("")
        if said.advice:
            self._say(said.advice)

    def _say(self, text: str) -> None:
        self.print(fill(f"Coach: {text}", LINE_WIDTH, break_on_hyphens=False))
