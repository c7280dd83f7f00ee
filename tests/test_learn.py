"""Self-play, training runs and their files, on a CPU and the smallest board."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.command_runs import Run
from support.training import SMALL, settings, smallest

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
from teahouse.learn.network import NetworkShape, PolicyValueNetwork
from teahouse.learn.rows import NetworkGames, TrainedNetwork
from teahouse.learn.selfplay import SelfPlay, SelfPlaySettings, schedule
from teahouse.learn.trainer import Report, Trainer, TrainingError, check_device
from teahouse.rl.data import Dataset
from teahouse.rl.data.generate import summarize, write_shards
from teahouse.search.networks import load_network
from teahouse.search.proof.solve import solve

COMMAND = (
    *("train", "orochi", "-o", "side=2", "--device", "cpu", "--minutes", "0.01"),
    *("--games", "8", "--blocks", "1", "--channels", "4"),
)


def uniform(game: th.Game) -> Any:
    """Return an evaluator that knows nothing."""
    actions = PolicyValueNetwork(game, NetworkShape(1, 4)).policy.source.numel()

    def evaluate(planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        sides = len(game.teams)
        return torch.zeros(len(planes), actions), torch.full((len(planes), sides), 1 / sides)

    return evaluate


def play(game: th.Game, steps: int, seed: int = 1, chosen: SelfPlaySettings = SMALL) -> SelfPlay:
    selfplay = SelfPlay(game, chosen, uniform(game), "cpu", seed)
    for _ in range(steps):
        selfplay.search()
        selfplay.act()
    return selfplay


def test_schedule_halves_the_considered_actions() -> None:
    row = schedule(4, 8)[4, 1:]
    assert list(row) == [0, 0, 0, 0, 1, 1, 2, 2]
    assert list(schedule(4, 5)[1, 1:]) == [0, 1, 2, 3, 4]


def test_the_same_seed_gives_the_same_games() -> None:
    first, again, other = (play(smallest(), 12, seed) for seed in (1, 1, 2))
    assert first.arrays["replay_states"].tobytes() == again.arrays["replay_states"].tobytes()
    assert first.arrays["replay_states"].tobytes() != other.arrays["replay_states"].tobytes()


def test_rows_are_complete_distributions() -> None:
    selfplay = play(smallest(), 24)
    sample = selfplay.sample(200, torch.Generator().manual_seed(1))
    assert sample.weights.sum() > 100
    assert torch.allclose(sample.policies.sum(1), torch.ones(200))
    assert torch.allclose(sample.values.sum(1), torch.ones(200))
    assert selfplay.statistics()["games"] > 10


def test_small_searches_expand_roots_with_many_actions() -> None:
    selfplay = play(smallest(), 12, chosen=replace(SMALL, simulations=2, edges_per_node=1))
    filled = selfplay.arrays["policies"][:12]
    assert filled.sum(axis=2) == pytest.approx(np.ones(filled.shape[:2]))
    assert selfplay.statistics()["games"] > 0


def test_proven_values_are_exact() -> None:
    game = smallest()
    selfplay = play(game, 24, chosen=replace(SMALL, simulations=40))
    exact = np.array(selfplay.arrays["exact"])
    states = selfplay.arrays["replay_states"].reshape(exact.shape)
    rows = np.argwhere(exact)
    assert len(rows) > 20
    for row, number in rows[:40]:
        position = th.Position(game, states[row, number].tobytes(), 0)
        won = solve(position).value == "win"
        target = selfplay.arrays["targets"][row, number]
        assert list(target) == ([1.0, 0.0] if won else [0.0, 1.0])


def test_the_target_policy_of_a_won_position_keeps_it_won() -> None:
    game = smallest()
    selfplay = play(game, 24, chosen=replace(SMALL, simulations=40))
    exact = np.array(selfplay.arrays["exact"])
    states = selfplay.arrays["replay_states"].reshape(exact.shape)
    checked = 0
    for row, number in np.argwhere(exact):
        if selfplay.arrays["targets"][row, number, 0] != 1.0:
            continue
        position = th.Position(game, states[row, number].tobytes(), 0)
        policy = selfplay.arrays["policies"][row, number]
        for text in position.legal:
            move = position.move(text)
            action = game_action(game, position, move)
            if policy[action] > 0:
                after = position.play(text)
                if after.over:
                    assert position.player in after.winners
                else:
                    same = after.player == position.player
                    assert solve(after).value == ("win" if same else "loss")
                checked += 1
    assert checked > 10


def game_action(game: th.Game, position: th.Position, move: int) -> int:
    from teahouse.core.encoding import encoded_rules

    return int(encoded_rules(game).action(game.board, position.unpack(), move, 0))


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


def test_a_torn_line_of_the_log_is_dropped(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text('{"seconds": 1.0}\n{"sec')
    list(Trainer(smallest(), tmp_path, settings(), "cpu").run(steps=1))
    lines = (tmp_path / LOG).read_text().splitlines()
    assert [json.loads(line).get("step") for line in lines] == [None, 1]


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "options"),
    [("fillit", {"mode": "3"}), ("fillit", {"mode": "teams"}), ("oolong", {}), ("toot", {})],
)
def test_every_game_plays_itself(name: str, options: dict[str, Any]) -> None:
    game = th.load(name, **options)
    chosen = SelfPlaySettings(games=4, simulations=4, considered=4, ring=16, opening=60)
    selfplay = play(game, 16, chosen=chosen)
    sample = selfplay.sample(64, torch.Generator().manual_seed(1))
    assert torch.allclose(sample.policies.sum(1), torch.ones(64))
    assert torch.allclose(sample.values.sum(1), torch.ones(64))


def test_a_network_writes_training_data_with_its_policies(tmp_path: Path) -> None:
    game = smallest()
    source = NetworkGames(
        game, TrainedNetwork(uniform(game), "0"), seed=1, device="cpu", shard_games=4, simulations=8
    )
    folders = [write_shards(source, games, tmp_path / "data", None, None) for games in (3, 6)]
    again = write_shards(source, 6, tmp_path / "again", None, None)
    assert [path.read_bytes() for path in again.shards()] == [
        path.read_bytes() for path in folders[1].shards()
    ]
    assert summarize(again)["games"] == 6
    data = Dataset(tmp_path / "data")
    samples = data[:]
    assert set(samples.game) == set(range(6))
    assert samples.policy.sum(1) == pytest.approx(np.ones(len(data)), abs=0.01)
    assert not samples.policy[~samples.legal].any()
    assert samples.legal[np.arange(len(data)), samples.action].all()
    assert set(np.abs(samples.reward)) == {1.0}
    with pytest.raises(CheckpointError, match=r"has no checkpoint.pt"):
        TrainedNetwork.load(game, tmp_path, "cpu")
