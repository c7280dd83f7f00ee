"""Run an engine in its own process group, and terminate the group when the parent exits.

Started as a script with the number of a pipe's read end and the engine's command. The parent holds
the other end: when that closes, even by a kill, the engine is terminated, then killed. The script
imports nothing of the package, so it starts in milliseconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from threading import Thread

GRACE_SECONDS = 1.0
NOT_STARTED = 127


def main() -> None:
    """Run the engine until it exits or the pipe closes; exit with its status."""
    control, command = int(sys.argv[1]), sys.argv[2:]
    try:
        engine = subprocess.Popen(command, start_new_session=True)  # noqa: S603 - what was asked
    except OSError as error:
        print(f"Cannot start {command[0]}: {error.strerror or error}.", file=sys.stderr)
        raise SystemExit(NOT_STARTED) from None
    for stream in (0, 1, 2):  # the parent sees their end when the engine closes them
        os.close(stream)
    Thread(target=_end_with_parent, args=(control, engine), daemon=True).start()
    status = engine.wait()
    _signal_group(engine.pid, signal.SIGKILL)  # what the engine has started itself
    os._exit(status if 0 <= status < 256 else 128 - status)


def _end_with_parent(control: int, engine: subprocess.Popen[bytes]) -> None:
    """Terminate the engine when the pipe closes, and kill it if it does not end."""
    os.read(control, 1)
    _signal_group(engine.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        engine.wait(GRACE_SECONDS)
    _signal_group(engine.pid, signal.SIGKILL)


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    main()
