"""`teahouse arena`: a match between bots, with its progress, tables and plot."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

import teahouse as th
from teahouse.core.executor import Executor
from teahouse.core.files import data_folder, write_atomic
from teahouse.search.arena import MatchProgress, MatchResults, Sprt, play_match
from teahouse.search.arena.match import OPENING_PLIES
from teahouse.search.arena.plot import elo_bars, elo_plot
from teahouse.search.arena.ratings import Estimate
from teahouse.search.levels import player_text
from teahouse.terminal.commands.common import (
    GameName,
    Jobs,
    Json,
    Options,
    Ray,
    Seed,
    duration,
    examples,
    load_game,
    open_executor,
    print_json,
)
from teahouse.terminal.commands.completion import player_texts

EXAMPLES = examples(
    "teahouse arena GAME level3 level5",
    "teahouse arena GAME level5 random uct:simulations=1000 --games 200 -j 2",
    "teahouse arena GAME level4 uct:seconds=0.1 --sprt 0 20 --json",
    "teahouse arena GAME level3 python:my_agent.py:choose",
    "teahouse arena GAME level3 level5 --games 10000 --ray auto",
)
TABLE_MARGINS = 2
COLUMN_GAP = 3
MIN_NAME_WIDTH = 12


def arena(
    game: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="A B …",
            help="level1 to level8, greedy, random, network, uct:simulations=1000, "
            "python:FILE.py:NAME (your function or class), 'ugi:PROGRAM' (an engine)",
            autocompletion=player_texts,
        ),
    ],
    games: Annotated[
        int,
        typer.Option(min=1, help="games of each pair of players, rounded up to complete rounds"),
    ] = 100,
    option: Options = None,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="only A plays each of the others")
    ] = False,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="ELO0 ELO1",
            help="end the match when an SPRT of ELO0 against ELO1 for A minus B is decided",
        ),
    ] = None,
    opening: Annotated[
        int, typer.Option(min=0, help="random plies of the opening, the same for all pairs")
    ] = OPENING_PLIES,
    jobs: Jobs = None,
    ray: Ray = None,
    seed: Seed = 0,
    folder: Annotated[
        Path | None,
        typer.Option(help="where games are stored; by default one folder for each match"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a match between bots, or continue one that was interrupted."""
    chosen = load_game(game, option)
    where = folder or _default_folder(chosen, players, gauntlet, opening, seed)
    console = Console(stderr=as_json)
    with open_executor(jobs, ray) as executor, _Display(executor) as display:
        try:
            results = play_match(
                chosen,
                players,
                games,
                where,
                executor=executor,
                seed=seed,
                gauntlet=gauntlet,
                opening=opening,
                sprt=Sprt(*sprt) if sprt else None,
                progress=display.show,
            )
        except KeyboardInterrupt:
            if display.last is None:
                raise
            results = display.last.results
            display.console.print("Stopped. Run the same command to continue.")
    if as_json:
        print_json(results.json())
    elif results.games:
        _print(console, results)
    if results.games:
        write_atomic(where / "elo.svg", elo_plot(results))
        if not as_json:
            console.print(f"Plot: {where / 'elo.svg'}", soft_wrap=True)
    console.print(f"Games: {where}", soft_wrap=True)
    if (
        display.last
        and display.last.done < display.last.games
        and not results.sprt_status().accepted
    ):
        raise typer.Exit(130)


def _default_folder(
    game: th.Game, players: list[str], gauntlet: bool, opening: int, seed: int
) -> Path:
    """Return the user's folder for a match with these settings."""
    key = repr((game, players, gauntlet, opening, seed)).encode()
    return data_folder() / "arena" / f"{game.name}-{hashlib.sha256(key).hexdigest()[:12]}"


class _Display:
    """A progress bar with the score so far, on the error stream."""

    def __init__(self, executor: Executor) -> None:
        self.console = Console(stderr=True)
        self.last: MatchProgress | None = None
        self._executor = executor
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            console=self.console,
        )
        self._task = self._bar.add_task("games", total=None, left="")
        self._live = Live(self._bar, console=self.console, transient=True, refresh_per_second=4)

    def __enter__(self) -> _Display:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, progress: MatchProgress) -> None:
        """Update the bar and the scores."""
        if self.last is None and progress.done:
            self.console.print(f"Continuing after {progress.done} games.")
        self.last = progress
        left = "" if progress.seconds_left is None else f"{duration(progress.seconds_left)} left"
        self._bar.update(self._task, completed=progress.done, total=progress.games, left=left)
        results = progress.results
        lines = []
        if results.games:
            for row in results.standings():
                lines.append(f"{row.label}: {row.score.value:.1%} ({_interval(row.score)} %)")
        if results.sprt:
            lines.append(f"LLR: {results.sprt_status().llr:+.2f} of ±{results.sprt.bound:.2f}")
        if status := self._executor.status():
            lines.append(f"Nodes: {status}")
        self._live.update(Group(*map(Text, lines), self._bar))


