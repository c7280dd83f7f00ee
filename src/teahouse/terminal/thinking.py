"""Waiting for a bot in the line mode: progress where it can be seen, and Ctrl-C stops it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event

from rich.console import Console

import teahouse as th
from teahouse.terminal.views import judged

Progress = Callable[[th.Analysis], None]
Engine = Callable[[str], AbstractContextManager[tuple[Progress | None, Event]]]


@contextmanager
def interruptible() -> Iterator[Event]:
    """An event that the first Ctrl-C sets; the second one interrupts as ever."""
    event = Event()
    usual = signal.getsignal(signal.SIGINT)

    def stop(*_: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, stop)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def quietly(who: str) -> Iterator[tuple[Progress | None, Event]]:
    """Think without a word, for pipes and screen readers."""
    with interruptible() as cancel:
        yield None, cancel


@contextmanager
def visibly(who: str) -> Iterator[tuple[Progress | None, Event]]:
    """Think with a line that tells how far it has come."""
    console = Console(stderr=True)
    with interruptible() as cancel, console.status(f"{who} thinks (Ctrl-C: play now)") as status:

        def show(analysis: th.Analysis) -> None:
            status.update(f"{who} thinks (Ctrl-C: play now): {judged(analysis)}")

        yield show, cancel
