"""A user interface of lines: some are commands, the others are moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from shutil import get_terminal_size
from textwrap import fill
from typing import TextIO

from teahouse.core.position import Position
from teahouse.draw.text import LINE_WIDTH
from teahouse.terminal.line_input import Ask

Commands = dict[str, tuple[Callable[[str], None], str]]
"""The function of each command, which gets the rest of the line, and its help text."""
MIN_WIDTH = 20
ALIASES = {"": "help", "exit": "quit", "q": "quit"}
LIST_MOVES = "list the legal moves; ? TEXT: those that contain TEXT"
INTRODUCTION = "Type a move, ? for the legal moves, or help for all commands."


class Quit(Exception):  # noqa: N818 - not an error
    """The player stops."""


def terminal_width(out: TextIO) -> int:
    """Return the columns of a terminal, of a file or pipe those of a usual one."""
    if not out.isatty():
        return LINE_WIDTH
    return max(MIN_WIDTH, min(LINE_WIDTH, get_terminal_size().columns))


class CommandUI(ABC):
    """Reads lines and carries out commands; subclasses have the position and more commands."""

    def __init__(self, ask: Ask, out: TextIO) -> None:
        self._ask = ask
        self.out = out
        self.commands: Commands = {}
        self.width = terminal_width(out)
        """Columns to which texts are wrapped."""
        self.interrupted = False
        """Whether the player quit by Ctrl-C."""

    @property
    @abstractmethod
    def position(self) -> Position:
        """The position on the board."""

    def print(self, text: str) -> None:
        """Print and flush, so that programs that read a pipe see it at once."""
        print(text, file=self.out, flush=True)

    def print_wrapped(self, text: str) -> None:
        """Print paragraphs, each a line of the text."""
        for line in text.split("\n"):
            self.print(fill(line, self.width, break_on_hyphens=False))

    def ask(self, prompt: str) -> str | None:
        """Return the next line, None at the end of the input; raise `Quit` at Ctrl-C."""
        try:
            return self._ask(prompt)
        except KeyboardInterrupt:
            self.interrupted = True
            self.print("")
            raise Quit from None

    def read_line(self) -> str:
        """Return the next line; raise `Quit` at the end of the input."""
        line = self.ask("> ")
        if line is None:
            self.print("")
            raise Quit
        return line.strip()

    def goodbye(self, text: str) -> None:
        """Print the last line; raise `KeyboardInterrupt` after Ctrl-C."""
        self.print(text)
        if self.interrupted:
            raise KeyboardInterrupt

    def run_command(self, line: str) -> bool:
        """Carry out a line if it is a command; return whether it is one."""
        word, _, rest = line.partition(" ")
        name = ALIASES.get(word.lower(), word.lower())
        if name not in self.commands:
            return False
        self.commands[name][0](rest.strip())
        return True

    def list_moves(self, part: str) -> None:
        """List the legal moves that contain a text, on one line for programs that read it."""
        moves = [move for move in self.position.legal if part.lower() in move.lower()]
        self.print(" ".join(moves) or f"No legal move contains {part!r}.")

    def help(self, _: str) -> None:
        """List the commands."""
        self.print(f"A move, for example {self.position.legal[0]}, or a command:")
        width = max(map(len, self.commands))
        for word, command in self.commands.items():
            self.print(f"  {word:<{width}} {command[1]}")

    def quit(self, _: str) -> None:
        """Stop."""
        raise Quit
