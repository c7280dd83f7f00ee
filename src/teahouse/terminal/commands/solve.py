"""`teahouse solve`: the exact value of a position, with a proof."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

import teahouse as th
from teahouse.core.files import check_writable, write_atomic
from teahouse.search.proof.moves import WORTH_BUILDING, MoveSolver, unsolved, value_of_move
from teahouse.search.proof.solve import DEFAULT_DEPTH, Solution, SolveProgress
from teahouse.search.proof.solve import solve as solve_position
from teahouse.search.proof.strategy import strategy_lines
from teahouse.search.result import Proof
from teahouse.search.tablebase import build_tablebase, find_tablebase, position_count
from teahouse.terminal.commands.common import (
    Jobs,
    Json,
    Options,
    Ray,
    Seed,
    examples,
    exit_if_interrupted,
    load_game,
    open_executor,
    progress_bar,
    read_record,
)
from teahouse.terminal.commands.completion import game_names
from teahouse.terminal.interrupts import PATIENCE, interruptible

EXAMPLES = examples(
    "teahouse solve GAME -o NAME=VALUE --seconds 60",
    "teahouse solve --record game.txt --at 20 --moves -j 4",
    "teahouse solve --record game.txt --proof proof.txt --json",
    "Exit code 3: not solved within the limits.",
)
NOT_SOLVED = 3
POLL_SECONDS = 0.1  # a signal is handled at the latest then


def solve(
    game: Annotated[
        str, typer.Argument(help="name of the game", metavar="GAME", autocompletion=game_names)
    ] = "",
    position: Annotated[
        str | None, typer.Option(help="position text; default: the start of the game")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="record file: its last position, or the one --at a ply")
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=0, help="number of moves of the record to play")
    ] = None,
    option: Options = None,
    moves: Annotated[bool, typer.Option("--moves", help="solve every move too")] = False,
    proof: Annotated[Path | None, typer.Option(help="write the proof to this file")] = None,
    seconds: Annotated[float | None, typer.Option(help="time limit")] = None,
    memory: Annotated[int, typer.Option(min=1, help="megabytes of memory")] = 256,
    depth: Annotated[int, typer.Option(min=1, help="maximum depth in plies")] = DEFAULT_DEPTH,
    tablebase: Annotated[
        bool, typer.Option(help="build and use the game's tablebase, where it has one")
    ] = True,
    jobs: Jobs = None,
    ray: Ray = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Solve a small position; Ctrl-C stops and prints what is proven.

    Games with a tablebase for their options build it the first time, and then answer at once.
    --jobs and --ray solve the --moves at the same time; the search of one position does not split.
    """
    start = _position(game, option, position, record, at, seed)
    if start.over:
        raise th.OptionError("The game is over; there is nothing to solve.")
    if proof is not None:
        check_writable(proof)
    if ray is not None or (jobs or 1) > 1:
        if not moves or proof is not None:
            raise th.OptionError(
                "--jobs and --ray need --moves and exclude --proof: the moves of a position are "
                "solved at the same time, but the search of one position does not split."
            )
        solver = MoveSolver(start, seconds, memory, depth, tablebase)
        with interruptible(PATIENCE) as cancel:
            solution, after = _solve_moves(solver, jobs, ray, cancel, quiet=as_json)
        _print(solution, after, as_json)
        _end(solution, cancel)
        return
    console = Console(stderr=True)
    tablebase = tablebase and proof is None  # a proof is a strategy, from a search
    if tablebase and position_count(start.game) >= WORTH_BUILDING:
        _build_tablebase(start.game, console)
    with interruptible(PATIENCE) as cancel, _Work(console, cancel, tablebase) as work:
        solution = work.solve(start, seconds, memory, depth)
        after = []
        for move in start.legal if moves else ():
            follower = start.play(move)
            found = None if follower.over else work.solve(follower, seconds, memory, depth)
            after.append((move, value_of_move(start, follower, found)))
        lines = None
        if proof is not None and solution.proven:
            lines = work.prove(solution)
    _print(solution, after, as_json)
    if proof is not None and lines is not None:
        write_atomic(proof, "\n".join(lines) + "\n")
    _end(solution, cancel)


def _end(solution: Solution, cancel: threading.Event) -> None:
    """Exit with the code that says why a solution is not complete."""
    exit_if_interrupted(cancel)
    if not solution.complete:
        raise typer.Exit(NOT_SOLVED)


