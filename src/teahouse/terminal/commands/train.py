"""`teahouse train`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

import teahouse as th
from teahouse.core.errors import TaskError
from teahouse.core.extras import extra
from teahouse.core.game import non_default_options
from teahouse.core.options import format_options
from teahouse.terminal.commands.common import (
    GameName,
    Json,
    Options,
    check_seed_option,
    examples,
    load_game,
    print_json,
)

if TYPE_CHECKING:
    from teahouse.learn.trainer import Report, Trainer

EXAMPLES = examples(
    "teahouse train GAME --minutes 10",
    "teahouse train GAME --minutes 30 --stop-after 9 --folder runs/GAME",
    "teahouse train GAME --device cpu --minutes 5 --blocks 2 --channels 16",
)
NETWORK_FILE = "network.onnx"


class Device(StrEnum):
    """Where to train."""

    CUDA = "cuda"
    CPU = "cpu"


def train(
    game: GameName,
    option: Options = None,
    minutes: Annotated[
        float, typer.Option(min=0.01, help="training time of the run, all pieces together")
    ] = 10.0,
    stop_after: Annotated[
        float | None,
        typer.Option(min=0.01, help="stop after so many minutes; the same command resumes"),
    ] = None,
    device: Annotated[Device, typer.Option(help="cpu is for the smallest boards")] = Device.CUDA,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="where checkpoint, log and network are kept; default: in runs, named after the "
            "game and its options"
        ),
    ] = None,
    blocks: Annotated[int | None, typer.Option(min=1, max=40, help="residual blocks")] = None,
    channels: Annotated[int | None, typer.Option(min=4, max=512, help="channels")] = None,
    games: Annotated[int | None, typer.Option(min=2, help="games played side by side")] = None,
    threads: Annotated[
        int, typer.Option(min=1, max=64, help="CPU threads of PyTorch, with --device cpu")
    ] = 1,
    seed: Annotated[
        int,
        typer.Option(min=0, help="random seed of weights and games", callback=check_seed_option),
    ] = 1,
    as_json: Json = False,
) -> None:
    """Train a network by self-play, and export it for players.

    A run is a folder. If it has a checkpoint, the run resumes from there; a checkpoint is written
    every minute, at the end and on Ctrl-C.
    """
    with extra("learn", "training"):
        from teahouse.learn.checkpoint import CheckpointError, WriteError
        from teahouse.learn.export import export_network, training_card
        from teahouse.learn.trainer import Trainer, TrainingError, default_settings
    chosen = load_game(game, option)
    where = folder or Path("runs") / _run_name(chosen)
    settings = default_settings(chosen, device.value, minutes, seed, games)
    shape = settings.shape
    settings = replace(
        settings,
        shape=replace(shape, blocks=blocks or shape.blocks, channels=channels or shape.channels),
        threads=threads,
    )
    console, progress = Console(stderr=as_json), Console(stderr=True)
    try:
        with progress.status("Compiling …"):
            trainer = Trainer(chosen, where, settings, device.value)
        if trainer.seconds >= 60 * minutes:
            progress.print("The run is complete; train on with more --minutes.")
        elif trainer.seconds:
            progress.print(f"Resuming after {trainer.seconds / 60:.1f} minutes.")
        report, interrupted = _run(trainer, progress, stop_after)
        card = training_card(asdict(settings), trainer.seconds, trainer.updates)
        with progress.status("Exporting the network (Ctrl-C: not now) …"):
            try:
                export_network(trainer.average, chosen, where / NETWORK_FILE, card)
            except OSError as error:
                raise WriteError(where, where / NETWORK_FILE, error) from None
    except WriteError as error:
        raise OSError(str(error)) from None
    except TrainingError as error:
        raise TaskError(str(error)) from None
    except CheckpointError as error:
        raise th.OptionError(str(error)) from None
    if as_json:
        print_json({"folder": str(where), "report": asdict(report) if report else None})
    options = "".join(f" -o {one}" for one in _options(chosen))
    console.print(f"Network: {where / NETWORK_FILE}", soft_wrap=True)
    console.print(
        f"Try it: teahouse arena {chosen.name}{options} "
        f"network:file={where / NETWORK_FILE} level8 --games 20",
        soft_wrap=True,
    )
    if not trainer.updates:
        console.print("The network is untrained: the run was too short for a gradient step.")
    if trainer.seconds < 60 * minutes:
        console.print("The run is not complete. Run the same command to continue.")
    if interrupted:
        raise typer.Exit(130)


def _options(game: th.Game) -> list[str]:
    text = format_options(non_default_options(game), "\n")
    return text.splitlines()


def _run_name(game: th.Game) -> str:
    return "-".join([game.name, *_options(game)])


def _run(
    trainer: Trainer, console: Console, stop_after: float | None
) -> tuple[Report | None, bool]:
    """Train with a progress display; Ctrl-C saves a checkpoint and stops.

    Return the last report and whether the run was interrupted.
    """
    report: Report | None = None
    with _display(console, trainer) as show:
        try:
            for report in trainer.run(None if stop_after is None else 60 * stop_after):
                show(report)
        except KeyboardInterrupt:
            trainer.save()
            console.print("Stopped; a checkpoint is written.")
            return report, True
    return report, False


@contextmanager
def _display(console: Console, trainer: Trainer) -> Iterator[Callable[[Report], None]]:
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=console,
    )  # fmt: skip
    task = bar.add_task(
        "Training", total=60 * trainer.settings.minutes, completed=int(trainer.seconds)
    )
    with Live(bar, console=console, refresh_per_second=4) as live:

        def show(report: Report) -> None:
            bar.update(task, completed=report.seconds)
            live.update(Group(bar, _table(report)))

        yield show
    if not console.is_terminal:
        console.line()  # Rich ends the display without one


def _table(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_row("positions", f"{report.positions:,}", f"{report.positions_per_second:,.0f}/s")
    table.add_row("games", f"{report.games:,}", f"first side wins {report.first_side:.0%}")
    table.add_row("loss", f"policy {report.policy_loss:.3f}", f"value {report.value_loss:.3f}")
    return table
