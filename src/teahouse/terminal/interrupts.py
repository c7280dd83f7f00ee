"""Ctrl-C: ends work early, or at once."""

from __future__ import annotations

import os
import signal
import socket
import sys
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from threading import Event, Thread, Timer, current_thread, main_thread

from teahouse.core.jit.mode import compilations

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
    may fail before with another one. A compilation that goes on regardless is not waited for.
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
        with _impatience(event):
            yield event
    finally:
        sys.unraisablehook = hook
        for timer in timers:
            timer.cancel()
        signal.signal(signal.SIGINT, previous)


@contextmanager
def _impatience(interrupted: Event) -> Iterator[None]:
    """End the process if a compilation goes on for `PATIENCE` seconds after Ctrl-C.

    LLVM works for seconds without a return to Python, which alone handles signals, and threads that
    wait for it cannot be stopped. The system writes the numbers of signals to a socket at once.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    Thread(target=_watch, args=(reader, interrupted), daemon=True).start()
    previous = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        writer.close()  # ends the thread


def _watch(signals: socket.socket, interrupted: Event) -> None:
    before: dict[int, object] = {}
    with signals:
        while True:
            try:
                received = signals.recv(1)
            except TimeoutError:
                after = compilations()
                going_on = [one for one, token in before.items() if after.get(one) is token]
                # Where Ctrl-C ends work early instead of at once, other threads may finish.
                if main_thread().ident in going_on or (going_on and interrupted.is_set()):
                    _exit()
                before = after if interrupted.is_set() else {}
                continue
            if not received:
                return
            if received[0] == signal.SIGINT:
                signals.settimeout(PATIENCE)
                before = compilations()


def _exit() -> None:
    for process in active_children():
        process.terminate()
    if sys.stderr.isatty():
        print("\x1b[?25h\r", end="", file=sys.stderr)  # a progress display hides the cursor
    print("Interrupted.", file=sys.stderr, flush=True)
    os._exit(EXIT_CODE)


def _interrupt_main_thread() -> None:
    """Interrupt the main thread, also while it waits for a lock."""
    thread = main_thread().ident
    if hasattr(signal, "pthread_kill") and thread is not None:
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # no such call on Windows: it ends after the wait
        interrupt_main()
