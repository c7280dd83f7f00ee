"""`teahouse analyse`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
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
    load_position,
    print_json,
    read_record,
)
from teahouse.terminal.progress import interruptible
from teahouse.terminal.texts import value_text

EXAMPLES = examples(
    "teahouse analyse GAME --seconds 5",
    "teahouse analyse GAME --simulations 100000 --json",
    "teahouse analyse game.txt --ply 12",
)


def analyse(
    game: Annotated[
        str, typer.Argument(help="a game's name, or the file of a record (- is the input)")
    ],
    option: Options = None,
    at: At = None,
    ply: Annotated[
        int | None,
        typer.Option(min=0, help="after so many moves of a record; the last if not told"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.01, help="time to search, 3 unless told")
    ] = None,
    simulations: Annotated[
        int | None, typer.Option(min=1, help="how long to search, repeatably, instead of seconds")
    ] = None,
    threads: Threads = PROCESSORS,
    seed: Seed = 0,
    best: Annotated[int, typer.Option(min=1, help="how many moves to show")] = 10,
    as_json: Json = False,
) -> None:
    """Look for the best moves of a position; Ctrl-C ends the search and keeps what it found."""
    position = _asked(game, option, at, ply, seed)
    if position.over:
        raise th.PositionError("the game is over: there is no move to analyse")
    if seconds is None and simulations is None:
        seconds = 3.0
    console = Console(stderr=as_json)
    shown = console.is_terminal and not as_json
    if shown:
        console.print(position.text(), highlight=False, markup=False)
    with interruptible() as cancel, Live(console=console, transient=True) as live:
        analysis = th.analyse(
            position,
            seconds=seconds,
            simulations=simulations,
            threads=threads,
            seed=seed,
            progress=(lambda found: live.update(_table(found, best))) if shown else None,
            cancel=cancel,
        )
    if as_json:
        print_json(_plain(position, analysis))
        return
    console.print(_table(analysis, best))
    line = " ".join(analysis.line)
    console.print(f"Expected continuation: {line}", highlight=False, markup=False, soft_wrap=True)


def _asked(
    game: str, option: list[str] | None, at: str | None, ply: int | None, seed: int
) -> th.Position:
    """The position that the command line names."""
    if game in th.games():
        if ply is not None:
            raise th.OptionError("--ply goes with the file of a record")
        return load_position(game, option, at, seed)
    if game != "-" and not Path(game).is_file():
        th.load(game)  # says what games there are
    if option or at is not None:
        raise th.OptionError("a record has its own options and positions: take --ply")
    positions = read_record(Path(game)).positions
    if ply is not None and ply >= len(positions):
        raise th.OptionError(f"the record has {len(positions) - 1} moves, not {ply}")
    return positions[-1 if ply is None else ply]


def _table(analysis: th.Analysis, most: int) -> Table:
    title = f"{analysis.simulations:,} simulations in {analysis.seconds:.1f} s"
    table = Table("move", "value", "visits", "proven", title=title)
    for found in analysis.ranked[:most]:
        table.add_row(found.move, value_text(found), f"{found.visits:,}", found.proof or "")
    return table


def _plain(position: th.Position, analysis: th.Analysis) -> dict[str, object]:
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
            for found in analysis.ranked
        ],
    }
