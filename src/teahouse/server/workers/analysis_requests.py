"""Requests to a worker that deepen an analysis, slice by slice.

A worker keeps the engines of the pages that were served last, each with its tree, so that the next
slice continues where the last one stopped, also after a move along an expected line.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Event
from typing import Any

from teahouse.core.position import Position
from teahouse.search.analysis import strongest_network
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.result import AnalysedMove
from teahouse.search.tablebase import find_tablebase
from teahouse.search.threads import check_threads

MAX_ENGINES = 4
ENGINE_MEMORY = 128  # megabytes
MAX_LINE = 10
"""Moves of an expected line."""


class EngineCache:
    """The engines of the pages that were served last."""

    def __init__(self, size: int = MAX_ENGINES) -> None:
        self._size = size
        self._engines: OrderedDict[str, Engine] = OrderedDict()

    def __len__(self) -> int:
        return len(self._engines)

    def get(self, page: str, position: Position, seed: int) -> Engine:
        """Return the engine of a page at a position, with the tree that it has of it."""
        engine = self._engines.pop(page, None)
        if engine is not None and engine.position.game == position.game:
            if engine.position != position or not engine.prepared:
                engine.set_position(position, seed)
        else:
            while len(self._engines) >= self._size:
                self.drop_oldest()
            engine = new_engine(position, seed)
        self._engines[page] = engine
        return engine

    def drop_oldest(self) -> None:
        """Drop the engine that was used least recently."""
        self._engines.popitem(last=False)


def new_engine(position: Position, seed: int) -> Engine:
    """Return the engine of the highest level at a position."""
    profiled = profile(position.game)
    return Engine(
        position,
        profiled.params,
        threads=check_threads(None),
        seed=seed,
        memory=ENGINE_MEMORY,
        reuse_tree=True,
        wait=False,
        network=strongest_network(position.game),
        tablebase=find_tablebase(position.game),
        puct=profiled.puct,
    )


def deepen(
    engines: EngineCache, request: dict[str, Any], position: Position, cancel: Event
) -> dict[str, Any] | None:
    """Search on for `seconds`, and return the best lines; None if that was cancelled."""
    engine = engines.get(request["page"], position, request["seed"])
    found = engine.run(request["seconds"], None, cancel=cancel)
    if cancel.is_set():
        return None
    ranked = found.moves[: request["lines"]]
    lines = engine.lines([one.move for one in ranked])
    return {
        "value": found.value,
        "sides": found.scores,
        "visits": sum(one.visits for one in found.moves),
        "settled": engine.settled,
        "prepared": engine.prepared,
        "network": engine.network is not None,
        "lines": [_line(position, one, line) for one, line in zip(ranked, lines, strict=True)],
    }


def _line(position: Position, found: AnalysedMove, line: Sequence[str]) -> dict[str, Any]:
    """Return a line with its moves in words; `plies` is its length if it ends the game."""
    moves: list[dict[str, Any]] = []
    after = position
    for move in line:
        if len(moves) < MAX_LINE:
            description = after.describe(move, "imperative")
            moves.append({"move": move, "player": after.player, "description": description})
        elif not found.proof:
            break
        after = after.play(move)
    return {
        "move": found.move,
        "click_path": position.click_path(found.move),
        "value": found.value,
        "visits": found.visits,
        "proof": found.proof,
        "plies": len(line) if found.proof and after.over else None,
        "line": moves,
    }
