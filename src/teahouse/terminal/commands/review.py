"""`teahouse review`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import teahouse as th
from teahouse.search.levels import player_text
from teahouse.search.review import Grade, ReviewedMove
from teahouse.terminal.commands.common import (
    Json,
    Seed,
    examples,
    exit_if_interrupted,
    print_json,
    progress_bar,
    read_text,
)
from teahouse.terminal.interrupts import PATIENCE, interruptible

EXAMPLES = examples(
    "teahouse review game.txt",
    "teahouse review game.txt --json",
)
SIGNS: dict[Grade, tuple[str, str]] = {
    "best": ("✓ best", "green"),
    "fine": ("  fine", ""),
    "inaccuracy": ("?! inaccuracy", "yellow"),
    "mistake": ("? mistake", "dark_orange"),
    "blunder": ("?? blunder", "red"),
    "forced": ("□ only move", "dim"),
}
BARS = "▁▂▃▄▅▆▇█"


def review(
    file: Annotated[Path, typer.Argument(help="record file (-: standard input)")],
    threads: Annotated[
        int | None, typer.Option(min=1, max=64, help="number of threads; default: two")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Review a game: winning chances, a grade for every move, mistakes and better lines.

    Ctrl-C ends the review early and prints what is known by then. Of a record with an illegal move
    the part before it is reviewed.
    """
    record, error = th.Record.parse_prefix(read_text(file))
    with interruptible(PATIENCE) as cancel, progress_bar("Reviewing", quiet=as_json) as step:
        found = th.review(
            record,
            threads=threads,
            seed=seed,
            progress=lambda so_far: step(so_far.fraction, 1.0),
            cancel=cancel,
        )
    if as_json:
        print_json(_as_json(record, found, error))
    else:
        _print(record, found)
    exit_if_interrupted(cancel)
    if error is not None:
        moves = len(record.moves)
        print(f"teahouse: only the first {moves} moves were reviewed: {error}", file=sys.stderr)
        raise typer.Exit(2)


def _as_json(
    record: th.Record, found: th.Review, error: th.RecordError | None
) -> dict[str, object]:
    return {
        "game": record.game.name,
        "options": record.game.options,
        "players": record.game.players,
        "names": record.names,
        "teams": record.game.teams,
        "result": record.result,
        "error": None if error is None else str(error),
        **asdict(found),
    }


def _print(record: th.Record, found: th.Review) -> None:
    console = Console()
    console.print(f"[bold]{record.game.title}[/bold]  {escape(_players(record))}", highlight=False)
    console.print(_moves_table(record, found))
    for line in _graph(record, found, console.width):
        console.print(line, highlight=False, markup=False)
    if found.mistakes:
        console.print("\n[bold]Biggest mistakes[/bold]")
    for number in found.mistakes:
        for line in _mistake(record, found.moves[number - 1]):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    if any(accuracy is not None for accuracy in found.accuracy):
        console.print("\n[bold]Accuracy[/bold]")
    for player, accuracy in zip(record.game.players, found.accuracy, strict=True):
        if accuracy is not None:
            console.print(f"{player:<10} {accuracy:.0f} %", highlight=False, markup=False)
    if not found.complete:
        console.print("\nThe review is not complete.", style="yellow")


def _players(record: th.Record) -> str:
    names = record.names
    seats = [
        f"{seat}: {player_text(names[seat])}" if seat in names else seat
        for seat in record.game.players
    ]
    return f"{', '.join(seats)}. Result: {record.result}"


def _sides(record: th.Record) -> list[str]:
    """Return the players of each side."""
    game = record.game
    return ["+".join(game.players[player] for player in team) for team in game.teams]


def _moves_table(record: th.Record, found: th.Review) -> Table:
    table = Table("", "player", "move", "grade", "gave away", *_sides(record))
    for move in found.moves:
        sign, style = SIGNS[move.grade] if move.grade else ("", "")
        position = record.positions[move.number - 1]
        chances = found.chances[move.number]
        proven = "*" if found.proven[move.number] is not None else ""
        table.add_row(
            str(move.number),
            record.game.players[position.player],
            escape(move.move),
            f"[{style}]{sign}[/]" if style else sign,
            f"{move.loss:.0%}" if move.loss >= 0.005 else "",
            *(f"{chance:.0%}{proven}" for chance in chances or ()),
        )
    table.caption = "winning chances after the move; * proven"
    return table


def _graph(record: th.Record, found: th.Review, width: int) -> Iterator[str]:
    """Yield a line for each side: a bar for each position, or for some of a long game."""
    sides = _sides(record)
    margin = max(map(len, sides)) + 1
    room = max(10, width - margin - 1)
    step = -(-len(found.chances) // room)
    shown = found.chances[::step]
    yield ""
    for side, name in enumerate(sides):
        bars = [
            " " if chances is None else BARS[min(len(BARS) - 1, int(chances[side] * len(BARS)))]
            for chances in shown
        ]
        yield f"{name:<{margin}}{''.join(bars)}"


def _mistake(record: th.Record, move: ReviewedMove) -> Iterator[str]:
    """Yield what was played and what would have been better."""
    position = record.positions[move.number - 1]
    sign = SIGNS[move.grade][0] if move.grade else ""
    yield f"{move.number}. {position.describe(move.move)}: {sign}, gave away {move.loss:.0%}"
    yield f"   better: {' '.join(one.move for one in move.line)} ({move.line[0].description})"
