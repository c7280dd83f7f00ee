"""Benchmark playouts and start-up against OpenSpiel in the same run: part of `make bench`.

To tolerate load on the machine, both are measured in turns over several rounds by CPU time, and the
best round of each counts. Ratios are comparable between machines, absolute figures are not.
"""

import os
import subprocess
import sys
import tempfile
import time

from history import Arguments, measured, parse

import teahouse as th
from teahouse.bench.suite import Row

VARIANTS: list[tuple[str, dict[str, object]]] = [
    ("orochi", {"side": 4}),
    ("orochi", {"side": 6}),
    ("orochi", {"side": 8}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "2"}),
    ("fillit", {"mode": "2mini"}),
    ("fillit", {"mode": "3"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {}),
]
START = "import teahouse as th; th.load('orochi').playouts(1)"
IMPORT = "import teahouse as th; th.load, th.analyse"  # the rest is imported on demand


def games() -> list[th.Game]:
    """Return the games that are measured."""
    return [th.load(name, **options) for name, options in VARIANTS]


def rows() -> list[Row]:
    """Return the rows of this benchmark."""
    kinds = (("playouts", 1), ("playouts", 2), ("loop", 1))
    return [Row(kind, game, threads) for game in games() for kind, threads in kinds]


def start_seconds(code: str, cache: str) -> float:
    """Return the run time of the code in a new process."""
    begin = time.perf_counter()
    environment = {**os.environ, "TEAHOUSE_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - begin


def print_start(arguments: Arguments) -> None:
    """Measure and print the time that a new process takes."""
    table = arguments.table("Start-up of a process, seconds", "step", "best of 5")
    with tempfile.TemporaryDirectory() as cache:
        cold = start_seconds(START, cache)
        warm = min(start_seconds(START, cache) for _ in range(5))
        importing = min(start_seconds(IMPORT, cache) for _ in range(5))
        bare = min(start_seconds("pass", cache) for _ in range(5))
    table.add_row("first compiled playout, cold cache (once)", f"{cold:.2f}")
    table.add_row("first compiled playout, warm cache", f"{warm:.2f}")
    table.add_row("import teahouse, minus a bare Python", f"{importing - bare:.2f}")
    arguments.console.print(table)


def main() -> None:
    arguments = parse(__doc__)
    results = measured(rows(), arguments)
    table = arguments.table(
        "Random moves per second",
        *("game", "1 thread", "2 threads", "2 over 1", "legal/play loop", "peer"),
        *("peer's rate", "x peer", "loop x peer", "state bytes"),
    )
    for game in games():
        one, two, loop = (
            results[Row(kind, game, threads).name]
            for kind, threads in (("playouts", 1), ("playouts", 2), ("loop", 1))
        )
        table.add_row(
            *(one.row.title, f"{one.value:,.0f}", f"{two.value:,.0f}"),
            *(f"{two.value / one.value:.2f}", f"{loop.value:,.0f}", one.row.peer),
            *(f"{one.peer_value:,.0f}", f"{one.ratio:.1f}", f"{loop.ratio:.1f}"),
            str(game.layout.state.itemsize),
        )
    arguments.console.print(table)
    print_start(arguments)


if __name__ == "__main__":
    main()
