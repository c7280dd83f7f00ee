"""Progress of a search in the line mode, which Ctrl-C ends early."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event

from rich.console import Console

import teahouse as th
from teahouse.terminal.interrupts import interruptible
from teahouse.terminal.texts import progress_text

OnProgress = Callable[[th.Analysis], None]
Notice = Callable[[], str]
SearchProgress = Callable[[str, Notice], AbstractContextManager[tuple[OnProgress | None, Event]]]
"""Takes who is thinking and a notice to show, empty for none; yields a progress callback and the
event that ends the search early."""


@contextmanager
def silent(who: str, notice: Notice) -> Iterator[tuple[OnProgress | None, Event]]:
    """Show nothing but the notice, for pipes and screen readers."""
    if text := notice():
        print(text, file=sys.stderr, flush=True)
    with interruptible() as cancel:
        yield None, cancel


@contextmanager
def live(who: str, notice: Notice) -> Iterator[tuple[OnProgress | None, Event]]:
    """Show a status line on the error stream, and the notice above it."""
    console = Console(stderr=True)
    if shown := notice():
        console.print(shown, highlight=False, markup=False)
    text = f"{who} is thinking (Ctrl-C: move now)"
    with interruptible() as cancel, console.status(text) as status:
        yield lambda analysis: status.update(f"{text}: {progress_text(analysis)}"), cancel
