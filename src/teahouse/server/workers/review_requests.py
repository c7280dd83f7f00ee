"""Requests to a worker that evaluate positions of a game for its review."""

from __future__ import annotations

import base64
import time
from dataclasses import asdict
from functools import cache
from threading import Event
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.search.evaluations import Evaluation, PositionEvaluator, Task
from teahouse.search.threads import check_threads

GROUP = 2
"""Positions that are evaluated together."""


@cache
def _evaluator() -> PositionEvaluator:
    """Return the evaluator of this process: it keeps the results of an interrupted request."""
    return PositionEvaluator(threads=check_threads(None), wait=False)


def evaluate(request: dict[str, Any], game: Game, cancel: Event) -> list[dict[str, Any]]:
    """Evaluate positions for `seconds`; return those that were finished.

    A search that was begun is finished, and remembered for the next request.
    """
    tasks = [
        Task(one["ply"], Position(game, base64.b64decode(one["state"]), one["age"]), one["move"])
        for one in request["tasks"]
    ]
    found: list[Evaluation] = []
    deadline = time.monotonic() + request["seconds"]
    while tasks and time.monotonic() < deadline and not cancel.is_set():
        found += _evaluator().evaluate(tasks[:GROUP], request["stage"], cancel, deadline)
        tasks = tasks[GROUP:]
    return [asdict(one) for one in found]
