"""`teahouse warm`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

import teahouse as th
from teahouse.core import jit
from teahouse.core.game import game_info, non_default_options
from teahouse.core.jit.folder import (
    cache_folder,
    configured_folder,
    shares_kernels,
    trust_problem,
)
from teahouse.core.options import format_options
from teahouse.search.prepare import Preparation, prepare_in_background
from teahouse.search.threads import usable_cores
from teahouse.terminal.commands.common import (
    Json,
    Options,
    examples,
    load_game,
    print_json,
)
from teahouse.terminal.commands.completion import game_names

EXAMPLES = examples("teahouse warm", "teahouse warm GAME", "teahouse warm --all")
POLL_SECONDS = 0.2


def warm(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAME]...", help="names of games; default: all", autocompletion=game_names
        ),
    ] = None,
    option: Options = None,
    every: Annotated[
        bool, typer.Option("--all", help="also with the other values of each option")
    ] = False,
    as_json: Json = False,
) -> None:
    """Prepare the computer players: compile their searches before the first game.

    The server and the apps do this by themselves while you play; until then bots are weaker. What
    is compiled stays in the kernel cache, also if you interrupt with Ctrl-C.
    """
    wanted = _wanted(games or th.games(), option, every)
    if jit.interpreted():
        raise th.OptionError("Nothing is compiled with TEAHOUSE_INTERPRETED=1; unset it.")
    configured = configured_folder()
    problem = trust_problem(configured)
    if problem is not None:  # the temporary folder would be deleted at the end
        raise OSError(
            f"Cannot prepare: the kernel cache {configured} is not used: {problem}."
            " Allowed: a folder of your own with mode 700."
        )
    if not shares_kernels():
        raise OSError(f"Cannot prepare: the kernel cache {cache_folder()} cannot be written.")
    preparation = prepare_in_background(wanted, min(usable_cores(), len(wanted)))
    interrupted = False
    try:
        with _progress(preparation, wanted, quiet=as_json) as step:
            while not preparation.wait(POLL_SECONDS):
                step()
    except KeyboardInterrupt:
        interrupted = True
    finally:
        preparation.close()
    fractions = {game: preparation.fraction(game) for game in wanted}
    errors = {game: preparation.error(game) for game in wanted}
    _report(fractions, errors, as_json)
    if interrupted:
        raise typer.Exit(130)
    if any(fraction < 1 for fraction in fractions.values()):
        raise typer.Exit(1)


def _wanted(names: list[str], option: list[str] | None, every: bool) -> list[th.Game]:
    """Return the games to prepare, without duplicates."""
    names = [th.load(name).name for name in names]
    wanted = [load_game(name, option) for name in names]
    if every:
        wanted += [
            th.load(name, **{key: value})
            for name in names
            for key, kind in game_info(name).options.items()
            for value in kind.examples
        ]
    return list(dict.fromkeys(wanted))


@contextmanager
def _progress(
    preparation: Preparation, wanted: list[th.Game], *, quiet: bool
) -> Iterator[Callable[[], None]]:
    """Show a bar for each game on the error stream if that is a terminal; yield its update."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as bars:
        tasks = {game: bars.add_task(_label(game), total=1.0) for game in wanted}

        def step() -> None:
            for game, task in tasks.items():
                bars.update(task, completed=preparation.fraction(game))

        step()
        yield step
        step()


def _report(
    fractions: dict[th.Game, float], errors: dict[th.Game, str | None], as_json: bool
) -> None:
    """Print what is ready and where it is."""
    folder = cache_folder()
    count, size = _contents(folder)
    if as_json:
        entries = [
            {
                "game": game.name,
                "options": dict(game.options),
                "ready": fraction == 1,
                "error": errors[game],
            }
            for game, fraction in fractions.items()
        ]
        print_json({"games": entries, "folder": str(folder), "files": count, "bytes": size})
        return
    for game, fraction in fractions.items():
        state = "ready" if fraction == 1 else errors[game] or f"{int(100 * fraction)} % prepared"
        print(f"{_label(game)}: {state}")
    print(f"Kernel cache: {folder} ({count} files, {size / 1e6:.1f} MB)")


def _label(game: th.Game) -> str:
    changed = format_options(non_default_options(game), ", ")
    return f"{game.title} ({changed})" if changed else game.title


def _contents(folder: Path) -> tuple[int, int]:
    """Return the number of kernels in a folder and their size in bytes."""
    sizes = [entry.stat().st_size for entry in os.scandir(folder) if entry.name.endswith(".bin")]
    return len(sizes), sum(sizes)
