"""Analysis of a position within a budget."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

import numpy as np

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.core.random import SEEDS
from teahouse.search.engine import Engine
from teahouse.search.levels import profile
from teahouse.search.mcts.params import SearchParams
from teahouse.search.mcts.search import MAX_SIMULATIONS
from teahouse.search.result import Analysis

MAX_SECONDS = 86_400
MAX_MEMORY = 1 << 16
MAX_THREADS = 64


def analyse(
    position: Position,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    threads: int = 1,
    seed: int = 0,
    memory: int = 256,
    progress: Callable[[Analysis], None] | None = None,
    cancel: Event | None = None,
    params: SearchParams | None = None,
) -> Analysis:
    """Search for `seconds` (default 1) or `simulations`, with up to `memory` MB.

    The search ends early when the value is proven, or when `cancel` is set from any thread.
    `progress` is called with interim analyses. All threads share one tree.
    """
    if seconds is not None and simulations is not None:
        raise OptionError("Give either seconds or simulations, not both.")
    if seconds is not None:
        seconds = _seconds(seconds)
    elif simulations is None:
        seconds = 1.0
    else:
        simulations = _whole("simulations", simulations, 1, MAX_SIMULATIONS)
    threads = _whole("threads", threads, 1, MAX_THREADS)
    memory = _whole("memory", memory, 1, MAX_MEMORY)
    seed = _whole("seed", seed, 0, SEEDS - 1)
    if position.over:
        raise ValueError("Cannot analyse the position: the game is over.")
    threads = min(threads, simulations or threads)
    engine = Engine(
        position,
        params or profile(position.game).params,
        threads=threads,
        seed=seed,
        memory=memory,
        max_simulations=simulations or MAX_SIMULATIONS,
    )
    return engine.run(seconds, simulations, progress, cancel)


def _seconds(value: Any) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not 0 < value <= MAX_SECONDS
    ):
        raise OptionError(
            f"seconds is a number above 0 and at most {MAX_SECONDS}, not {quoted(value)}"
        )
    return float(value)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or not least <= value <= most
    ):
        raise OptionError(f"{name} is a whole number from {least} to {most}, not {quoted(value)}")
    return int(value)
