"""`teahouse perft`."""

from __future__ import annotations

from typing import Annotated

import typer

import teahouse as th
from teahouse.terminal.commands.common import (
    At,
    GameName,
    Json,
    Options,
    Seed,
    Threads,
    examples,
    load_position,
    print_json,
    progress_bar,
)

EXAMPLES = examples("teahouse perft GAME 3", "teahouse perft GAME 3 -o NAME=VALUE --json")


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=0, max=20, help="number of moves in a sequence")],
    option: Options = None,
    at: At = None,
    divide: Annotated[
        bool, typer.Option("--divide", help="count the sequences that begin with each move")
    ] = False,
    threads: Threads = 1,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Count the move sequences from a position for every depth up to DEPTH."""
    position = load_position(game, option, at, seed)
    if divide:
        with progress_bar("Counting", quiet=as_json):
            by_move = th.perft(position, depth, divide=True, threads=threads)
        if as_json:
            print_json(
                {"position": str(position), "moves": by_move, "total": sum(by_move.values())}
            )
            return
        for move, count in by_move.items():
            print(move, count)
        print("total", sum(by_move.values()))
        return
    counts = []
    with progress_bar("Counting", quiet=as_json):  # without an end: the last depth takes longest
        for level in range(min(depth, 1), depth + 1):
            counts.append(th.perft(position, level, threads=threads))
            if not as_json:
                print(level, counts[-1], flush=True)
    if as_json:
        print_json({"position": str(position), "counts": counts})
