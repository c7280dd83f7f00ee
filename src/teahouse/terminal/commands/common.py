"""Shared by the commands: arguments, positions named on the command line, output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

import typer
from rich.console import Console

import teahouse as th
from teahouse.core.files import check_writable, write_atomic
from teahouse.core.game import game_info
from teahouse.core.options import option_text, parse_options
from teahouse.core.packages import builtin_games
from teahouse.core.validate import check_seed
from teahouse.terminal import interrupts
from teahouse.terminal.commands.completion import game_names, option_texts

if TYPE_CHECKING:
    from threading import Event

    from teahouse.core.executor import Executor

Result = TypeVar("Result")
PROCESSORS = min(8, os.cpu_count() or 1)
"""Processors to use by default; more than 8 hardly make a search stronger."""


def examples(*lines: str) -> str:
    """Return the examples at the end of a command's help, as the first game that works plays them.

    GAME is its name, FIRST and SECOND are seats, MOVES are moves from the start, and NAME=VALUE is
    an option with another value than its default.
    """
    text = "\n\n".join(("Examples:", *lines))
    for name in builtin_games():
        with suppress(Exception):  # of a broken game, which `teahouse games` names
            return _example_of(th.load(name), text)
    return text


def _example_of(game: th.Game, text: str) -> str:
    if "MOVES" in text:
        first = game.start().legal[0]
        text = text.replace("MOVES", f"{first} {game.start().play(first).legal[0]}")
    option, kind = next(iter(game_info(game.name).options.items()))
    value = next(value for value in kind.examples if value != kind.default)
    for word, real in (
        ("GAME", game.name),
        ("FIRST", game.players[0].lower()),
        ("SECOND", game.players[1].lower()),
        ("NAME=VALUE", f"{option}={option_text(value)}"),
    ):
        text = text.replace(word, real)
    return text


GameName = Annotated[
    str, typer.Argument(help="name of the game", metavar="GAME", autocompletion=game_names)
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="option of the game; `teahouse games` lists them",
        autocompletion=option_texts,
    ),
]


def check_seed_option(seed: int | None) -> int | None:
    """Raise `OptionError` if the seed of a command is too large."""
    return None if seed is None else check_seed(seed)


Seed = Annotated[
    int,
    typer.Option(
        help="random seed; the same seed gives the same result", min=0, callback=check_seed_option
    ),
]
Threads = Annotated[int, typer.Option(help="number of threads", min=1, max=64)]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, help="tasks at the same time; default: 1, on a cluster one per core"
    ),
]
AllJobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, help="games at the same time; default: one per core, here at most 8"
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="run on a Ray cluster: HOST:PORT, ray://HOST:PORT, auto, or local to start one",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="print JSON")]
Output = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="also write it to this file, in the format named; - prints"),
]
At = Annotated[
    str | None,
    typer.Option(
        "--position", "-p", metavar="TEXT", help="position text; default: the start of the game"
    ),
]


def load_game(name: str, options: list[str] | None) -> th.Game:
    """Return the game that the command line names."""
    return th.load(name, **parse_options(options or ()))


def load_position(name: str, options: list[str] | None, at: str | None, seed: int) -> th.Position:
    """Return the position that the command line names, by default the start."""
    game = load_game(name, options)
    return game.start(seed) if at is None else game.position(at)


def read_text(path: Path) -> str:
    """Read a file; - is standard input."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as error:
        raise th.OptionError(f"Cannot read {path}: {error.strerror}.") from None
    except UnicodeError:
        raise th.OptionError(f"Cannot read {path}: it is not a text file.") from None


def read_record(path: Path) -> th.Record:
    """Read the record in a file; - is standard input."""
    return th.Record.parse(read_text(path))


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, ensure_ascii=False))


def check_outputs(paths: Iterable[Path | None], as_json: bool) -> bool:
    """Return whether one of the outputs is printed, as a file named - or as JSON.

    Raise `OSError` if a file cannot be written, `OptionError` if several outputs are printed.
    """
    given = [path for path in paths if path is not None]
    for path in given:
        if str(path) != "-":
            check_writable(path)
    printed = sum(str(path) == "-" for path in given) + as_json
    if printed > 1:
        raise th.OptionError("Only one output can be printed; write the others to files.")
    return bool(printed)


def write_output(path: Path, text: str) -> None:
    """Write a file; - is standard output."""
    if str(path) == "-":
        print(text, end="")
    else:
        write_atomic(path, text)


@contextmanager
def open_executor(jobs: int | None, ray: str | None) -> Iterator[Executor]:
    """Yield what runs tasks: processes of this machine, or the Ray cluster at an address.

    What happens to the nodes of the cluster is printed on the error stream.
    """
    if ray is None:
        from teahouse.core.executor import LocalExecutor

        yield LocalExecutor(jobs or 1)
        return
    from teahouse.core.executor.ray_cluster import RayExecutor

    console = Console(stderr=True)

    def notify(sentence: str) -> None:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)

    with console.status("Starting Ray …" if ray == "local" else f"Connecting to {ray} …"):
        executor = RayExecutor(ray, jobs, notify)
    with executor:
        yield executor


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def until_interrupted(work: Callable[[], Result]) -> Result:
    """Return the result of work that stores each step and ends early once Ctrl-C has set its event.

    If Ctrl-C had to break off a long step, do the work again, which then ends at once.
    """
    try:
        return work()
    except KeyboardInterrupt:
        return work()


def exit_if_interrupted(cancel: Event) -> None:
    """Exit with a line and the code of an interrupt if Ctrl-C has set the event."""
    if cancel.is_set():
        print("Interrupted.", file=sys.stderr)
        raise typer.Exit(interrupts.EXIT_CODE)


class Step(Protocol):
    """Reports progress."""

    def __call__(self, done: float, total: float) -> None: ...


@contextmanager
def progress_bar(
    what: str, *, quiet: bool = False, note: Callable[[], str] = str
) -> Iterator[Step]:
    """Show a progress bar on the error stream if that is a terminal, with a note behind it."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    disable = quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=disable) as bar:
        task = bar.add_task(what, total=None, note="")
        yield lambda done, total: bar.update(task, completed=done, total=total, note=note())
