"""`teahouse train`: exit codes, full disks, interrupts."""

from __future__ import annotations

import errno
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.command_runs import Run
from support.training import settings, smallest

from teahouse.learn.checkpoint import (
    CHECKPOINT,
    LOG,
    load_checkpoint,
)
from teahouse.learn.network import NetworkShape
from teahouse.learn.trainer import Report, Trainer, TrainingError
from teahouse.search.networks import load_network

COMMAND = (
    *("train", "orochi", "-o", "side=2", "--device", "cpu", "--minutes", "0.01"),
    *("--games", "8", "--blocks", "1", "--channels", "4"),
)


def test_train_command_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"

    def full(path: Path, content: bytes | str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    def reason(file: str) -> str:
        with monkeypatch.context() as patch:  # kernels are still cached
            for name in (
                "checkpoint.write_atomic",
                "checkpoint.append_line",
                "export.write_atomic",
            ):
                patch.setattr(f"teahouse.learn.{name}", full)
            done = Run(monkeypatch, capsys)(*COMMAND, "--folder", str(folder))
        assert done.returncode == 1
        _, message = done.stderr.split("teahouse: ")
        start = f"Cannot write {folder / file}: No space left on device. "
        assert message.startswith(start)
        return message.removeprefix(start)

    assert reason(CHECKPOINT) == (
        f"There is no checkpoint in {folder} yet: the same command starts the run.\n"
    )
    assert not (folder / CHECKPOINT).exists()
    kept = f"The last checkpoint in {folder} is kept: the same command goes on from there.\n"
    small = replace(settings(), shape=NetworkShape(blocks=1, channels=4))
    trainer = Trainer(smallest(), folder, small, "cpu")
    trainer.save()
    assert reason(LOG) == kept
    trainer.seconds = 60.0  # the run is complete; only the network is written
    trainer.save()
    saved = (folder / CHECKPOINT).read_bytes()
    assert reason("network.onnx") == kept
    assert (folder / CHECKPOINT).read_bytes() == saved
    assert not (folder / "network.onnx").exists()


def test_train_command_fails_if_training_diverges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def diverge(_: Trainer) -> None:
        raise TrainingError("Training diverged.")

    monkeypatch.setattr(Trainer, "_check_finite", diverge)
    done = Run(monkeypatch, capsys)(*COMMAND, "--folder", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.endswith("teahouse: Training diverged.\n")


def test_train_command_saves_at_an_interrupt_while_it_shows_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: Report) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("teahouse.terminal.commands.train._table", interrupt)
    monkeypatch.setattr("teahouse.learn.export.export_network", lambda *_: None)
    done = Run(monkeypatch, capsys)(*COMMAND, "--folder", str(tmp_path))
    assert done.returncode == 130
    assert "Stopped; a checkpoint is written." in done.stderr
    found = load_checkpoint(tmp_path, smallest())
    assert found is not None
    assert found.seconds > 0


def test_train_command(tmp_path: Path) -> None:
    program = str(Path(sys.executable).with_name("teahouse"))
    command = [program, "train", "orochi", "-o", "side=2"]
    done = subprocess.run(
        [*command, "--device", "cpu", "--minutes", "0.02", "--folder", str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "teahouse arena orochi -o side=2 network:file=" in done.stdout
    assert "Training" in done.stderr
    assert "Training" not in done.stdout
    load_network(smallest(), tmp_path / "run" / "network.onnx")
