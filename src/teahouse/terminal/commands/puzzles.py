"""`teahouse puzzles`: make puzzles from games."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated

import typer

import teahouse as th
from teahouse.core.executor import Executor
from teahouse.core.files import check_writable, data_folder, try_lock, write_atomic
from teahouse.search.puzzles.generator import GameSource, bot_games, record_games, search_games
from teahouse.search.puzzles.prover import MAX_SEARCH_MOVES
from teahouse.search.puzzles.puzzle import FILE
from teahouse.search.puzzles.selection import select
from teahouse.search.puzzles.work_folder import Candidate, WorkFolder
from teahouse.terminal.commands.common import (
    GameName,
    Jobs,
    Json,
    Options,
    Ray,
    Seed,
    examples,
    load_game,
    open_executor,
    print_json,
    progress_bar,
)
from teahouse.terminal.interrupts import PATIENCE, interruptible

EXAMPLES = examples(
    "teahouse puzzles GAME --games 200",
    "teahouse puzzles GAME --records matches/ --games 0 --out puzzles.jsonl",
    "teahouse puzzles GAME --games 5000 --ray auto",
)


def puzzles(
    game: GameName,
    games: Annotated[int, typer.Option(min=0, help="games between bots to search")] = 100,
    records: Annotated[
        list[Path] | None,
        typer.Option(help="folder with records, as the arena writes them; repeatable"),
    ] = None,
    option: Options = None,
    count: Annotated[int, typer.Option(min=1, help="puzzles to select")] = 200,
    effort: Annotated[
        int, typer.Option(min=1, help="moves that may be generated to prove one move")
    ] = MAX_SEARCH_MOVES,
    folder: Annotated[
        Path | None,
        typer.Option(help="where the work is kept; by default one folder for each game"),
    ] = None,
    out: Annotated[Path, typer.Option(help="file to write")] = Path(FILE),
    jobs: Jobs = None,
    ray: Ray = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Make puzzles from games: prove, rate and select positions with one right move.

    Ctrl-C stops the search; the same command resumes. Games that were searched with less
    --effort are searched again. Puzzles that were found with
    other options in the same folder are selected too.
    """
    chosen = load_game(game, option)
    where = folder or data_folder() / "puzzles" / chosen.name
    for path in records or ():
        if not path.is_dir():
            raise th.OptionError(f"{path} is not a folder.")
    check_writable(out)
    sources = [*record_games(records or []), *bot_games(games, seed)]
    with open_executor(jobs, ray) as executor:
        complete = _search(chosen, sources, where, effort, executor, quiet=as_json)
    selected = select(_stored(chosen, where), count)
    write_atomic(out, "".join(f"{one.text()}\n" for one in selected))
    if as_json:
        print_json({"puzzles": len(selected), "file": str(out), "complete": complete})
    else:
        print(f"{len(selected)} puzzles: {out}")
    if not complete:
        print("Stopped. Run the same command to continue.", file=sys.stderr)
        raise typer.Exit(130)


def _search(
    game: th.Game,
    sources: list[GameSource],
    folder: Path,
    effort: int,
    executor: Executor,
    *,
    quiet: bool,
) -> bool:
    """Search games until all are done; return whether they are."""
    work = WorkFolder(folder / _key(game), game)
    lock = try_lock(folder / "lock")
    if lock is None:
        raise th.OptionError(f"Another process makes puzzles in {folder}.")
    done = found = 0
    try:
        with (
            progress_bar(f"{game.title} games", quiet=quiet, note=executor.status) as step,
            interruptible(PATIENCE) as cancel,
        ):

            def report(candidates: list[Candidate]) -> None:
                nonlocal done, found
                done, found = done + 1, found + len(candidates)
                step(done, len(sources))

            search_games(game, sources, work, report, cancel, effort, executor)
    except KeyboardInterrupt:  # games that were searched are stored
        pass
    finally:
        lock.release()
    print(f"{done} of {len(sources)} games searched, {found} candidates.", file=sys.stderr)
    return done == len(sources)


def _key(game: th.Game) -> str:
    """Return the name of the folder for a game with its options."""
    return hashlib.sha256(repr(game).encode()).hexdigest()[:12]


def _stored(game: th.Game, folder: Path) -> list[tuple[th.Game, Candidate]]:
    """Return all candidates of a game below a folder, with the options they were found with.

    They are in the order of the games' names, since games end in any order.
    """
    found = []
    for path in sorted(folder.iterdir()):
        stored = WorkFolder.open(path)
        if stored is not None and stored.game.name == game.name:
            games = sorted(stored.read().items(), key=lambda item: (len(item[0]), item[0]))
            found += [(stored.game, one) for _, searched in games for one in searched.found]
    return found
