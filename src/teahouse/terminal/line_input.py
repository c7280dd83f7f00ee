"""Reading lines: with history in a terminal, as they come from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import teahouse as th

Ask = Callable[[str], str | None]
"""Shows a prompt and returns the next line; None at the end of the input."""


def line_input() -> Ask:
    """Return a function that reads lines of the standard input."""
    return _line_editor() if sys.stdin.isatty() else _read_line


def choose_game(ask: Ask, names: Sequence[str]) -> str:
    """Ask for one of these games until the answer is valid."""
    listed = ", ".join(names)
    while True:
        answer = ask(f"Which game ({listed})? ")
        if answer is None:
            raise th.OptionError(f"No game was named; games: {listed}.")
        if answer.strip().lower() in names:
            return answer.strip().lower()


def _read_line(prompt: str) -> str | None:
    """Return the next line of a pipe, or None at its end."""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    return line or None


def _line_editor() -> Ask:
    """Return a function that reads a line with history and arrow keys."""
    with suppress(ImportError):  # not on every system; input works without it
        import readline  # noqa: F401

    def ask(prompt: str) -> str | None:
        try:
            return input(prompt)
        except EOFError:
            return None

    return ask
