"""`teahouse compare`: two rule sets side by side."""

from __future__ import annotations

import re
import time
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import teahouse as th
from teahouse.core.errors import quoted
from teahouse.core.options import parse_options
from teahouse.lab.compare import SAMPLES, SECONDS, CompareProgress
from teahouse.lab.compare import compare as compare_games
from teahouse.lab.comparison import ComparedFigure, Comparison
from teahouse.lab.formatting import count_text, interval_text, value_text, with_unit
from teahouse.lab.pairs import PRECISION, Precision
from teahouse.lab.stored import lab_folder
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
    open_executor,
    until_interrupted,
    write_output,
)
from teahouse.terminal.interrupts import PATIENCE, interruptible

EXAMPLES = examples(
    'teahouse compare GAME --b "NAME=VALUE"',
    'teahouse compare GAME --b "NAME=VALUE" --figures length,seats --precision 5 --jobs 2',
    'teahouse compare GAME --b "NAME=VALUE" --sample "level 5" --precision length.mean=2 --json',
)
RuleSet = Annotated[
    list[str],
    typer.Option(
        metavar="OPTIONS",
        help="options of one rule set, such as 'NAME=VALUE NAME=VALUE'; default: none",
    ),
]


def compare(
    game: GameName,
    a: RuleSet = [],  # noqa: B006 - typer does not change it
    b: RuleSet = [],  # noqa: B006
    option: Options = None,
    figures: Annotated[
        str | None,
        typer.Option(
            metavar="KEYS", help="figures or groups, such as length,seats.draws; default: all"
        ),
    ] = None,
    sample: Annotated[
        list[str] | None,
        typer.Option(
            help=f"games to play: random, level 1 to level 8; default: {' and '.join(SAMPLES)}"
        ),
    ] = None,
    precision: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER | KEY=NUMBER",
            help="half width of the differences' intervals: points of % and % of other figures, "
            f"or of one figure in its unit; default: {PRECISION:g}",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="time limit; 0: none")] = SECONDS,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="seeds of b's games differ from those of a's")
    ] = False,
    seed: Seed = 0,
    jobs: AllJobs = None,
    ray: Ray = None,
    folder: Annotated[
        Path | None, typer.Option(help="where games are stored; default: the user's data folder")
    ] = None,
    html: Output = None,
    markdown: Output = None,
    csv: Output = None,
    as_json: Json = False,
) -> None:
    """Compare two rule sets of a game: figures side by side and what differs for sure.

    Games are played until every difference is as precise as asked or the time is up. All
    differences hold together with 95 %, however often one looks. Ctrl-C stops; every finished game
    is stored, and the same command resumes.
    """
    common = parse_options(option or ())
    rule_sets = [th.load(game, **{**common, **parse_rule_set(texts)}) for texts in (a, b)]
    outputs = [(html, Comparison.html), (markdown, Comparison.markdown), (csv, Comparison.to_csv)]
    printing = check_outputs((path for path, _ in outputs), as_json)
    console = Console(stderr=printing)
    started = time.monotonic()
    with (
        open_executor(jobs if ray else jobs or PROCESSORS, ray) as executor,
        interruptible(PATIENCE) as cancel,
        Console(stderr=True).status("Loading the bots (Ctrl-C: stop)") as status,
    ):
        reached = ""

        def show(now: CompareProgress) -> None:
            nonlocal reached
            if now.looked:
                rows = now.looked.rows
                precise = sum(row.reached for row in rows)
                reached = f"; {precise} of {len(rows)} figures as precise as asked"
            passed = time.monotonic() - started
            left = f", {duration(max(0.0, seconds - passed))} left" if seconds else ""
            text = f"{now.games:,} games{reached}{left}"
            status.update(f"{' – '.join(filter(None, (text, executor.status())))} (Ctrl-C: stop)")

        def play() -> Comparison:
            return compare_games(
                *rule_sets,
                samples=sample or SAMPLES,
                figures=figures.split(",") if figures else None,
                precision=parse_precision(precision or []),
                seconds=seconds or None,
                paired=False if unpaired else None,
                folder=folder or lab_folder(),
                seed=seed,
                progress=show,
                cancel=cancel,
                executor=executor,
            )

        found = until_interrupted(play)
    for path, text in outputs:
        if path is not None:
            write_output(path, text(found))
    if as_json:
        print(found.to_json())
    if not printing:
        _print(console, found)
    if cancel.is_set():
        console.print("Stopped. Run the same command to continue.")
        raise typer.Exit(130)
    if seconds and not found.complete:
        console.print(f"The {seconds:g} seconds are over. Run the same command to continue.")


def parse_rule_set(texts: list[str]) -> dict[str, str]:
    """Parse options separated by spaces, commas or semicolons.

    >>> parse_rule_set(["side=3, first=White", "size=2"])
    {'side': '3', 'first': 'White', 'size': '2'}
    """
    parts = [part for text in texts for part in re.split(r"[\s,;]+(?=\w+=)", text.strip(" ,;"))]
    return parse_options([part for part in parts if part])


def parse_precision(texts: list[str]) -> Precision:
    """Parse half widths: one for all figures, and KEY=NUMBER for some.

    >>> parse_precision(["5", "length.mean=2"])
    Precision(percent=5.0, own={'length.mean': 2.0})
    """
    percent, own = PRECISION, {}
    for text in texts:
        key, sign, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise th.OptionError(f"Expected NUMBER or KEY=NUMBER, got {quoted(text)}.") from None
        if sign:
            own[key] = value
        else:
            percent = value
    return Precision(percent, own)


def _print(console: Console, found: Comparison) -> None:
    """Print a table for each sample, then what differs for sure."""
    a, b = found.names
    console.print(f"{found.a.title}: a is {a}, b is {b}.", markup=False, highlight=False)
    for sample, rows in groupby(found.rows, lambda row: row.sample):
        console.print(_table(sample, list(rows)))
    for warning in found.warnings:
        console.print(f"Warning: {warning}", markup=False, highlight=False)
    for sentence in found.sentences or ("Nothing differs for sure.",):
        console.print(sentence, markup=False, highlight=False)
    missing = [row for row in found.rows if not row.reached]
    if missing:
        console.print(
            f"Not as precise as asked (marked ~): {len(missing)} of "
            f"{count_text(len(found.rows), 'figure')}."
        )


def _table(sample: str, rows: list[ComparedFigure]) -> Table:
    """Return the figures of a sample, with a line between sections."""
    table = Table(title=sample.capitalize(), box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("figure")
    for heading in ("a", "b", "b − a", "interval", "pairs"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for section, figures in groupby(rows, lambda row: row.section):
        if section != rows[0].section:
            table.add_section()
        for row in figures:
            table.add_row(*_cells(row), style="bold" if row.differs else "")
    return table


def _cells(row: ComparedFigure) -> list[str]:
    sign = "differs" if row.differs else ""
    return [
        escape(with_unit(row.label, f"({row.unit})" if row.unit else "")),
        value_text(row.a, row.a_low, row.a_high),
        value_text(row.b, row.b_low, row.b_high),
        value_text(row.difference, row.low, row.high),
        interval_text(row.low, row.high),
        f"{row.count:,}",
        sign if row.reached else f"{sign} ~".strip(),
    ]
