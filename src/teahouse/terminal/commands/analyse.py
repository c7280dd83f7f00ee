"""`teahouse analyse`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table

import teahouse as th
from teahouse.terminal.commands.common import (
    PROCESSORS,
    At,
    Json,
    Options,
    Seed,
    Threads,
    examples,
    exit_if_interrupted,
    load_position,
    print_json,
    read_record,
)
from teahouse.terminal.commands.completion import game_names
from teahouse.terminal.interrupts import PATIENCE, interruptible
from teahouse.terminal.texts import value_text

EXAMPLES = examples(
    "teahouse analyse GAME --seconds 5",
    "teahouse analyse GAME --simulations 100000 --json",
    "teahouse analyse game.txt --ply 12",
)
STARTING = "Starting the search, which is compiled the first time (Ctrl-C: stop) …"


def analyse(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME|FILE",
            help="name of a game, or record file (-: standard input)",
            autocompletion=game_names,
        ),
    ],
    option: Options = None,
    at: At = None,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="number of moves of a record to play; default: all"),
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0.01, help="time limit; default: 3")] = None,
    simulations: Annotated[
        int | None,
        typer.Option(min=1, help="number of simulations (reproducible) instead of a time limit"),
    ] = None,
    threads: Threads = PROCESSORS,
    seed: Seed = 0,
    best: Annotated[int, typer.Option(min=1, help="number of moves to show")] = 10,
    as_json: Json = False,
) -> None:
    """Search for the best moves of a position; Ctrl-C ends the search early."""
    position = _load(game, option, at, ply, seed)
    if position.over:
        raise th.PositionError("The game is over; there is no move to analyse.")
    if seconds is None and simulations is None:
        seconds = 3.0
    console = Console(stderr=as_json)
    live_table = console.is_terminal and not as_json
    if live_table:
        console.print(position.text(), highlight=False, markup=False)
    waiting = Spinner("dots", STARTING) if live_table else None
    with interruptible(PATIENCE) as cancel, Live(waiting, console=console, transient=True) as live:
        analysis = th.analyse(
            position,
            seconds=seconds,
            simulations=simulations,
            threads=threads,
            seed=seed,
            progress=(lambda found: live.update(_table(found, best))) if live_table else None,
            cancel=cancel,
        )
    if as_json:
        print_json(_as_json(position, analysis))
    else:
        console.print(_table(analysis, best))
        line = f"Expected continuation: {' '.join(analysis.line)}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    exit_if_interrupted(cancel)


def _load(
    game: str, option: list[str] | None, at: str | None, ply: int | None, seed: int
) -> th.Position:
    """Return the position that the command line names."""
    if game.lower() in th.games():
        if ply is not None:
            raise th.OptionError("--ply needs a record file.")
        return load_position(game, option, at, seed)
    if game != "-" and not Path(game).is_file():
        th.load(game)  # raises with the names of the games
    if option or at is not None:
        raise th.OptionError("--option and --position need a game; for a record use --ply.")
    positions = read_record(Path(game)).positions
    if ply is not None and ply >= len(positions):
        raise th.OptionError(
            f"--ply must be at most {len(positions) - 1}, the number of moves; got {ply}."
        )
    return positions[-1 if ply is None else ply]


def _table(analysis: th.Analysis, count: int) -> Table:
    title = f"{analysis.simulations:,} simulations in {analysis.seconds:.1f} s"
    table = Table("move", "value", "visits", "proven", title=title)
    for found in analysis.moves[:count]:
        table.add_row(found.move, value_text(found), f"{found.visits:,}", found.proof or "")
    return table


def _as_json(position: th.Position, analysis: th.Analysis) -> dict[str, object]:
    return {
        "position": str(position),
        "player": position.game.players[position.player],
        "best": analysis.best,
        "value": analysis.value,
        "line": analysis.line,
        "simulations": analysis.simulations,
        "seconds": round(analysis.seconds, 3),
        "moves": [
            {"move": found.move, "visits": found.visits, "value": found.value, "proof": found.proof}
            for found in analysis.moves
        ],
    }
