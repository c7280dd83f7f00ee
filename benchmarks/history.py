"""The history of figures, `history.csv`, and what all benchmarks with peers share.

    python benchmarks/history.py --plot build/speed.svg

A line is one figure of one commit on one machine; the ratio is that to the peer in the same run.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.box import MARKDOWN
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from teahouse.bench.peers import Peers
from teahouse.bench.suite import HEX, Result, Row, machine, measure

HERE = Path(__file__).parent
HISTORY = HERE / "history.csv"


NAMES = ("game", "peer", "step")
"""Headings of columns that are not numbers."""


@dataclass(frozen=True)
class Entry:
    """A line of the history."""

    date: str
    commit: str
    machine: str
    row: str
    value: float
    peer: str
    """Empty if no other library does the same."""
    ratio: float | None
    """Value over the peer's in the same run."""


@dataclass(frozen=True)
class Arguments:
    """What the command line of a benchmark asks for, and where its tables go."""

    rounds: int
    seconds: float
    save: bool
    console: Console
    style: dict[str, Any]

    def table(self, title: str, *headings: str) -> Table:
        """Return an empty table; all columns but those of names are numbers."""
        table = Table(title=title, **self.style)
        for heading in headings:
            table.add_column(heading, justify="left" if heading in NAMES else "right")
        return table


def parse(description: str | None, rounds: int = 3) -> Arguments:
    """Parse the options that all benchmarks with peers have."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=float, default=1.0, help="per figure and round")
    parser.add_argument("--save", action="store_true", help="append the figures to history.csv")
    given = parser.parse_args()
    style: dict[str, Any] = {"title_justify": "left", "box": MARKDOWN}
    return Arguments(given.rounds, given.seconds, given.save, Console(width=170), style)


def measured(rows: Sequence[Row], arguments: Arguments) -> dict[str, Result]:
    """Measure rows beside their peers, with progress, and save them if asked."""
    results = run(rows, arguments.rounds, arguments.seconds)
    if arguments.save:
        save(results)
    return {result.row.name: result for result in results}


def run(rows: Sequence[Row], rounds: int, seconds: float) -> list[Result]:
    """Measure rows beside all peers, which are installed if missing."""
    wanted = {(row.peer or "").partition(" ")[0] for row in rows}
    peers = Peers(
        _peer_python("openspiel", "pyspiel", ["open_spiel"]) if "OpenSpiel" in wanted else None,
        _peer_python("pgx", "pgx", ["jax", "pgx"]) if "Pgx" in wanted else None,
    )
    try:
        with Progress(transient=True) as bar:
            task = bar.add_task("measuring", total=None)
            return measure(
                rows,
                peers,
                rounds=rounds,
                seconds=seconds,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
    finally:
        peers.close()


def _peer_python(name: str, module: str, packages: list[str]) -> str:
    """Return a Python that has a library: this one, or that of a virtual environment for it."""
    installed = Peers.installed()
    own = installed.openspiel if module == "pyspiel" else installed.pgx
    if own:
        return own
    folder = HERE.parent / f".venv-{name}"
    python = folder / "bin" / "python"
    find = [str(python), "-c", f"import {module}"]
    if not python.exists() or subprocess.run(find, capture_output=True, check=False).returncode:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return str(python)


def save(results: Sequence[Result], where: str | None = None) -> None:
    """Append results to the history, as figures of this commit and machine."""
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    for result in results:
        row, ratio = result.row, result.ratio
        append(
            Entry(
                *(date, commit(), where or machine(), row.name, result.value),
                row.peer or "" if ratio else "",
                ratio,
            )
        )


def save_gpu(row: str, value: float, peer_value: float | None) -> None:
    """Append a figure of this machine's GPU to the history; the peer is Pgx's Hex."""
    from teahouse.core.jit.cuda import cuda_module

    name = cuda_module().get_current_device().name
    where = name.decode() if isinstance(name, bytes) else str(name)
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    ratio = value / peer_value if peer_value else None
    append(Entry(date, commit(), where, f"GPU {row}", value, HEX if ratio else "", ratio))


def append(entry: Entry) -> None:
    """Append a line to the history."""
    new = not HISTORY.exists()
    with HISTORY.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow([field.name for field in fields(Entry)])
        value = float(f"{entry.value:.4g}")
        ratio = "" if entry.ratio is None else f"{entry.ratio:.3g}"
        cells = (*astuple(entry)[:4], f"{value:.0f}", entry.peer, ratio)
        writer.writerow(cells)


def commit() -> str:
    """Return the commit of this checkout, with a + if its code differs from it.

    TEAHOUSE_COMMIT names it where a copy of the files has no Git.
    """
    if "TEAHOUSE_COMMIT" in os.environ:
        return os.environ["TEAHOUSE_COMMIT"]
    git = ("git", "-C", str(HERE))
    name = subprocess.check_output([*git, "rev-parse", "--short=8", "HEAD"], text=True).strip()
    changed = subprocess.check_output([*git, "status", "--porcelain", "--", "../src"], text=True)
    return name + "+" * bool(changed)


def read() -> list[Entry]:
    """Return the history, oldest first."""
    if not HISTORY.exists():
        return []
    with HISTORY.open(newline="", encoding="utf-8") as file:
        return [
            Entry(
                *(line["date"], line["commit"], line["machine"], line["row"]),
                float(line["value"]),
                line["peer"],
                float(line["ratio"]) if line["ratio"] else None,
            )
            for line in csv.DictReader(file)
        ]


def last(entries: Sequence[Entry]) -> Mapping[tuple[str, str], Entry]:
    """Return the latest line of each row that has a ratio, by row and peer."""
    return {(entry.row, entry.peer): entry for entry in entries if entry.ratio is not None}


def main() -> None:
    from history_plot import plot

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the ratios as SVG")
    arguments = parser.parse_args()
    if arguments.plot:
        arguments.plot.parent.mkdir(parents=True, exist_ok=True)
        arguments.plot.write_text(plot(read()), encoding="utf-8")
        return
    for entry in last(read()).values():
        print(f"{entry.row}: {entry.ratio} x {entry.peer} ({entry.commit}, {entry.date})")


if __name__ == "__main__":
    main()
