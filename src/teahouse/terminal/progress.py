"""Progress of a search in the line mode, and Ctrl-C to end it early."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event

from rich.console import Console

import teahouse as th
from teahouse.terminal.texts import progress_text

OnProgress = Callable[[th.Analysis], None]
SearchProgress = Callable[[str], AbstractContextManager[tuple[OnProgress | None, Event]]]
"""Takes who is thinking; yields a progress callback and the event that ends the search early."""


@contextmanager
def interruptible() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets; a second one raises `KeyboardInterrupt`."""
    event = Event()
    previous = signal.getsignal(signal.SIGINT)

    def stop(*_: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, stop)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def silent(who: str) -> Iterator[tuple[OnProgress | None, Event]]:
    """Show nothing, for pipes and screen readers."""
    with interruptible() as cancel:
        yield None, cancel


@contextmanager
def live(who: str) -> Iterator[tuple[OnProgress | None, Event]]:
    """Show a status line on the error stream."""
    console = Console(stderr=True)
    text = f"{who} is thinking (Ctrl-C: move now)"
    with interruptible() as cancel, console.status(text) as status:
        yield lambda analysis: status.update(f"{text}: {progress_text(analysis)}"), cancel
