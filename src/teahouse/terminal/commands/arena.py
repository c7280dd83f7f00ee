"""`teahouse arena`: a match between bots, with its progress, tables and plot."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated

import typer
from platformdirs import user_data_path
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

import teahouse as th
from teahouse.search.arena import ArenaError, Results, play_match
from teahouse.search.arena import Progress as MatchProgress
from teahouse.search.arena.match import OPENING
from teahouse.search.arena.plot import bars, plot
from teahouse.search.arena.ratings import Estimate, Test
from teahouse.terminal.commands.common import (
    GameName,
    Json,
    Options,
    Seed,
    examples,
    load_game,
    print_json,
)

EXAMPLES = examples(
    "teahouse arena GAME level3 level5",
    "teahouse arena GAME level5 random uct:simulations=1000 --games 200 -j 2",
    "teahouse arena GAME level4 uct:seconds=0.1 --sprt 0 20 --json",
)


def arena(
    game: GameName,
    entrants: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …", help="level1 to level8, uct:simulations=1000, uct:seconds=0.1, random"
        ),
    ],
    games: Annotated[
        int, typer.Option(min=1, help="games of every two entrants, rounded up to balance sides")
    ] = 100,
    option: Options = None,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="only A against each of the others")
    ] = False,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="ELO0 ELO1",
            help="stop once it is clear whether A is ELO0 or ELO1 stronger than B",
        ),
    ] = None,
    opening: Annotated[
        int, typer.Option(min=0, help="random decisions at the start, the same for all")
    ] = OPENING,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="games at the same time")] = 1,
    seed: Seed = 0,
    folder: Annotated[
        Path | None, typer.Option(help="where games are kept; one for each match unless given")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let bots play a match; the same command goes on with one that was stopped."""
    chosen = load_game(game, option)
    where = folder or _usual_folder(chosen, entrants, gauntlet, opening, seed)
    console = Console(stderr=as_json)
    with _Display(console) as display:
        try:
            results = play_match(
                chosen,
                entrants,
                games,
                where,
                jobs=jobs,
                seed=seed,
                gauntlet=gauntlet,
                opening=opening,
                test=Test(*sprt) if sprt else None,
                progress=display.show,
            )
        except KeyboardInterrupt:
            if display.last is None:
                raise
            results = display.last.results
            console.print("Stopped. The same command goes on.")
        except ArenaError as error:
            print(f"teahouse: {error}", file=sys.stderr)
            raise typer.Exit(2) from None
    if results.games:
        picture = where / "elo.svg"
        picture.write_text(plot(results), encoding="utf-8")
        if not as_json:
            _print(console, results)
            console.print(f"Plot: {picture}", soft_wrap=True)
    if as_json:
        print_json(results.json())
    console.print(f"Games: {where}", soft_wrap=True)
    if display.last and display.last.done < display.last.games and not results.decided()[0]:
        raise typer.Exit(130)


def _usual_folder(
    game: th.Game, entrants: list[str], gauntlet: bool, opening: int, seed: int
) -> Path:
    """A folder of the user's for this very match."""
    key = repr((game, entrants, gauntlet, opening, seed)).encode()
    return (
        user_data_path("teahouse") / "arena" / f"{game.name}-{hashlib.sha256(key).hexdigest()[:12]}"
    )


class _Display:
    """A progress bar with the score so far."""

    def __init__(self, console: Console) -> None:
        self.last: MatchProgress | None = None
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
        )
        self._task = self._bar.add_task("games", total=None, left="")
        self._live = Live(self._bar, console=console, transient=True, refresh_per_second=4)
        self._console = console

    def __enter__(self) -> _Display:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, progress: MatchProgress) -> None:
        """Show how far the match has come."""
        if self.last is None and progress.done:
            self._console.print(f"Going on: {progress.done} games are played already.")
        self.last = progress
        left = "" if progress.seconds_left is None else f"{duration(progress.seconds_left)} left"
        self._bar.update(self._task, completed=progress.done, total=progress.games, left=left)
        results = progress.results
        lines = []
        if results.games:
            for row in results.rows():
                lines.append(f"{row.entrant}: {row.score.value:.1%} ({_interval(row.score)} %)")
        if results.test:
            _, ratio, _ = results.decided()
            lines.append(f"sequential test: {ratio:+.2f} of ±{results.test.bound:.2f}")
        self._live.update(Group(*map(Text, lines), self._bar))


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _interval(share: Estimate) -> str:
    return f"{100 * share.low:.1f}–{100 * share.high:.1f}"


def _print(console: Console, results: Results) -> None:
    """The tables at the end."""
    rows = results.rows()
    table = Table(
        title=f"{results.game.title}: {len(results.games)} games", box=SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("entrant", overflow="fold")
    names = ["Elo", "score, 95 %", "won/drawn/lost", "s a move"]
    counted = any(row.simulations for row in rows)
    for name in [*names, "sims"] if counted else names:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        cells = [
            row.entrant,
            f"{row.elo.value:+.0f} ± {row.elo.high - row.elo.value:.0f}",
            f"{100 * row.score.value:.1f} ({_interval(row.score)})",
            f"{row.wins}/{row.draws}/{row.losses}",
            f"{row.seconds:.4f}" if row.seconds < 0.1 else f"{row.seconds:.2f}",
        ]
        table.add_row(*cells, *([f"{row.simulations:,.0f}"] if counted else []))
    console.print(table)
    if len(rows) > 2:
        console.print(_cross_table(results))
    for line in bars(rows):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"{results.draws:.1%} drawn, {results.decisions:.1f} decisions a game."
        + ("" if results.elo_exists else " Somebody won or lost everything: Elo is a bound.")
    )
    verdict, ratio, bouts = results.decided()
    if results.test:
        said = {
            None: "nothing yet",
            "high": f"{results.entrants[0]} is {results.test.high:+g} Elo rather than "
            f"{results.test.low:+g}",
            "low": f"{results.entrants[0]} is {results.test.low:+g} Elo rather than "
            f"{results.test.high:+g}",
        }[verdict]
        console.print(f"Sequential test after {bouts} bouts ({ratio:+.2f}): {said}.")


def _cross_table(results: Results) -> Table:
    """Everybody's score against everybody."""
    order = [results.entrants.index(row.entrant) for row in results.rows()]
    table = Table("score in %", title="Each pair", box=SIMPLE_HEAD, pad_edge=False)
    for place in range(len(order)):
        table.add_column(f"vs {place + 1}", justify="right", no_wrap=True)
    for place, one in enumerate(order, 1):
        cells = []
        for other in order:
            met = one != other and results.bouts(one, other)
            cells.append(f"{100 * results.against(one, other).value:.1f}" if met else "–")
        table.add_row(f"{place} {results.entrants[one]}", *cells)
    return table
