"""A process in which bots think: it reads a line of JSON for each thought and answers with a line.

`python -m teahouse.server.worker`, started by the house. It ends when the house does, however that happens.
"""

from __future__ import annotations

import json
import os
import sys
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, TextIO

import teahouse as th
from teahouse.core.catalog import load_foreign

NICE = 10


class Desk:
    """The thoughts asked for, and which of them is no longer wanted."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self.thoughts: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self.cancel = Event()

    def read(self) -> None:
        """Take in lines; when there are no more, nobody waits for an answer."""
        for line in self._lines:
            message = json.loads(line)
            if message["kind"] == "cancel":
                self.cancel.set()
            else:
                self.cancel.clear()
                self.thoughts.put(message)
        os._exit(0)


def think(thought: dict[str, Any], cancel: Event) -> dict[str, Any]:
    """The answer to a thought."""
    game = load_foreign(thought["game"], thought["options"])
    position = game.position(thought["position"])
    if thought["kind"] == "choose":
        if len(position.legal) == 1:
            return {"move": position.legal[0]}
        return {"move": _choose(position, thought["level"], thought["seed"], cancel)}
    analysis = th.analyse(position, seconds=thought["think"], seed=thought["seed"], cancel=cancel)
    moves = [
        {"move": one.move, "value": one.value, "visits": one.visits, "proof": one.proof}
        for one in analysis.moves
    ]
    return {"best": analysis.best, "value": analysis.value, "line": analysis.line, "moves": moves}


def _choose(position: th.Position, level: int, seed: int, cancel: Event) -> str:
    return th.analyse(position, simulations=4**level, seed=seed, cancel=cancel).best


def main() -> None:
    """Think until the house is gone."""
    os.nice(NICE)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is not an answer
    desk = Desk(sys.stdin)
    Thread(target=desk.read, daemon=True).start()
    while True:
        thought = desk.thoughts.get()
        try:
            answer = think(thought, desk.cancel)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": thought["id"], **answer}), file=answers, flush=True)


if __name__ == "__main__":
    main()
