"""A process that works for the house: it thinks for bots, or draws boards.

`python -m teahouse.server.worker NICE`, started by the house. It ends when the house does, however
that happens.
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
from teahouse.server.gc_tuning import COLLECT_SECONDS, calm
from teahouse.server.snapshots import view


class Desk:
    """The questions, and whether the one at hand is still wanted."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self.questions: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.asked = 0
        self.cancel = Event()

    def read(self) -> None:
        """Take in lines; when there are no more, nobody waits for an answer."""
        for line in self._lines:
            message = json.loads(line)
            if message["kind"] != "cancel":
                self.asked = message["id"]
                self.cancel.clear()
                self.questions.put(message)
            elif message["id"] == self.asked:
                self.cancel.set()
        os._exit(0)


def answer(question: dict[str, Any], cancel: Event) -> str:
    """The answer to a question, as JSON."""
    game = _game(question["game"], tuple(question["options"].items()))
    position = _position(game, question["state"], question["ply"])
    match question["kind"]:
        case "view":
            last = question["last"]
            before = last and (_position(game, last[0], question["ply"] - 1), last[1])
            return view(position, question["at"], before)
        case "choose":
            return json.dumps(_choose(position, question["level"], question["seed"], cancel))
        case "analyse":
            return json.dumps(_analyse(position, question["think"], question["seed"], cancel))
    raise AssertionError(question["kind"])


@lru_cache(maxsize=100)
def _game(name: str, options: tuple[tuple[str, str], ...]) -> Game:
    return load_untrusted(name, dict(options))


@lru_cache(maxsize=500)
def _position(game: Game, state: str, ply: int) -> Position:
    """A position; kept, since what was drawn is needed again for the next move's trail."""
    return Position(game, base64.b64decode(state), ply)


def _choose(position: Position, level: int, seed: int, cancel: Event) -> str:
    from teahouse.search.bot import bot

    return bot(position.game, level).choose(position, seed=seed, threads=1, cancel=cancel)


def _analyse(position: Position, seconds: float, seed: int, cancel: Event) -> dict[str, Any]:
    from teahouse.search.analysis import analyse

    found = analyse(position, seconds=seconds, seed=seed, cancel=cancel)
    moves = [
        {"move": one.move, "value": one.value, "visits": one.visits, "proof": one.proof}
        for one in found.ranked
    ]
    return {"best": found.best, "value": found.value, "line": found.line, "moves": moves}


def main() -> None:
    """Work until the house is gone."""
    os.nice(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the house, which ends its workers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is not an answer
    calm()
    desk = Desk(sys.stdin.buffer)
    Thread(target=desk.read, daemon=True).start()
    collected = time.monotonic()
    while True:
        question = desk.questions.get()
        error, body = None, b""
        try:
            body = answer(question, desk.cancel).encode()
        except Exception as failure:  # the house is told, and this process goes on
            error = f"{type(failure).__name__}: {failure}"
        head = {"id": question["id"], "size": len(body), "error": error}
        answers.write(json.dumps(head).encode() + b"\n" + body)
        answers.flush()
        if time.monotonic() - collected > COLLECT_SECONDS:
            gc.collect()
            collected = time.monotonic()


if __name__ == "__main__":
    main()
