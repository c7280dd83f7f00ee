"""A process that compiles kernels into the kernel cache for others.

LLVM holds Python's global lock for seconds, so a process that serves requests does not compile.
`python -m teahouse.search.compile_process` reads requests from standard input, a JSON object
`{"game": …, "options": …, "kernel": …}` a line, and answers each with a line on standard output. It
exits when its standard input is closed, so it never outlives the process that started it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any

from teahouse.core import jit
from teahouse.core.catalog import load
from teahouse.core.game import Game
from teahouse.core.options import option_texts

NICENESS = 10  # lower priority than games in progress
MAX_MEMORY = 700 << 20  # bytes after which the process is replaced: LLVM frees little
MAX_SECONDS = 600.0  # CPU time limit per kernel; most take a few seconds
POSIX = os.name == "posix"


class CompileError(RuntimeError):
    """A kernel could not be compiled."""


class CompileProcess:
    """The parent's handle of the process: started on first request, replaced if it exits."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def compile(self, kernel: jit.Kernel, game: Game) -> float:
        """Compile a kernel; return the seconds that took. Raise `CompileError` if it fails."""
        process = self._process  # `close` in another thread may reset it
        if process is None:
            process = self._process = _start()
        request = {
            "game": game.name,
            "options": option_texts(game.options),
            "kernel": kernel.__name__,
        }
        response = _exchange(process, request)
        if response is None:
            status = process.wait()
            self.close()
            if POSIX and status == -signal.SIGPROF:
                raise CompileError(f"Compiling took more than {MAX_SECONDS:g} s of CPU time.")
            raise CompileError(f"The compile process ended with status {status}.")
        if response["memory"] > MAX_MEMORY:
            self.close()
        if response["error"]:
            raise CompileError(response["error"])
        return float(response["seconds"])

    def close(self) -> None:
        """Kill the process; the next request starts another one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _start() -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "teahouse.search.compile_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # the parent handles Ctrl-C
        )
    except OSError as error:  # out of memory or descriptors
        raise CompileError(f"The compile process cannot be started: {error.strerror}.") from None


def _exchange(process: subprocess.Popen[bytes], request: dict[str, Any]) -> dict[str, Any] | None:
    """Send a request; return its response, or None if the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return json.loads(line) if line else None
    except (OSError, ValueError):  # a pipe closed, also by `close` in another thread
        return None


def memory_used() -> int:
    """Return the largest resident size of this process so far, in bytes; 0 if unknown."""
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _limit(seconds: float) -> None:
    """End this process by a signal after some CPU time, which no lock of Python's delays."""
    if POSIX:
        signal.setitimer(signal.ITIMER_PROF, seconds)


def respond(request: dict[str, Any]) -> dict[str, Any]:
    """Compile what is requested; return the response."""
    from teahouse.search.kernels import BY_NAME, compile_kernel

    start = perf_counter()
    error = None
    _limit(MAX_SECONDS)
    try:
        compile_kernel(BY_NAME[request["kernel"]], load(request["game"], **request["options"]))
    except Exception as failure:  # reported to the parent; this process continues
        error = f"{type(failure).__name__}: {failure}"
    _limit(0.0)
    return {"seconds": perf_counter() - start, "error": error, "memory": memory_used()}


def main() -> None:
    """Compile until the parent closes standard input."""
    if POSIX:
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep prints out of the responses
    requests: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            requests.put(line)
        os._exit(0)

    Thread(target=read, daemon=True).start()
    while True:
        responses.write(json.dumps(respond(json.loads(requests.get()))).encode() + b"\n")
        responses.flush()


if __name__ == "__main__":
    main()