def _interval(score: Estimate) -> str:
    return f"{100 * score.low:.1f}–{100 * score.high:.1f}"


def _print(console: Console, results: MatchResults) -> None:
    """Print the tables of a match."""
    rows = results.standings()
    console.print(_standings_table(results, console.width))

    if len(rows) > 2:
        console.print(_cross_table(results))
    for line in elo_bars(rows):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"{results.draws:.1%} draws, {results.plies:.1f} plies per game."
        + ("" if results.elo_exists else " A player won or lost all games: Elo is only a bound.")
    )
    failures = Counter(player for result in results.games for player, _ in result.failures)
    for player, count in failures.items():
        last = next(
            text
            for result in reversed(results.games)
            for index, text in result.failures
            if index == player
        )
        console.print(
            f"{results.players[player]} failed in {count} games. The last time: {last}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    if results.sprt:
        _print_sprt(console, results, results.sprt)


def _standings_table(results: MatchResults, width: int) -> Table:
    """Return the table of the players, with the columns that the terminal has room for."""
    rows = results.standings()
    table = Table(
        title=f"{results.game.title}: {len(results.games)} games", box=SIMPLE_HEAD, pad_edge=False
    )
    columns = {
        "Elo": [f"{row.elo.value:+.0f} ± {row.elo.high - row.elo.value:.0f}" for row in rows],
        "score, 95 %": [f"{100 * row.score.value:.1f} ({_interval(row.score)})" for row in rows],
        "W/D/L": [f"{row.wins}/{row.draws}/{row.losses}" for row in rows],
        "s/move": [
            f"{row.seconds:.4f}" if row.seconds < 0.1 else f"{row.seconds:.2f}" for row in rows
        ],
        "sims/\nmove": [f"{row.simulations:,.0f}" for row in rows],
    }
    if not any(row.simulations for row in rows):
        columns.popitem()
    left = width - TABLE_MARGINS
    for name, cells in list(columns.items()):
        taken = COLUMN_GAP + max(map(len, [*name.split("\n"), *cells]))
        if left - taken < MIN_NAME_WIDTH:
            del columns[name]
        else:
            left -= taken
    table.add_column("player", overflow="fold")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for place, row in enumerate(rows):
        cells = [column[place] for column in columns.values()]
        table.add_row(Text(_broken(row.label, left)), *cells)
    return table


def _broken(name: str, width: int) -> str:
    """Return a player's name in lines of at most `width` characters, broken after punctuation.

    >>> _broken("python:my_agent.py:choose", 20)
    'python:my_agent.py:\\nchoose'
    """
    lines = [""]
    for part in re.split(r"(?<=[:,.=/_ ])", name):
        if lines[-1] and len(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _print_sprt(console: Console, results: MatchResults, sprt: Sprt) -> None:
    status = results.sprt_status()
    elo0, elo1 = f"{sprt.elo0:+g}", f"{sprt.elo1:+g}"
    conclusion = {
        None: "no decision yet",
        "H1": f"H1 accepted: {results.players[0]} is {elo1} Elo rather than {elo0}",
        "H0": f"H0 accepted: {results.players[0]} is {elo0} Elo rather than {elo1}",
    }[status.accepted]
    console.print(f"SPRT after {status.rounds} rounds (LLR {status.llr:+.2f}): {conclusion}.")


def _cross_table(results: MatchResults) -> Table:
    """Return the table of head-to-head scores."""
    order = [results.players.index(row.player) for row in results.standings()]
    table = Table("score in %", title="Head to head", box=SIMPLE_HEAD, pad_edge=False)
    for place in range(len(order)):
        table.add_column(f"vs {place + 1}", justify="right", no_wrap=True)
    for place, player in enumerate(order, 1):
        cells = []
        for other in order:
            met = player != other and results.round_scores(player, other)
            cells.append(f"{100 * results.head_to_head(player, other).value:.1f}" if met else "–")
        table.add_row(f"{place} {player_text(results.players[player])}", *cells)
    return table
