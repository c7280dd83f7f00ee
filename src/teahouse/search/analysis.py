"""The analysis of a position: searches run side by side within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import perf_counter
from typing import Any

import numpy as np

from teahouse.core.errors import OptionError, quoted
from teahouse.core.position import Position
from teahouse.core.random import SEEDS, game_seed
from teahouse.search.findings import Analysis, findings
from teahouse.search.search import MOST_SIMULATIONS, Search
from teahouse.search.settings import Settings

ROUND_SECONDS = 0.01  # between two looks at the clock and at `cancel`
PROGRESS_SECONDS = 0.1
MOST_SECONDS = 86_400
MOST_MEMORY = 1 << 16
MOST_THREADS = 64


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
    settings: Settings | None = None,
) -> Analysis:
    """Search for so many seconds (1 unless told) or simulations, in so many megabytes.

    It ends sooner when it is proven how the game ends or when `cancel` is set, also by another
    thread. `progress` is given interim analyses. Each thread grows a tree of its own.
    """
    if seconds is not None and simulations is not None:
        raise OptionError("either seconds or simulations may be given, not both")
    if seconds is not None:
        seconds = _seconds(seconds)
    elif simulations is None:
        seconds = 1.0
    else:
        simulations = _whole("simulations", simulations, 1, MOST_SIMULATIONS)
    threads = _whole("threads", threads, 1, MOST_THREADS)
    memory = _whole("memory", memory, 1, MOST_MEMORY)
    seed = _whole("seed", seed, 0, SEEDS - 1)
    if position.over:
        raise ValueError("the game is over: there is no move to analyse")
    settings = settings or Settings()
    threads = min(threads, simulations or threads)
    shares = [
        MOST_SIMULATIONS if simulations is None else (simulations + number) // threads
        for number in range(threads)
    ]
    searches = [
        Search(
            position,
            game_seed(seed, number) if number else seed,
            (memory << 20) // threads,
            n,
            settings,
        )
        for number, n in enumerate(shares)
    ]
    started = perf_counter()
    shown = -PROGRESS_SECONDS
    for elapsed in _rounds(searches, shares, seconds, started):
        if cancel is not None and cancel.is_set():
            break
        if progress is not None and elapsed - shown >= PROGRESS_SECONDS:
            shown = elapsed
            progress(findings(position, searches, elapsed))
    return findings(position, searches, perf_counter() - started)


def _rounds(
    searches: list[Search], shares: list[int], seconds: float | None, started: float
) -> Iterator[float]:
    """Let all searches run side by side for a moment; the time since the start after each."""
    chunk = 1
    with ThreadPoolExecutor(len(searches)) as pool:
        while True:
            before = perf_counter()
            chunks = [
                min(chunk, share - search.simulations)
                for search, share in zip(searches, shares, strict=True)
            ]
            if len(searches) == 1:
                searches[0].run(chunks[0])
            else:
                list(pool.map(Search.run, searches, chunks))
            now = perf_counter()
            yield now - started
            left = ROUND_SECONDS
            if seconds is not None:
                left = min(left, started + seconds - perf_counter())
                if left <= 0 or any(search.settled for search in searches):
                    return
            if all(
                search.settled or search.simulations == share
                for search, share in zip(searches, shares, strict=True)
            ):
                return
            chunk = max(1, min(4 * chunk, int(chunk * left / max(now - before, 1e-6))))


def _seconds(value: Any) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not 0 < value <= MOST_SECONDS
    ):
        raise OptionError(
            f"seconds is a number above 0 and at most {MOST_SECONDS}, not {quoted(value)}"
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