def _position(
    game: str,
    option: list[str] | None,
    position: str | None,
    record: Path | None,
    at: int | None,
    seed: int,
) -> th.Position:
    """Return the position that the command line names."""
    if record is not None:
        if position is not None:
            raise th.OptionError("--position and --record exclude each other.")
        if option:
            raise th.OptionError("--option needs a game, not a --record, which contains its own.")
        try:
            parsed = read_record(record)
        except th.RecordError as error:
            raise th.OptionError(f"{record}: {error}") from None
        if game and game.lower() != parsed.game.name:
            raise th.OptionError(f"{record} is a record of {parsed.game.name}, not of {game}.")
        if at is not None and at >= len(parsed.positions):
            raise th.OptionError(
                f"--at must be at most {len(parsed.moves)}, the number of moves; got {at}."
            )
        return parsed.position if at is None else parsed.positions[at]
    if at is not None:
        raise th.OptionError("--at is for a --record; without one, --position gives the position.")
    if not game:
        raise th.OptionError(f"Name a game ({', '.join(th.games())}) or a --record.")
    chosen = load_game(game, option)
    if position is None:
        return chosen.start(seed)
    try:
        return chosen.position(position)
    except th.PositionError as error:
        raise th.OptionError(str(error)) from None


def _build_tablebase(game: th.Game, console: Console) -> None:
    """Build the tablebase of a game if it is not there, with a progress bar."""
    if find_tablebase(game) is not None:
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        count = position_count(game)
        task = bar.add_task(f"Building the tablebase: {count:,} positions, once", total=1.0)
        try:
            build_tablebase(game, lambda done: bar.update(task, completed=done))
        except OSError as error:
            raise OSError(
                f"The tablebase cannot be stored: {error}. Solve without it: --no-tablebase"
            ) from None


class _Work:
    """Solves with a progress line; Ctrl-C ends it early."""

    def __init__(self, console: Console, cancel: threading.Event, tablebase: bool) -> None:
        self._tablebase = tablebase
        self._bar = Progress(
            SpinnerColumn(), TextColumn("{task.description}"), console=console, transient=True
        )
        self._task = self._bar.add_task("…")
        self._cancel = cancel

    def __enter__(self) -> _Work:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def solve(
        self, position: th.Position, seconds: float | None, memory: int, depth: int
    ) -> Solution:
        """Solve in a worker thread: the main thread is told of Ctrl-C."""
        found: list[Solution] = []
        failed: list[Exception] = []

        def work() -> None:
            try:
                found.append(
                    solve_position(
                        position,
                        seconds=seconds,
                        memory=memory,
                        depth=depth,
                        progress=self._show,
                        cancel=self._cancel,
                        tablebase=self._tablebase,
                    )
                )
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(POLL_SECONDS)
        if failed:
            raise failed[0]
        return found[0]

    def _show(self, progress: SolveProgress) -> None:
        self._bar.update(
            self._task,
            description=f"{progress.goal}? {progress.nodes:,} positions, {progress.seconds:.0f} s",
        )

    def prove(self, solution: Solution) -> list[str] | None:
        """Return the lines of the proof; None if Ctrl-C ends it, after one of the search."""
        stopped = self._cancel.is_set()

        def show(positions: int) -> None:
            if self._cancel.is_set() and not stopped:
                raise KeyboardInterrupt
            self._bar.update(self._task, description=f"Writing the proof: {positions:,} positions")

        try:
            return list(strategy_lines(solution.strategies(show)))
        except KeyboardInterrupt:
            return None


def _solve_moves(
    solver: MoveSolver, jobs: int | None, ray: str | None, cancel: threading.Event, *, quiet: bool
) -> tuple[Solution, list[tuple[str, Proof | None]]]:
    """Solve a position and its moves at the same time; return the value of each move too."""
    start = solver.position
    children = {move: start.play(move) for move in start.legal}
    tasks = ["", *(move for move, child in children.items() if not child.over)]
    found: dict[str, Solution] = {}
    with (
        open_executor(jobs, ray) as executor,
        progress_bar("Positions", quiet=quiet, note=executor.status) as step,
    ):
        for move, solution in executor.map(solver, tasks, cancel):
            found[move] = solution
            step(len(found), len(tasks))
    values = [
        (move, value_of_move(start, child, found.get(move))) for move, child in children.items()
    ]
    return found.get("") or unsolved(start), values


def _print(solution: Solution, after: list[tuple[str, Proof | None]], as_json: bool) -> None:
    position = solution.position
    if as_json:
        values = {
            "game": position.game.name,
            "options": position.game.options,
            "position": str(position),
            "player": position.game.players[position.player],
            "value": solution.value,
            "proven": solution.describe(),
            "line": solution.line,
            "complete": solution.complete,
            "positions": solution.nodes,
            "seconds": solution.seconds,
            **({"moves": dict(after)} if after else {}),
        }
        print(json.dumps(values, indent=2))
        return
    who = position.game.players[position.player]
    known = {
        "win": f"{who} wins.",
        "loss": f"{who} loses.",
        "draw": "Draw.",
        None: "No player can force a win against all others."
        if solution.complete
        else "Not solved within the limits.",
    }
    print(f"{who} to move: {known[solution.value]}")
    for text in solution.describe():
        print(f"  proven: {text}")
    if solution.line:
        print(f"  line: {' '.join(solution.line)}")
    for move, value in after:
        print(f"  {move:<12} {value or '?'}")
    print(f"{solution.nodes:,} positions in {solution.seconds:.1f} s")
