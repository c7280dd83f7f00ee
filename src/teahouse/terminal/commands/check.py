"""`teahouse check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import teahouse as th
from teahouse.core.catalog import broken_games
from teahouse.terminal.commands.common import (
    GameName,
    Json,
    examples,
    print_json,
    progress_bar,
)
from teahouse.terminal.interrupts import interrupts

if TYPE_CHECKING:
    from teahouse.conformance.runner import CheckResult, ConformanceReport

EXAMPLES = examples("teahouse check GAME", "teahouse check GAME --write")
STYLES = {"ok": "green", "default": "dim", "missing": "yellow", "failed": "red"}


def check(
    game: GameName,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="first write perft.txt and signature.txt, and suite.txt if there is none",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a game, and say what is missing for the next tier.

    A game is playable with rules, notation and a board that pass all checks, and studied with
    planes, a rules page, perft counts and test positions. Exit code 1 if a check fails.
    """
    game = game.lower()
    for broken in broken_games():
        if broken.name == game and broken.reason.endswith("same name"):
            raise th.OptionError(broken.message)
    if game not in {*th.games(), *(broken.name for broken in broken_games())}:
        th.load(game)  # raises an OptionError that lists the games
    from teahouse.conformance.checks import CHECKS
    from teahouse.conformance.runner import run_checks

    if write:
        _write(game, quiet=as_json)
    done: list[CheckResult] = []
    with interrupts() as interrupted, progress_bar("checking", quiet=as_json) as step:

        def show(result: CheckResult) -> None:
            if interrupted.is_set():  # the check of a game's own code may have caught it
                raise KeyboardInterrupt
            done.append(result)
            step(len(done), len(CHECKS))

        report = run_checks(game, show)
    if as_json:
        print_json(_json(report))
    else:
        _print(report)
    if report.failed:
        raise typer.Exit(1)


def _write(game: str, quiet: bool) -> None:
    """Write the generated files, unless the game is too broken to be played to its end."""
    from teahouse.conformance.generate import write_files
    from teahouse.conformance.runner import can_be_played_out

    for path in write_files(game) if can_be_played_out(game) else ():
        if not quiet:
            print(f"Wrote {path}", flush=True)


def _json(report: ConformanceReport) -> dict[str, object]:
    return {
        "game": report.game,
        "tier": report.tier,
        "next_tier": report.next_tier,
        "to_do": [result.check.name for result in report.to_do],
        "checks": [
            {
                "name": result.check.name,
                "tier": result.check.tier,
                "status": result.status,
                "message": result.message,
            }
            for result in report.results
        ],
    }


def _print(report: ConformanceReport) -> None:
    console = Console()
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for result in report.results:
        status = Text(result.status, STYLES[result.status])
        table.add_row(status, result.check.name, Text(result.message))
    console.print(table, highlight=False)
    console.print(_summary(report), highlight=False, markup=False)


def _summary(report: ConformanceReport) -> str:
    reached = f"{report.game} is {report.tier or 'not playable'}."
    if report.next_tier is None:
        return reached
    names = ", ".join(result.check.name for result in report.to_do)
    return f"{reached} For the tier {report.next_tier}: {names}."
