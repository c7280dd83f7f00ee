"""Puzzles line by line: shows the board, reads answers and commands."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill
from typing import TextIO

import teahouse as th
from teahouse.draw.text import LINE_WIDTH, render_text
from teahouse.search.levels import level_near
from teahouse.search.puzzles.attempt import Verdict, asked_position, hint, judge, solution
from teahouse.search.puzzles.puzzle import Puzzle
from teahouse.search.puzzles.themes import theme_label
from teahouse.terminal.line_input import Ask
from teahouse.terminal.texts import board_in_words

COMMANDS = {
    "?": "list the legal moves; ? TEXT: those that contain TEXT",
    "board": "show the board",
    "look": "describe the board in words; look PLACE: one place",
    "hint": "show where the right move begins",
    "solution": "show the solution",
    "next": "go to another puzzle",
    "help": "show this list",
    "quit": "quit",
}


class QuitPuzzles(Exception):  # noqa: N818 - not an error
    """The player stops."""


class PuzzleUI:
    """Asks for the right moves of one puzzle after the other."""

    def __init__(self, choose: Callable[[], Puzzle], ask: Ask, out: TextIO) -> None:
        self._choose = choose
        self._ask = ask
        self._out = out
        self._moves: list[str] = []
        """The player's right moves in the current puzzle."""
        self._commands: dict[str, Callable[[Puzzle, str], bool]] = {
            "?": self._list_moves,
            "board": self._show_board,
            "look": self._look,
            "hint": self._hint,
            "solution": self._show_solution,
            "next": lambda puzzle, rest: True,
            "help": self._help,
            "quit": self._quit,
        }

    def run(self) -> int:
        """Ask until the player quits or the input ends; return the number of solved puzzles."""
        solved = 0
        self._print("Type a move, ? for the legal moves, or help for all commands.")
        try:
            while True:
                solved += self._solve(self._choose())
        except QuitPuzzles:
            self._print(f"Goodbye. Puzzles solved: {solved}.")
        return solved

    def _solve(self, puzzle: Puzzle) -> bool:
        """Ask until a puzzle is solved or left; return whether it was solved without help."""
        self._moves = []
        helped = False
        self._print("")
        game = puzzle.position.game
        level = level_near(game, puzzle.rating)
        rating = f"rating {puzzle.rating}"
        difficulty = f"{level}, {rating}" if level else rating
        self._print(f"{game.title} puzzle {puzzle.number} ({difficulty})")
        self._show_board(puzzle, "")
        while True:
            line = self._ask("> ")
            if line is None:
                self._print("")
                raise QuitPuzzles
            word, _, rest = line.strip().partition(" ")
            command = {"": "help", "exit": "quit", "q": "quit"}.get(word.lower(), word.lower())
            if command in self._commands:
                helped |= command in ("hint", "solution")
                if self._commands[command](puzzle, rest.strip()):
                    return False
                continue
            verdict = self._answer(puzzle, line.strip())
            if verdict is None:
                continue
            helped |= not verdict.right
            if verdict.solved:
                themes = ", ".join(theme_label(puzzle.game, theme) for theme in puzzle.themes)
                self._print(f"Themes: {themes}.")
                return not helped

    def _answer(self, puzzle: Puzzle, text: str) -> Verdict | None:
        """Judge a move; return None if it is not legal."""
        try:
            verdict = judge(puzzle, [*self._moves, text])
        except th.IllegalMove as error:
            self._print(str(error))
            return None
        self._print(verdict.say)
        if not verdict.right:
            self._print("Your move is taken back: try again, or type hint or solution.")
        elif not verdict.solved:
            self._moves.append(verdict.steps[0].move)
            self._show_board(puzzle, "")
        return verdict

    def _position(self, puzzle: Puzzle) -> th.Position:
        return asked_position(puzzle, self._moves)[0]

    def _list_moves(self, puzzle: Puzzle, part: str) -> bool:
        legal = self._position(puzzle).legal
        moves = [move for move in legal if part.lower() in move.lower()]
        self._print(" ".join(moves) or f"No legal move contains {part!r}.")
        return False

    def _show_board(self, puzzle: Puzzle, _: str) -> bool:
        position = self._position(puzzle)
        status = f"{puzzle.task} {position.scene.notation_hint}".rstrip()
        print(render_text(position, status), file=self._out, flush=True)
        return False

    def _look(self, puzzle: Puzzle, place: str) -> bool:
        print(board_in_words(self._position(puzzle), place), file=self._out, flush=True)
        return False

    def _hint(self, puzzle: Puzzle, _: str) -> bool:
        self._print(hint(puzzle, self._moves)[1])
        return False

    def _show_solution(self, puzzle: Puzzle, _: str) -> bool:
        for number, step in enumerate(solution(puzzle), 1):
            mark = "" if number <= len(puzzle.line) else "then "
            self._print(f"{number}. {mark}{step.move}: {step.before.describe(step.move)}.")
        return True

    def _help(self, puzzle: Puzzle, _: str) -> bool:
        self._print(f"A move, for example {self._position(puzzle).legal[0]}, or a command:")
        for word, text in COMMANDS.items():
            self._print(f"  {word:<8} {text}")
        return False

    def _quit(self, puzzle: Puzzle, _: str) -> bool:
        raise QuitPuzzles

    def _print(self, text: str) -> None:
        """Print and flush, so that programs that read a pipe see it at once."""
        print(fill(text, LINE_WIDTH, break_on_hyphens=False), file=self._out, flush=True)
