"""Puzzles line by line: shows the board, reads answers and commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

import teahouse as th
from teahouse.draw.text import render_text
from teahouse.search.levels import level_near
from teahouse.search.puzzles.attempt import Verdict, asked_position, hint, judge, solution
from teahouse.search.puzzles.puzzle import Puzzle
from teahouse.search.puzzles.themes import theme_label
from teahouse.terminal.command_ui import INTRODUCTION, LIST_MOVES, CommandUI, Quit
from teahouse.terminal.line_input import Ask
from teahouse.terminal.texts import board_in_words


class LeavePuzzle(Exception):  # noqa: N818 - not an error
    """The player goes to another puzzle."""


class PuzzleUI(CommandUI):
    """Asks for the right moves of one puzzle after the other."""

    def __init__(self, choose: Callable[[], Puzzle], ask: Ask, out: TextIO) -> None:
        super().__init__(ask, out)
        self._choose = choose
        self._puzzle = choose()
        self._moves: list[str] = []
        """The player's right moves in the current puzzle."""
        self._helped = False
        """Whether the player needed more than one try or asked for help."""
        self.commands = {
            "?": (self.list_moves, LIST_MOVES),
            "board": (self._show_board, "show the board"),
            "look": (self._look, "describe the board in words; look PLACE: one place"),
            "hint": (self._hint, "show where the right move begins"),
            "solution": (self._show_solution, "show the solution"),
            "next": (self._next, "go to another puzzle"),
            "help": (self.help, "show this list"),
            "quit": (self.quit, "quit"),
        }

    @property
    def position(self) -> th.Position:
        """The position in which the player has to find a move."""
        return asked_position(self._puzzle, self._moves)[0]

    def run(self) -> int:
        """Ask until the player quits or the input ends; return the number of solved puzzles."""
        solved = 0
        self.print(INTRODUCTION)
        try:
            while True:
                solved += self._solve()
                self._puzzle = self._choose()
        except Quit:
            self.goodbye(f"Goodbye. Puzzles solved: {solved}.")
        return solved

    def _solve(self) -> bool:
        """Ask until the puzzle is solved or left; return whether it was solved without help."""
        puzzle = self._puzzle
        self._moves, self._helped = [], False
        self.print("")
        game = self.position.game
        level = level_near(game, puzzle.rating)
        rating = f"rating {puzzle.rating}"
        difficulty = f"{level}, {rating}" if level else rating
        self.print(f"{game.title} puzzle {puzzle.number} ({difficulty})")
        self._show_board("")
        try:
            while not self._answer(self.read_line()):
                pass
        except LeavePuzzle:
            return False
        themes = ", ".join(theme_label(puzzle.game, theme) for theme in puzzle.themes)
        self.print_wrapped(f"Themes: {themes}.")
        return not self._helped

    def _answer(self, line: str) -> bool:
        """Carry out a command or judge a move; return whether the puzzle is solved."""
        if self.run_command(line):
            return False
        try:
            verdict = judge(self._puzzle, [*self._moves, line])
        except th.IllegalMove as error:
            self.print_wrapped(str(error))
            return False
        self._show_verdict(verdict)
        return verdict.solved

    def _show_verdict(self, verdict: Verdict) -> None:
        self.print_wrapped(verdict.say)
        if not verdict.right:
            self._helped = True
            self.print("Your move is taken back: try again, or type hint or solution.")
        elif not verdict.solved:
            self._moves.append(verdict.steps[0].move)
            self._show_board("")

    def _show_board(self, _: str) -> None:
        position = self.position
        status = f"{self._puzzle.task} {position.scene.notation_hint}".rstrip()
        self.print(render_text(position, status, self.width))

    def _look(self, place: str) -> None:
        self.print(board_in_words(self.position, place))

    def _hint(self, _: str) -> None:
        self._helped = True
        self.print_wrapped(hint(self._puzzle, self._moves)[1])

    def _show_solution(self, _: str) -> None:
        for number, step in enumerate(solution(self._puzzle), 1):
            mark = "" if number <= len(self._puzzle.line) else "then "
            self.print_wrapped(f"{number}. {mark}{step.move}: {step.before.describe(step.move)}.")
        raise LeavePuzzle

    def _next(self, _: str) -> None:
        raise LeavePuzzle
