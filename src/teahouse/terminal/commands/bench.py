"""`teahouse bench`."""

from __future__ import annotations

import os
import platform
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import teahouse as th
from teahouse.terminal.commands.common import Json, Threads, examples, print_json, progress_bar

EXAMPLES = examples("teahouse bench", "teahouse bench --threads 8 --seconds 2 --json")
WARM_UP = 64


def bench(
    game: Annotated[list[str] | None, typer.Argument(help="games to measure; default: all")] = None,
    seconds: Annotated[
        float, typer.Option(min=0.05, max=60, help="time for each measurement")
    ] = 1.0,
    threads: Threads = 1,
    as_json: Json = False,
) -> None:
    """Measure random moves, random games and search simulations per second on this machine.

    In a source checkout, `make bench` measures more, and compares with other libraries.
    """
    games = [th.load(name) for name in (game or th.games())]
    rows = []
    with progress_bar("Measuring", quiet=as_json) as step:
        for number, measured in enumerate(games):
            step(number, len(games))
            rows.append(_measured(measured, seconds, threads))
    machine = f"{platform.machine()}, {os.cpu_count()} processors"
    if as_json:
        print_json({"machine": machine, "threads": threads, "games": rows})
        return
    table = Table(
        "game", "moves/s", "games/s", "simulations/s", title=f"{machine}, {threads} threads"
    )
    for row in rows:
        name, *figures = row.values()
        table.add_row(str(name), *(f"{figure:,}" for figure in figures))
    Console().print(table)


def _measured(game: th.Game, seconds: float, threads: int) -> dict[str, str | int]:
    """Measure a game, without compilation."""
    game.playouts(WARM_UP, threads=threads)
    counts, elapsed, number = game.playouts(WARM_UP, threads=threads), 0.0, WARM_UP
    while elapsed < seconds / 2:
        number = max(2 * number, int(number * seconds / max(elapsed, 1e-3) / 2))
        started = perf_counter()
        counts = game.playouts(number, threads=threads)
        elapsed = perf_counter() - started
    start = game.start()
    th.analyse(start, simulations=WARM_UP, threads=threads)
    analysis = th.analyse(start, seconds=seconds, threads=threads)
    return {
        "game": game.name,
        "moves_per_second": round(counts.moves / elapsed),
        "games_per_second": round(counts.games / elapsed),
        "simulations_per_second": round(analysis.simulations / analysis.seconds),
    }
