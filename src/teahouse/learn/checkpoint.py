"""Checkpoints of a training run: everything needed to resume it, written atomically."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from teahouse.core.files import append_line, complete_lines, try_lock, write_atomic
from teahouse.core.game import Game
from teahouse.core.options import format_options

CHECKPOINT = "checkpoint.pt"
LOG = "log.jsonl"
LOCK = "lock"


class CheckpointError(ValueError):
    """A file of a run cannot be used."""


class WriteError(CheckpointError):
    """A file of a run cannot be written, as on a full disk."""

    def __init__(self, folder: Path, path: Path, error: OSError) -> None:
        kept = (
            f"The last checkpoint in {folder} is kept: the same command goes on from there."
            if (folder / CHECKPOINT).exists()
            else f"There is no checkpoint in {folder} yet: the same command starts the run."
        )
        super().__init__(f"Cannot write {path}: {error.strerror}. {kept}")


@dataclass(frozen=True)
class Checkpoint:
    """State of a training run."""

    game: str
    options: dict[str, Any]
    settings: dict[str, Any]
    network: dict[str, Any]
    average: dict[str, Any]
    """Moving average of the weights: what plays."""
    optimizer: dict[str, Any]
    seconds: float
    """Training time so far."""
    updates: int


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; the previous one stays if the disk is full or the process is killed."""
    buffer = io.BytesIO()
    torch.save({one.name: getattr(checkpoint, one.name) for one in fields(Checkpoint)}, buffer)
    try:
        write_atomic(folder / CHECKPOINT, buffer.getvalue())
    except OSError as error:
        raise WriteError(folder, folder / CHECKPOINT, error) from error


def load_checkpoint(folder: Path, game: Game, device: str = "cpu") -> Checkpoint | None:
    """Return the folder's checkpoint, or None; raise `CheckpointError` if it does not fit."""
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    try:
        found = Checkpoint(**torch.load(path, map_location=device, weights_only=True))
        trained = f"{found.game} ({format_options(found.options)})"
    except Exception as error:  # PyTorch's message suggests loading the file unsafely
        raise CheckpointError(
            f"{path} is not a readable checkpoint; delete it to start over, or choose another"
            " folder."
        ) from error
    own = f"{game.name} ({format_options(game.options)})"
    if trained != own:
        raise CheckpointError(f"{path} is for {trained}, not for {own}; choose another folder.")
    return found


def append_log(folder: Path, report: dict[str, Any]) -> None:
    """Append a report to the run's log, one JSON object per line."""
    try:
        append_line(folder / LOG, json.dumps(report))
    except OSError as error:
        raise WriteError(folder, folder / LOG, error) from error


def trim_log(folder: Path, seconds: float) -> None:
    """Drop the reports after this training time, and an incomplete last line.

    A process that was killed has reported more than its last checkpoint has: the resumed run
    trains and reports these seconds again.
    """
    path = folder / LOG
    try:
        lines = complete_lines(path)
        kept = [line for line in lines if _reported(line) <= round(seconds, 1)]
        if kept != lines:
            write_atomic(path, "".join(f"{line}\n" for line in kept))
    except OSError as error:
        raise WriteError(folder, path, error) from error


def _reported(line: str) -> float:
    """Return the training time of a line of the log; 0 if it has none."""
    try:
        return float(json.loads(line)["seconds"])
    except (ValueError, TypeError, KeyError):
        return 0.0


@contextmanager
def locked_run(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder; raise `CheckpointError` if another process does."""
    lock = try_lock(folder / LOCK)
    if lock is None:
        raise CheckpointError(f"Another process is training in {folder}; choose another folder.")
    try:
        yield
    finally:
        lock.release()
