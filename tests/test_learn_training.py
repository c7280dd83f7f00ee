"""Training runs and their files, on a CPU and the smallest board."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from support.training import SMALL, play, settings, smallest

import teahouse as th
from teahouse.learn import snapshots
from teahouse.learn.checkpoint import (
    CHECKPOINT,
    LOG,
    CheckpointError,
    load_checkpoint,
    locked_run,
    save_checkpoint,
)
from teahouse.learn.network import NetworkShape
from teahouse.learn.trainer import Trainer, TrainingError, check_device


def test_training_resumes_where_it_stopped(tmp_path: Path) -> None:
    game = smallest()
    first = Trainer(game, tmp_path, settings(), "cpu")
    reports = list(first.run(steps=5))
    assert reports[-1].step == 5
    assert first.updates == 2
    again = Trainer(game, tmp_path, settings(), "cpu")
    assert again.seconds == first.seconds
    assert again.updates == first.updates
    for name, value in first.network.state_dict().items():
        assert torch.equal(value, again.network.state_dict()[name])
    list(again.run(steps=6))
    assert again.seconds > first.seconds
    assert again.updates == first.updates + 3
    lines = (tmp_path / LOG).read_text().splitlines()
    assert len(lines) >= 2
    assert json.loads(lines[-1])["value_loss"] > 0


def test_more_simulations_than_trees_have_room_for_are_refused(tmp_path: Path) -> None:
    most = SMALL.simulations
    with pytest.raises(th.OptionError, match=f"simulations must be an integer from 1 to {most}"):
        Trainer(
            smallest(), tmp_path, replace(settings(), simulations=((0, 4), (0.5, most + 1))), "cpu"
        )
    with pytest.raises(th.OptionError, match=f"simulations must be an integer from 1 to {most}"):
        play(smallest(), 0).search(most + 1)


def test_a_run_is_trained_by_one_process(tmp_path: Path) -> None:
    trainer = Trainer(smallest(), str(tmp_path), settings(), "cpu")
    with locked_run(tmp_path), pytest.raises(CheckpointError, match="Another process is training"):
        next(trainer.run(steps=1))
    assert not (tmp_path / CHECKPOINT).exists()
    list(trainer.run(steps=1))
    assert (tmp_path / CHECKPOINT).exists()


def test_a_full_disk_is_found_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    monkeypatch.setattr("teahouse.learn.checkpoint.write_atomic", full)
    with pytest.raises(CheckpointError, match=r"Cannot write .*checkpoint.pt: No space left"):
        next(trainer.run(steps=1))
    assert trainer.selfplay.step == 0


def test_a_run_does_not_overwrite_what_was_trained_in_the_meantime(tmp_path: Path) -> None:
    game = smallest()
    first, late = (Trainer(game, tmp_path, settings(), "cpu") for _ in range(2))
    list(first.run(steps=5))
    saved = (tmp_path / CHECKPOINT).read_bytes()
    with pytest.raises(CheckpointError, match=r"has trained in .* in the meantime"):
        next(late.run(steps=1))
    assert (tmp_path / CHECKPOINT).read_bytes() == saved
    list(first.run(steps=2))  # it is up to date itself


def test_the_last_report_is_that_of_a_checkpoint(tmp_path: Path) -> None:
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    reports = trainer.run(steps=5)
    assert next(reports).step == 5
    reports.close()  # type: ignore[attr-defined]
    found = load_checkpoint(tmp_path, smallest())
    assert found is not None
    assert found.updates == trainer.updates == 2


def test_steps_are_those_of_the_call(tmp_path: Path) -> None:
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    assert [list(trainer.run(steps=count))[-1].step for count in (3, 3, 1)] == [3, 6, 7]


def test_a_diverged_run_keeps_its_last_checkpoint(tmp_path: Path) -> None:
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    list(trainer.run(steps=2))
    saved = (tmp_path / CHECKPOINT).read_bytes()
    with torch.no_grad():
        next(trainer.network.parameters()).fill_(torch.nan)
    with pytest.raises(TrainingError, match="last checkpoint is unchanged"):
        trainer.save()  # as each minute and at Ctrl-C, between two reports
    with pytest.raises(TrainingError, match="a loss or a weight is not finite"):
        list(trainer.run(steps=1))
    assert (tmp_path / CHECKPOINT).read_bytes() == saved


def test_a_resumed_run_has_its_own_settings_and_device(tmp_path: Path) -> None:
    first = Trainer(smallest(), tmp_path, settings(), "cpu")
    list(first.run(steps=5))
    found = load_checkpoint(tmp_path, smallest())
    assert found is not None
    for group in found.optimizer["param_groups"]:
        group.update(fused=True, capturable=True)  # as written on a GPU
    save_checkpoint(tmp_path, found)
    again = Trainer(smallest(), tmp_path, replace(settings(), weight_decay=0.5), "cpu")
    decays = []
    for group in again._gradient.optimizer.param_groups:
        assert not group["fused"] and not group["capturable"]
        decays.append(group["weight_decay"])
    assert decays == [0.5, 0.0]
    assert again._gradient.optimizer.state_dict()["state"][0]["step"] == first.updates
    list(again.run(steps=5))
    assert again.updates > first.updates


def test_the_log_of_a_killed_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    trainer.seconds = 60.02
    trainer.save()
    (tmp_path / LOG).write_text('{"seconds": 60.0}\n{"seconds": 65.1}\n{"sec')
    list(Trainer(smallest(), tmp_path, settings(), "cpu").run(steps=1))
    lines = (tmp_path / LOG).read_text().splitlines()
    assert [json.loads(line).get("step") for line in lines] == [None, 1]
    list(Trainer(smallest(), tmp_path, settings(), "cpu").run(steps=2))
    assert (tmp_path / LOG).read_text().splitlines()[:-1] == lines


def test_a_snapshot_is_not_newer_than_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = Trainer(smallest(), tmp_path, settings(minutes=10), "cpu")
    trainer.seconds = snapshots.FIRST_SECONDS
    monkeypatch.setattr("teahouse.learn.trainer.next_snapshot", lambda seconds: seconds)
    monkeypatch.setattr("teahouse.learn.trainer.REPORT_SECONDS", 0.0)
    next(trainer.run())  # and the process is killed
    (taken,) = (tmp_path / snapshots.SNAPSHOTS).iterdir()
    found = load_checkpoint(tmp_path, smallest())
    assert found is not None
    assert found.seconds >= snapshots.load_snapshot(taken).seconds


def test_pytorch_has_the_threads_of_the_settings_while_training(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
        assert [torch.get_num_threads() for _ in trainer.run(steps=2)] == [1]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_compiling_is_no_training_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("teahouse.learn.trainer.time.monotonic", lambda: now[0])
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    act = trainer.selfplay.act

    def slow_act() -> None:
        now[0] += 1.0 if trainer.selfplay.step else 1000.0
        act()

    monkeypatch.setattr(trainer.selfplay, "act", slow_act)
    report = list(trainer.run(steps=3))[-1]
    assert report.seconds == 2.0
    assert report.positions_per_second == SMALL.games


def test_unusable_checkpoints_are_errors(tmp_path: Path) -> None:
    game = smallest()
    trainer = Trainer(game, tmp_path, settings(), "cpu")
    trainer.save()
    with pytest.raises(
        CheckpointError, match=r"is for orochi \(side=2\), not for orochi \(side=3\)"
    ):
        load_checkpoint(tmp_path, th.load("orochi", side=3))
    other = replace(settings(), shape=NetworkShape(3, 8))
    with pytest.raises(CheckpointError, match="another shape"):
        Trainer(game, tmp_path, other, "cpu")
    data = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(data[: len(data) // 2])
    with pytest.raises(CheckpointError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path, game)
    assert load_checkpoint(tmp_path / "missing", game) is None


def test_snapshots_are_taken_at_doubling_times() -> None:
    assert [snapshots.next_snapshot(seconds) for seconds in (0, 29, 30, 70, 240)] == [
        *(30, 30, 60, 120, 480)
    ]


def test_a_complete_run_is_not_trained_on(tmp_path: Path) -> None:
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    trainer.seconds = 60 * trainer.settings.minutes
    assert list(trainer.run()) == []
    assert trainer.updates == 0


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from support.command_runs import Run
from support.training import settings, smallest
from teahouse.learn.checkpoint import CheckpointError
from teahouse.learn.trainer import Trainer
trainer = Trainer(smallest(), Path(sys.argv[1]), settings(), "cpu")
trainer.save()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
trainer.seconds = 99.0
try:
    trainer.save()
except CheckpointError as error:
    print(error)
"""


def test_a_full_disk_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=True,
    )
    assert f"The last checkpoint in {tmp_path} is kept" in done.stdout
    found = load_checkpoint(tmp_path, smallest())
    assert found is not None
    assert found.seconds == 0.0
    assert [file.name for file in tmp_path.iterdir()] == [CHECKPOINT]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_a_clear_error() -> None:
    with pytest.raises(th.DeviceError, match="NVIDIA GPU"):
        check_device("cuda")
    with pytest.raises(th.DeviceError, match="devices: cpu, cuda"):
        check_device("tpu")
