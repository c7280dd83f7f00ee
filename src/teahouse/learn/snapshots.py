"""Snapshots of a run: its network after 30 seconds, 1, 2, 4 … minutes, to track progress."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from teahouse.core.files import write_atomic
from teahouse.learn.checkpoint import Checkpoint, CheckpointError, WriteError

SNAPSHOTS = "snapshots"
FIRST_SECONDS = 30.0


@dataclass(frozen=True)
class Snapshot:
    """The network of a run at one time."""

    game: str
    options: dict[str, Any]
    settings: dict[str, Any]
    average: dict[str, Any]
    """Moving average of the weights: what plays."""
    seconds: float
    """Training time so far."""
    updates: int


def next_snapshot(seconds: float) -> float:
    """Return the training time of the first snapshot after `seconds`."""
    due = FIRST_SECONDS
    while due <= seconds:
        due *= 2
    return due


def save_snapshot(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write the network of a checkpoint in half precision; return its file."""
    values = {one.name: getattr(checkpoint, one.name) for one in fields(Snapshot)}
    values["average"] = {
        name: weights.half() if weights.is_floating_point() else weights
        for name, weights in checkpoint.average.items()
    }
    buffer = io.BytesIO()
    torch.save(values, buffer)
    path = folder / SNAPSHOTS / f"{round(checkpoint.seconds):06}.pt"
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, buffer.getvalue())
    except OSError as error:
        raise WriteError(folder, path, error) from error
    return path


def load_snapshot(path: Path) -> Snapshot:
    """Return a snapshot; raise `CheckpointError` if the file is not one."""
    try:
        return Snapshot(**torch.load(path, map_location="cpu", weights_only=True))
    except Exception as error:  # PyTorch's message suggests loading the file unsafely
        raise CheckpointError(f"{path} is not a readable snapshot of a run.") from error
