"""`teahouse playouts`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import teahouse as th
from teahouse.terminal.commands.common import (
    PROCESSORS,
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
from teahouse.terminal.commands.completion import one_of

EXAMPLES = examples(
    "teahouse playouts GAME 1000000", "teahouse playouts GAME 10000000 --device cuda --json"
)


def playouts(
    game: GameName,
    number: Annotated[int, typer.Argument(min=1, help="number of games")] = 100_000,
    option: Options = None,
    at: At = None,
    threads: Threads = PROCESSORS,
    device: Annotated[
        str, typer.Option(help="cpu or cuda", autocompletion=one_of("cpu", "cuda"))
    ] = "cpu",
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Play random games and count the results."""
    position = load_position(game, option, at, seed)
    start = position.game if at is None else position
    with progress_bar("Playing", quiet=as_json) as step:
        counts = start.playouts(number, seed=seed, threads=threads, device=device, progress=step)
    if as_json:
        print_json(
            {
                "games": counts.games,
                "moves": counts.moves,
                "wins": dict(zip(position.game.players, counts.wins, strict=True)),
                "draws": counts.draws,
            }
        )
        return
    _show(position.game, counts)


def _show(game: th.Game, counts: th.Counts) -> None:
    table = Table("result", "games", "share")
    for player, wins in zip(game.players, counts.wins, strict=True):
        table.add_row(f"{player} wins", f"{wins}", f"{wins / counts.games:.2%}")
    table.add_row("draw", f"{counts.draws}", f"{counts.draws / counts.games:.2%}")
    console = Console()
    console.print(table)
    console.print(f"{counts.moves / counts.games:.1f} moves per game")
