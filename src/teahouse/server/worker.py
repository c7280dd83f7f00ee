"""A worker process: searches for bots, or renders snapshots.

`python -m teahouse.server.worker NICENESS`, started by the server. It exits when its standard input
is closed, so it never outlives the server.
"""

from __future__ import annotations

import base64
import gc
import json
import os
import signal
import sys
import time
from functools import lru_cache
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, BinaryIO

from teahouse.core.catalog import load_untrusted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.server.gc_tuning import COLLECT_SECONDS, disable_full_collections
from teahouse.server.snapshots import snapshot
from teahouse.server.wire import to_json


class RequestReader:
    """Reads requests on a thread of its own, so that a running one can be cancelled."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._current = 0
        self.requests: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.cancel = Event()

    def read(self) -> None:
        """Read lines until the server closes the pipe, then exit the process."""
        for line in self._lines:
            message = json.loads(line)
            if message["kind"] != "cancel":
                self._current = message["id"]
                self.cancel.clear()
                self.requests.put(message)
            elif message["id"] == self._current:
                self.cancel.set()
        os._exit(0)


def respond(request: dict[str, Any], cancel: Event) -> str:
    """Return the response to a request as JSON."""
    game = _game(request["game"], tuple(request["options"].items()))
    position = _position(game, request["state"], request["ply"])
    match request["kind"]:
        case "snapshot":
            last = request["last"]
            before = last and (_position(game, last[0], request["ply"] - 1), last[1])
            return to_json(snapshot(position, request["table_ply"], before))
        case "choose":
            return to_json(_choose(position, request["level"], request["seed"], cancel))
        case "analyse":
            return to_json(_analyse(position, request["seconds"], request["seed"], cancel))
    raise AssertionError(request["kind"])


@lru_cache(maxsize=100)
def _game(name: str, options: tuple[tuple[str, str], ...]) -> Game:
    return load_untrusted(name, dict(options))


@lru_cache(maxsize=500)
def _position(game: Game, state: str, ply: int) -> Position:
    """Return a position; cached, since the next snapshot draws the last move from it."""
    return Position(game, base64.b64decode(state), ply)


def _choose(position: Position, level: int, seed: int, cancel: Event) -> str:
    from teahouse.search.bot import bot

    return bot(position.game, level).choose(position, seed=seed, cancel=cancel)


def _analyse(position: Position, seconds: float, seed: int, cancel: Event) -> dict[str, Any]:
    from teahouse.search.analysis import analyse

    analysis = analyse(position, seconds=seconds, seed=seed, cancel=cancel)
    moves = [
        {"move": one.move, "value": one.value, "visits": one.visits, "proof": one.proof}
        for one in analysis.ranked
    ]
    return {
        "best": analysis.best,
        "value": analysis.value,
        "line": analysis.line,
        "moves": moves,
    }


def main() -> None:
    """Process requests until the server exits."""
    os.nice(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the server, which stops its workers
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep anything that is printed out of the response stream
    disable_full_collections()
    reader = RequestReader(sys.stdin.buffer)
    Thread(target=reader.read, daemon=True).start()
    collected = time.monotonic()
    while True:
        request = reader.requests.get()
        error, body = None, b""
        try:
            body = respond(request, reader.cancel).encode()
        except Exception as failure:  # reported to the server; this process goes on
            error = f"{type(failure).__name__}: {failure}"
        head = {"id": request["id"], "size": len(body), "error": error}
        responses.write(json.dumps(head).encode() + b"\n" + body)
        responses.flush()
        if time.monotonic() - collected > COLLECT_SECONDS:
            gc.collect()
            collected = time.monotonic()


if __name__ == "__main__":
    main()
