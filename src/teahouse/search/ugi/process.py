"""An engine's process: lines to it and from it, with limits on what it may write."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic
from typing import IO

from teahouse.search.ugi import supervisor
from teahouse.search.ugi.errors import EngineFailure, FailureKind

MAX_LINE = 1 << 16
"""Bytes of a line."""
MAX_BYTES = 1 << 23
"""Bytes that an engine may write, on both streams together, from one request to the next."""
MAX_LINES = 50_000
"""Lines that an engine may write from one request to the next."""
STDERR_BYTES = 4096
"""The end of the error stream that is kept for reports."""
CHUNK = 1 << 16
POLL_SECONDS = 0.05  # seconds between polls of a cancel event
QUIT_SECONDS = 0.5  # timeout for an engine to exit after `quit`
CLOSE_SECONDS = supervisor.GRACE_SECONDS + 2.0
SUPERVISOR_SECONDS = 60.0  # on a busy machine; killing it early would orphan the engine
POSIX = os.name == "posix"


class EngineProcess:
    """A running engine; raises `EngineFailure` if it misbehaves."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the command, without a shell."""
        self._changed = Condition()
        self._lines: deque[str] = deque()
        self._bytes_left, self._lines_left = MAX_BYTES, MAX_LINES
        self._flooded = False
        self._ended = False
        self._stderr = b""
        self._control = -1
        if POSIX:
            control, self._control = os.pipe()
            script = str(Path(supervisor.__file__))
            try:
                self._process = subprocess.Popen(  # noqa: S603
                    [sys.executable, "-I", "-S", script, str(control), *command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=(control,),
                    start_new_session=True,
                    bufsize=0,
                )
            except BaseException:
                os.close(self._control)
                raise
            finally:
                os.close(control)
        else:
            self._process = subprocess.Popen(  # noqa: S603
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None
        self._stdin = stdin
        if POSIX:
            os.set_blocking(stdin.fileno(), False)
        self._readers = [
            Thread(target=self._read_lines, args=(stdout,), daemon=True),
            Thread(target=self._read_errors, args=(stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """The process that runs the engine."""
        return self._process.pid

    @property
    def stderr(self) -> str:
        """The end of what the engine wrote to its error stream."""
        with self._changed:
            return self._stderr.decode(errors="replace")

    def send(self, line: str, deadline: float) -> None:
        """Write a line; what the engine wrote so far no longer counts against its limits."""
        with self._changed:
            if not self._flooded:
                self._bytes_left, self._lines_left = MAX_BYTES, MAX_LINES
        data = line.encode() + b"\n"
        while data:
            try:
                data = data[os.write(self._stdin.fileno(), data) :]
            except BlockingIOError:
                if monotonic() >= deadline:
                    raise self._failure("timeout", "The engine does not read its input.") from None
                select.select([], [self._stdin], [], POLL_SECONDS)
            except (OSError, ValueError):  # closed by the engine, or by `close`
                raise self._exited() from None

    def wait_for(self, word: str, deadline: float, cancel: Event | None = None) -> list[str] | None:
        """Return the lines up to the first that begins with a word; None if it is not in time.

        A set `cancel` ends the wait too.
        """
        found: list[str] = []
        while True:
            with self._changed:
                while not self._lines:
                    if self._flooded:
                        raise self._failure(
                            "flood",
                            f"The engine wrote more than {MAX_LINES:,} lines, {MAX_BYTES:,} bytes "
                            f"or a line of {MAX_LINE:,} bytes without an answer.",
                        )
                    if self._ended:
                        break
                    left = deadline - monotonic()
                    if left <= 0 or (cancel is not None and cancel.is_set()):
                        return None
                    self._changed.wait(left if cancel is None else min(left, POLL_SECONDS))
                line = self._lines.popleft() if self._lines else None
            if line is None:
                raise self._exited()
            found.append(line)
            if line.split(maxsplit=1)[:1] == [word]:
                return found

    def close(self) -> None:
        """End the engine: ask it, then terminate it and what it has started, then kill them."""
        with suppress(EngineFailure):
            self.send("quit", monotonic())
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._end()
        if self._control >= 0:
            os.close(self._control)
            self._control = -1
        for reader in self._readers:
            reader.join(CLOSE_SECONDS)

    def _end(self) -> None:
        """Terminate the engine by closing the supervisor's pipe, or directly without one."""
        patience = CLOSE_SECONDS
        if self._control >= 0:
            os.close(self._control)
            self._control = -1
            patience = SUPERVISOR_SECONDS
        else:
            self._process.terminate()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _exited(self) -> EngineFailure:
        """Return the failure of an engine that closed its pipes."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        status = self._process.returncode
        if status is not None:  # drain its error stream
            self._readers[1].join(CLOSE_SECONDS)
        how = "closed its output" if status is None else f"exited with status {status}"
        return self._failure("crash", f"The engine {how}.")

    def _failure(self, kind: FailureKind, message: str) -> EngineFailure:
        return EngineFailure(kind, message, self.stderr)

    def _read_lines(self, stream: IO[bytes]) -> None:
        """Queue the lines of the output until it ends or exceeds the limits."""
        pending = b""
        while (chunk := _read(stream)) and self._allow(len(chunk), chunk.count(b"\n")):
            *lines, pending = (pending + chunk).split(b"\n")
            texts = [line.decode(errors="replace").strip() for line in lines]
            if len(pending) > MAX_LINE:
                self._allow(MAX_BYTES + 1, 0)
                break
            with self._changed:
                self._lines.extend(text for text in texts if text)
                self._changed.notify_all()
        stream.close()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read_errors(self, stream: IO[bytes]) -> None:
        """Keep the end of the error stream."""
        while (chunk := _read(stream)) and self._allow(len(chunk), 0):
            with self._changed:
                self._stderr = (self._stderr + chunk)[-STDERR_BYTES:]
        stream.close()

    def _allow(self, size: int, lines: int) -> bool:
        """Count what was read; return whether it is within the limits."""
        with self._changed:
            self._bytes_left -= size
            self._lines_left -= lines
            if self._bytes_left < 0 or self._lines_left < 0:
                self._flooded = True
                self._lines.clear()
                self._changed.notify_all()
            return not self._flooded


def _read(stream: IO[bytes]) -> bytes:
    """Return the next bytes of a stream, none at its end."""
    try:
        return os.read(stream.fileno(), CHUNK)
    except (OSError, ValueError):
        return b""
