"""`teahouse report`: what kind of game this is, measured on games of bots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from teahouse.core.executor import Executor
from teahouse.lab.figures import Figure
from teahouse.lab.formatting import MINUS, count_text, decimals, number, with_unit
from teahouse.lab.plan import PlanCancelled
from teahouse.lab.report import Report
from teahouse.lab.store import default_folder
from teahouse.lab.stored import store_report
from teahouse.lab.study import PRECISION, SECONDS, ReportProgress
from teahouse.lab.study import report as make_report
from teahouse.terminal.commands.common import (
    PROCESSORS,
    AllJobs,
    GameName,
    Json,
    Options,
    Output,
    Ray,
    Seed,
    check_outputs,
    duration,
    examples,
    load_game,
    open_executor,
    until_interrupted,
    write_output,
)
from teahouse.terminal.interrupts import PATIENCE, interruptible

EXAMPLES = examples(
    "teahouse report GAME",
    "teahouse report GAME --precision 2 --seconds 1800 --html game.html",
    "teahouse report GAME --seconds 60 --json",
)
SHOWN_OPENINGS = 3
EVEN = 0.8
"""The shorter side of an interval is at least this part of the longer one to be shown as ±."""


def report(
    game: GameName,
    option: Options = None,
    precision: Annotated[
        float, typer.Option(min=0.1, max=50, help="points of % that shares are measured to, ±")
    ] = PRECISION,
    seconds: Annotated[
        float,
        typer.Option(min=1, max=1e7, help="time to play games; samples are as large as it allows"),
    ] = SECONDS,
    jobs: AllJobs = None,
    ray: Ray = None,
    seed: Seed = 0,
    folder: Annotated[
        Path | None,
        typer.Option(help="where games are stored; by default one folder for each set of options"),
    ] = None,
    html: Output = None,
    markdown: Output = None,
    csv: Output = None,
    as_json: Json = False,
) -> None:
    """Play games between bots and report what kind of game this is, with 95 % intervals.

    Length, choice, seats and draws, decision and drama, what is used, openings and depth of skill.
    The report is a page; it is stored beside the games, where `teahouse serve` shows it too. Ctrl-C
    stops and reports on the games so far; the same command continues.
    """
    chosen = load_game(game, option)
    where = folder or default_folder(chosen, seed)
    outputs = [(html, Report.html), (markdown, Report.markdown), (csv, Report.to_csv)]
    printing = check_outputs((path for path, _ in outputs), as_json)
    console = Console(stderr=printing)
    try:
        with (
            open_executor(jobs if ray else jobs or PROCESSORS, ray) as executor,
            interruptible(PATIENCE) as cancel,
            _progress(executor) as show,
        ):

            def play() -> Report:
                return make_report(
                    chosen,
                    precision=precision,
                    seconds=seconds,
                    folder=where,
                    jobs=executor.capacity,
                    seed=seed,
                    progress=show,
                    cancel=cancel,
                    executor=executor,
                )

            found = until_interrupted(play)
    except PlanCancelled:
        print("Stopped before the first game was stored.", file=sys.stderr)
        raise typer.Exit(130) from None
    store_report(found, where)
    write_output(where / "report.html", found.html())
    for path, text in outputs:
        if path is not None:
            write_output(path, text(found))
    if as_json:
        print(found.to_json())
    if not printing:
        _print(console, found)
    console.print(f"Page: {html or where / 'report.html'}", soft_wrap=True, highlight=False)
    if cancel.is_set():
        console.print("Stopped. Run the same command to continue.")
        raise typer.Exit(130)
    if not found.complete:
        console.print(f"The {seconds:g} seconds are over. Run the same command to continue.")


@contextmanager
def _progress(executor: Executor) -> Iterator[Callable[[ReportProgress], None]]:
    """Show a bar with the games played and the time left on the error stream."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, left="")
        first = True

        def show(now: ReportProgress) -> None:
            nonlocal first
            if not now.games:
                bar.update(task, description=now.stage)
                return
            if first and now.done:
                bar.console.print(f"Continuing after {now.done:,} games.")
            first = False
            left = "" if now.seconds_left is None else f" {duration(now.seconds_left)} left"
            status = executor.status()
            bar.update(
                task,
                description=now.stage,
                completed=now.done,
                total=now.games,
                left=f"{now.done:,} of {now.games:,} games{left}{'; ' if status else ''}{status}",
            )

        yield show


def _print(console: Console, found: Report) -> None:
    """Print the figures, the best openings and the warnings."""
    samples = list(dict.fromkeys(one.sample for one in found.figures if _in_table(one)))
    table = Table(title=f"{found.game.title}", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("mean, 95 % interval", min_width=18)
    for sample in samples:
        games = max(one.count for one in found.figures if one.sample == sample)
        table.add_column(f"{sample}\n{count_text(games, 'game')}", justify="right")
    rows: dict[str, dict[str, Figure]] = {}
    for figure in found.figures:
        if _in_table(figure):
            rows.setdefault(figure.measure, {})[figure.sample] = figure
    section = ""
    for key, row in rows.items():
        first = next(iter(row.values()))
        if key == "length.unfinished" and not any(one.value for one in row.values()):
            continue
        if first.section != section:
            section = first.section
            table.add_section()
        label = f"{first.label}, {first.unit}" if first.unit else first.label
        table.add_row(label, *(_cell(row.get(sample)) for sample in samples))
    console.print(table if samples else f"{found.game.title}: no figures yet.")
    for figure in found.figures:
        if not figure.sample:
            digits = decimals(figure.low, figure.high)
            bounds = f"{number(figure.low, digits)} to {number(figure.high, digits)}"
            value = with_unit(number(figure.value, digits), figure.unit)
            console.print(f"{figure.label}: {value} ({bounds})", highlight=False)
    for opening in found.openings[:SHOWN_OPENINGS]:
        console.print(
            f"Opening {' '.join(opening.moves)}: the first side scores {opening.value:.0f} % "
            f"({opening.low:.0f} to {opening.high:.0f}, {count_text(opening.count, 'game')})",
            highlight=False,
            markup=False,
        )
    for sentence in found.plan:
        console.print(sentence, highlight=False, style="dim")
    for warning in found.warnings:
        console.print(f"Warning: {warning}", highlight=False, style="bold")


def _in_table(figure: Figure) -> bool:
    """Return whether a figure is one of the short table: no quantile, no match."""
    quantile = figure.measure.rpartition(".")[2].startswith("q")
    return bool(figure.sample) and "against" not in figure.sample and not quantile


def _cell(figure: Figure | None) -> str:
    """Return a value with its interval: ± if it is about the middle, else how far up and down."""
    if figure is None:
        return ""
    digits = min(1, decimals(figure.low, figure.high))
    up, down = figure.high - figure.value, figure.value - figure.low
    if min(up, down) > EVEN * max(up, down) or up == down:
        parts = [f"± {number(max(up, down), digits)}"]
    else:
        digits = 0 if max(up, down) >= 1 else 1
        parts = [f"{sign}{number(half, digits)}" for sign, half in (("+", up), (MINUS, down))]
        parts = [part for part in parts if part.strip("+0." + MINUS)]
    return " ".join([number(figure.value, digits), *parts])
