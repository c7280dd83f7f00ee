"""A worker process: searches for bots, or renders snapshots.

`python -m teahouse.server.workers.worker NICENESS MEMORY [MODULE …]`, started by the server. The
modules are those that its first request would load. Beyond MEMORY megabytes it drops what it has
cached, then asks to be replaced. It exits when its standard input is closed, so it never outlives
the server.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, BinaryIO

import orjson

from teahouse.core.catalog import load_untrusted
from teahouse.core.game import Game
from teahouse.server.operations.gc_tuning import (
    COLLECT_SECONDS,
    WORKER_YOUNG,
    disable_full_collections,
)
from teahouse.server.web.wire import to_json
from teahouse.server.workers.analysis_requests import EngineCache, deepen
from teahouse.server.workers.review_requests import evaluate
from teahouse.server.workers.search_requests import BotCache, analysis, choose, ponder
from teahouse.server.workers.snapshot_requests import SnapshotRenderer, position_of

INTERRUPTIBLE = ("choose", "ponder", "analyse", "deepen", "evaluate")
"""Kinds of requests that end early when they are cancelled; all others are finished."""
CHECKED_SNAPSHOTS = 100
"""After so many snapshots a process compares its memory with the limit."""


Request = tuple[dict[str, Any], Event]
"""A request, and the event that cancels it."""


class RequestReader:
    """Reads requests until the server closes the pipe, then exits the process.

    It reads on a thread of its own, so that a running request can be cancelled. A process that only
    renders snapshots, which are quick, does without: handing them over takes time.
    """

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._current = 0
        self._cancel = Event()
        self._thread: Thread | None = None
        self._requests: SimpleQueue[Request] = SimpleQueue()

    def next(self) -> Request:
        """Wait for the next request."""
        while self._thread is None:
            request = self._parse(self._lines.readline())
            if request is None:
                continue
            if request[0]["kind"] != "snapshot":
                self._thread = Thread(target=self._read, daemon=True)
                self._thread.start()
            return request
        return self._requests.get()

    def _read(self) -> None:
        while True:
            request = self._parse(self._lines.readline())
            if request is not None:
                self._requests.put(request)

    def _parse(self, line: bytes) -> Request | None:
        """Return the request of a line, or None if it cancels the current one."""
        if not line:
            os._exit(0)
        message = orjson.loads(line)
        if message["kind"] != "cancel":
            self._current, self._cancel = message["id"], Event()
            return message, self._cancel
        if message["id"] == self._current:
            self._cancel.set()
        return None


def respond(
    request: dict[str, Any],
    renderer: SnapshotRenderer,
    bots: BotCache,
    engines: EngineCache,
    cancel: Event,
) -> str | bytes:
    """Return the response to a request as JSON."""
    if request["kind"] == "job":
        from teahouse.server.workers.jobs import run_job

        return run_job(request)
    game = _game(request["game"], tuple(request["options"].items()))
    if request["kind"] == "snapshot":
        return renderer.render(request, game)
    if request["kind"] == "evaluate":
        return to_json(evaluate(request, game, cancel))
    position = position_of(game, request["state"], request["ply"])
    match request["kind"]:
        case "choose":
            return to_json(choose(bots, request, position, cancel))
        case "ponder":
            ponder(bots, request, position, cancel)
            return to_json(None)
        case "analyse":
            return to_json(analysis(request, position, cancel))
        case "deepen":
            return to_json(deepen(engines, request, position, cancel))
    raise AssertionError(request["kind"])


@lru_cache(maxsize=100)
def _game(name: str, options: tuple[tuple[str, str], ...]) -> Game:
    return load_untrusted(name, dict(options))


def resident_megabytes() -> float:
    """Return the memory that this process uses; on systems without /proc, the most it has used."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except OSError:
        units = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / units


def exceeds_memory(bots: BotCache, engines: EngineCache, limit: float) -> bool:
    """Drop engines and bots until this process fits its memory; return whether it never does."""
    while resident_megabytes() > limit:
        if not bots and not engines:
            return True
        (engines or bots).drop_oldest()
    return False


def main() -> None:
    """Process requests until the server exits."""
    niceness, memory, modules = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    os.nice(niceness)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the server, which stops its workers
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep anything that is printed out of the response stream
    disable_full_collections(WORKER_YOUNG)
    try:
        process_requests(RequestReader(sys.stdin.buffer), responses, memory, modules)
    except BrokenPipeError:  # the server was killed before it could read a response
        os._exit(0)


def process_requests(
    reader: RequestReader, responses: BinaryIO, memory: float, modules: Sequence[str]
) -> None:
    """Write that this process is ready, and the response to each request."""
    renderer, bots, engines, snapshots = SnapshotRenderer(), BotCache(), EngineCache(), 0
    responses.write(b"{}\n")
    responses.flush()
    Thread(target=lambda: [import_module(name) for name in modules], daemon=True).start()
    collected = time.monotonic()
    while True:
        request, cancel = reader.next()
        error, body = None, b""
        snapshots += request["kind"] == "snapshot"
        try:
            response = respond(request, renderer, bots, engines, cancel)
            body = response if isinstance(response, bytes) else response.encode()
        except Exception as failure:  # reported to the server; this process continues
            error = f"{type(failure).__name__}: {failure}"
        head = {
            "id": request["id"],
            "size": len(body),
            "error": error,
            "cancelled": cancel.is_set() and request["kind"] in INTERRUPTIBLE,
            # Snapshots are many and grow little: it is checked after some of them.
            "recycle": (request["kind"] != "snapshot" or snapshots % CHECKED_SNAPSHOTS == 0)
            and exceeds_memory(bots, engines, memory),
        }
        responses.write(b"%b\n%b" % (to_json(head).encode(), body))
        if not request.get("more"):
            responses.flush()
        if time.monotonic() - collected > COLLECT_SECONDS:
            gc.collect()
            collected = time.monotonic()


if __name__ == "__main__":
    main()
