"""Networks: folded, fused, exported, of other shapes, custom."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.training import settings, smallest
from torch import nn

import teahouse as th
from teahouse.learn import snapshots
from teahouse.learn.checkpoint import (
    CHECKPOINT,
    CheckpointError,
)
from teahouse.learn.evaluator import Evaluator
from teahouse.learn.export import export_network, export_snapshots, observations
from teahouse.learn.network import NetworkShape, PolicyValueNetwork
from teahouse.learn.trainer import Trainer, default_settings
from teahouse.search.networks import load_network


def test_folded_network_computes_the_same() -> None:
    game = smallest()
    torch.manual_seed(1)
    network = PolicyValueNetwork(game, NetworkShape(2, 8))
    nn.init.normal_(network.value.weight)
    planes = torch.randint(0, 2, (64, len(network.scale), network.rows * network.columns))
    planes = planes.to(torch.uint8)
    network.train()
    network(planes)  # batch statistics that are not those of a new network
    network.eval()
    evaluator = Evaluator(network, torch.float32)
    with torch.no_grad():
        logits, values, _ = network(planes)
        folded_logits, shares = evaluator(planes)
    assert torch.allclose(logits, folded_logits, atol=1e-4)
    assert torch.allclose(values.softmax(1), shares, atol=1e-4)


def test_snapshots_become_networks_for_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teahouse.learn.trainer.next_snapshot", lambda seconds: seconds)
    trainer = Trainer(smallest(), tmp_path, settings(), "cpu")
    list(trainer.run(steps=5))
    file = export_snapshots(tmp_path)[-1]
    assert load_network(smallest(), file).metadata["updates"] == str(trainer.updates)
    before = file.stat().st_mtime_ns
    assert export_snapshots(tmp_path)[-1].stat().st_mtime_ns == before
    snapshot = file.with_suffix(".pt")
    assert snapshots.load_snapshot(snapshot).seconds == trainer.seconds
    stored = torch.load(snapshot, weights_only=True)
    torch.save({**stored, "average": {"own": torch.zeros(1)}}, snapshot)
    file.unlink()
    with pytest.raises(CheckpointError, match="holds a custom network"):
        export_snapshots(tmp_path)
    snapshot.write_bytes(b"garbage")
    with pytest.raises(CheckpointError, match="not a readable snapshot"):
        export_snapshots(tmp_path)


@pytest.mark.parametrize(("quantized", "tolerance"), [(False, 0.01), (True, 0.05)])
def test_an_exported_network_computes_the_same(
    tmp_path: Path, quantized: bool, tolerance: float
) -> None:
    game = smallest()
    torch.manual_seed(2)
    network = PolicyValueNetwork(game, NetworkShape(2, 8)).eval()
    nn.init.normal_(network.value.weight)
    path = tmp_path / "network.onnx"
    export_network(network, game, path, {"minutes": 0.5}, quantized=quantized)
    loaded = load_network(game, path)
    assert loaded.metadata["minutes"] == "0.5"
    planes = observations(Evaluator(network, torch.float32), game)
    policy, value = loaded.evaluate(planes)
    with torch.no_grad():
        expected_policy, expected_value, _ = network(torch.tensor(planes))
    assert np.abs(policy - expected_policy.numpy()).mean() < tolerance
    assert np.abs(value - expected_value.numpy()).mean() < tolerance


class OwnNetwork(nn.Module):
    """A network without convolutions, batch normalisation or a third output."""

    def __init__(self, game: th.Game) -> None:
        super().__init__()
        example = PolicyValueNetwork(game, NetworkShape(1, 4))
        inputs = len(example.scale) * example.rows * example.columns
        self.hidden = nn.Linear(inputs, 16)
        self.policy = nn.Linear(16, example.policy.source.numel())
        self.value = nn.Linear(16, len(game.teams))

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.relu(self.hidden(planes.flatten(1).to(self.hidden.weight.dtype)))
        return self.policy(hidden), self.value(hidden)


def test_a_network_of_ones_own_is_trained(tmp_path: Path) -> None:
    game = smallest()
    trainer = Trainer(game, tmp_path, settings(), "cpu", OwnNetwork(game))
    reports = list(trainer.run(steps=5))
    assert trainer.updates == 2
    assert reports[-1].final_planes_loss == 0
    weights = trainer.average.double()
    export_network(weights, game, tmp_path / "own.onnx", {}, quantized=False)
    load_network(game, tmp_path / "own.onnx")
    assert all(one.dtype == torch.float64 for one in weights.parameters())  # training may go on


def test_a_network_whose_outputs_do_not_fit_is_refused(tmp_path: Path) -> None:
    game, scalar, narrow = smallest(), OwnNetwork(smallest()), OwnNetwork(smallest())
    scalar.value = nn.Linear(16, 1)  # a single value would be broadcast
    narrow.policy = nn.Linear(16, 20)
    wrong: Any = "network"
    for network, match in (
        (scalar, r"must have the shapes \(2, 21\) .*; got \[\(2, 21\), \(2, 1\)\]"),
        (narrow, r"got \[\(2, 20\), \(2, 2\)\]"),
        (nn.Flatten(), r"got \[\(2, 36\)\]"),
        (wrong, "must be a torch.nn.Module"),
    ):
        with pytest.raises(th.OptionError, match=match):
            Trainer(game, tmp_path, settings(), "cpu", network)
    assert not (tmp_path / CHECKPOINT).exists()


def test_large_boards_get_narrower_networks_and_less_replay() -> None:
    small, large = (default_settings(th.load(name), "cuda", 10, 1) for name in ("orochi", "toot"))
    assert large.shape.channels < small.shape.channels
    assert large.selfplay.ring < small.selfplay.ring


def test_more_games_get_less_replay() -> None:
    game = th.load("toot")
    usual, more = (default_settings(game, "cuda", 10, 1, games).selfplay for games in (None, 8_192))
    assert more.games == 2 * usual.games
    assert more.ring == usual.ring // 2
    assert default_settings(game, "cpu", 10, 1, 32_768).selfplay.ring < 64
    with pytest.raises(th.OptionError, match="games must be an integer from 2 to"):
        default_settings(game, "cuda", 10, 1, 1 << 20)


FUSED_CONTEXT = """
import torch
from torch import nn
from teahouse.learn.fused import add_context
from teahouse.learn.network import Block

torch.manual_seed(1)
for rows, columns, channels in ((7, 7, 24), (3, 3, 8), (9, 9, 16)):
    block = Block(channels, rows * columns).requires_grad_(False)
    inner = torch.randn(3, channels, rows, columns).to(memory_format=torch.channels_last)
    expected = block.add_context(inner)
    found = add_context(inner, block.context, block.mixing)
    assert torch.allclose(found, expected, atol=1e-4), (rows, columns, channels)
print("same")
"""


def test_the_fused_kernel_adds_the_same_context() -> None:
    pytest.importorskip("triton", reason="Triton takes 1 GB; PyTorch for GPUs brings it along")
    done = subprocess.run(
        [sys.executable, "-c", FUSED_CONTEXT],
        capture_output=True,
        text=True,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        check=True,
    )
    assert done.stdout == "same\n"
