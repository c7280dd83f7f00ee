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
"""Takes a status text and a notice to show, empty for none; yields a progress callback and the
event that ends the search early."""


@contextmanager
def silent(text: str, notice: Notice) -> Iterator[tuple[OnProgress | None, Event]]:
    """Show nothing but the notice, for pipes and screen readers."""
    if shown := notice():
        print(shown, file=sys.stderr, flush=True)
    with interruptible() as cancel:
        yield None, cancel


@contextmanager
def live(text: str, notice: Notice) -> Iterator[tuple[OnProgress | None, Event]]:
    """Show a status line on the error stream, and the notice above it."""
    console = Console(stderr=True)
    if shown := notice():
        console.print(shown, highlight=False, markup=False)
    with interruptible() as cancel, console.status(text) as status:
        yield lambda analysis: status.update(f"{text}: {progress_text(analysis)}"), cancel
