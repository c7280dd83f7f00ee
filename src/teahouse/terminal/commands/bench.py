"""`teahouse bench`: speed on this machine, beside other libraries that are installed."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import teahouse as th
from teahouse.bench.peers import Peers
from teahouse.bench.suite import Result, Row, machine, measure
from teahouse.core.validate import check_choice
from teahouse.terminal.commands.common import Json, Threads, examples, print_json, progress_bar

EXAMPLES = examples("teahouse bench", "teahouse bench GAME --threads 8 --seconds 2 --json")
KINDS = {
    "playouts": "random moves",
    "loop": "with move lists",
    "search": "UCT simulations",
    "batch": "batch, masks",
    "planes": "batch, planes",
}


def bench(
    game: Annotated[list[str] | None, typer.Argument(help="games to measure; default: all")] = None,
    seconds: Annotated[
        float, typer.Option(min=0.05, max=60, help="time for each figure in a round")
    ] = 0.25,
    rounds: Annotated[int, typer.Option(min=1, max=100, help="the best round counts")] = 2,
    threads: Threads = 1,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help=f"{', '.join(KINDS)}; repeatable; default: all"),
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers/--no-peers", help="measure OpenSpiel and Pgx too")
    ] = True,
    as_json: Json = False,
) -> None:
    """Measure random moves, search and batches per second on this machine.

    OpenSpiel and Pgx are measured in turns with them if they are installed: ratios are comparable
    between machines, figures are not. A figure of one thread counts seconds of CPU time.
    """
    games = [th.load(name) for name in dict.fromkeys(game or th.games())]
    kinds = [check_choice("only", kind, tuple(KINDS)) for kind in dict.fromkeys(only or KINDS)]
    rows = [Row(kind, one, threads) for kind in kinds for one in games]
    found = Peers.installed() if peers else Peers()
    try:
        with progress_bar("Measuring", quiet=as_json) as step:
            results = measure(rows, found, rounds=rounds, seconds=seconds, progress=step)
    finally:
        found.close()
    if as_json:
        print_json(
            {"machine": machine(), "processors": os.cpu_count(), "threads": threads}
            | {"rows": [_json(result) for result in results]}
        )
        return
    _print(results, threads)
    missing = [
        name
        for name, python in (("open_spiel", found.openspiel), ("jax pgx", found.pgx))
        if peers and not python
    ]
    if missing:
        print(f"For ratios to other libraries: pip install {' '.join(missing)}")


def _json(result: Result) -> dict[str, Any]:
    row = result.row
    return {
        "row": row.name,
        "kind": row.kind,
        "game": row.game.name,
        "options": row.game.options,
        "unit": row.unit,
        "value": round(result.value),
        "peer": row.peer if result.peer_value else None,
        "peer_value": round(result.peer_value) if result.peer_value else None,
        "ratio": round(result.ratio, 3) if result.ratio else None,
    }


def _print(results: list[Result], threads: int) -> None:
    """Print a table with a section for each kind of work."""
    compared = any(result.ratio for result in results)
    plural = "s" * (threads > 1)
    table = Table(
        title=f"{machine()}, {os.cpu_count()} processors; {threads} thread{plural}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for heading in ("work", "game", "per second", "peer", "its rate", "ratio")[
        : 6 if compared else 3
    ]:
        figure = heading in ("per second", "its rate", "ratio")
        table.add_column(heading, justify="right" if figure else "left", no_wrap=figure)
    last = None
    for result in results:
        row = result.row
        if row.kind != last:
            table.add_section()
        cells = ["" if row.kind == last else KINDS[row.kind], row.title, f"{result.value:,.0f}"]
        last = row.kind
        if result.peer_value and result.ratio:
            cells += [str(row.peer), f"{result.peer_value:,.0f}", f"{result.ratio:.1f}"]
        table.add_row(*cells)
    Console().print(table)
