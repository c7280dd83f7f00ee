"""Ctrl-C: ends work early, or at once."""

from __future__ import annotations

import signal
import sys
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer, current_thread, main_thread

EXIT_CODE = 130
"""The exit code after Ctrl-C, as shells have it."""
PATIENCE = 0.7  # seconds; a search ends sooner
RAISE_AGAIN_SECONDS = 0.05


@contextmanager
def interruptible(patience: float | None = None) -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets; a second one raises `KeyboardInterrupt`.

    So does the first one if the work has not ended after `patience` seconds, such as a compilation.
    """
    event = Event()
    previous = signal.getsignal(signal.SIGINT)
    timer = Timer(patience or 0.0, _interrupt_main_thread)
    timer.daemon = True

    def stop(*_: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, previous)
        if patience is not None:
            timer.start()

    signal.signal(signal.SIGINT, stop)
    try:
        yield event
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)


@contextmanager
def interrupts() -> Iterator[Event]:
    """Yield an event that Ctrl-C sets besides raising `KeyboardInterrupt`.

    In a callback of the compiler that exception is lost: it is raised again, and the compilation
    may fail before with another one.
    """
    event = Event()
    if current_thread() is not main_thread():  # the only one that may handle signals
        yield event
        return

    def stop(*_: object) -> None:
        event.set()
        raise KeyboardInterrupt

    def raise_again(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_type is KeyboardInterrupt:
            timers.append(Timer(RAISE_AGAIN_SECONDS, _interrupt_main_thread))
            timers[-1].start()
        else:
            hook(lost)

    timers: list[Timer] = []
    hook, sys.unraisablehook = sys.unraisablehook, raise_again
    previous = signal.signal(signal.SIGINT, stop)
    try:
        yield event
    finally:
        sys.unraisablehook = hook
        for timer in timers:
            timer.cancel()
        signal.signal(signal.SIGINT, previous)


def _interrupt_main_thread() -> None:
    """Interrupt the main thread, also while it waits for a lock."""
    thread = main_thread().ident
    if hasattr(signal, "pthread_kill") and thread is not None:
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # no such call on Windows: it ends after the wait
        interrupt_main()
