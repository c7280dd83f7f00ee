"""Export a trained network as the ONNX file that learned players read."""

from __future__ import annotations

import copy
import io
import json
import time
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from teahouse.core.catalog import load
from teahouse.core.encoding import observation_spec
from teahouse.core.files import write_atomic
from teahouse.core.game import Game
from teahouse.core.options import format_options
from teahouse.learn.checkpoint import CheckpointError
from teahouse.learn.evaluator import Evaluator
from teahouse.learn.network import NetworkShape, PolicyValueNetwork
from teahouse.learn.quantize import quantize, store_as_float16
from teahouse.learn.selfplay import SelfPlay, SelfPlaySettings
from teahouse.learn.snapshots import SNAPSHOTS, load_snapshot
from teahouse.search.networks import SUFFIX, metadata

OPSET = 18
CALIBRATION = SelfPlaySettings(games=32, simulations=2, considered=2, ring=32, opening=40)
CALIBRATION_SEED = 1


class _PolicyAndValue(nn.Module):
    """The two outputs that players use."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        policy, value, *_ = self.network(planes)
        return policy, value


def export_network(
    network: nn.Module,
    game: Game,
    path: Path,
    card: Mapping[str, Any],
    *,
    options: str | None = None,
    quantized: bool = True,
) -> None:
    """Write the network to a file for players; `card` goes into its metadata.

    `options`, such as `side=4`, are those that have to agree; by default all of them.
    """
    if options is None:
        options = format_options(game.options, ",")
    folded = Evaluator(copy.deepcopy(network).cpu().float(), torch.float32)  # training may go on
    model = _to_onnx(folded.module, game)
    texts = {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in card.items()
    }
    onnx.helper.set_model_props(model, metadata(game, options, **texts))
    if quantized:
        model = quantize(model, observations(folded, game))
    model = store_as_float16(model)
    onnx.checker.check_model(model)
    write_atomic(path, model.SerializeToString())


def training_card(settings: Mapping[str, Any], seconds: float, updates: int) -> dict[str, Any]:
    """Return how a network was trained, for its metadata."""
    return {
        "minutes": round(seconds / 60, 2),
        "updates": updates,
        "seed": settings["seed"],
        "settings": settings,
        "version": version("teahouse"),
        "trained": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def export_snapshots(folder: Path) -> list[Path]:
    """Export the snapshots of a run, unless that was done before; return the files for players."""
    files = []
    for path in sorted((folder / SNAPSHOTS).glob("*.pt")):
        file = path.with_suffix(SUFFIX)
        files.append(file)
        if file.exists():
            continue
        found = load_snapshot(path)
        game = load(found.game, **found.options)
        try:
            network = PolicyValueNetwork(game, NetworkShape(**found.settings["shape"]))
            network.load_state_dict(found.average)
        except (RuntimeError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path} holds a custom network; write {file.name} with export_network."
            ) from error
        card = training_card(found.settings, found.seconds, found.updates)
        export_network(network, game, file, card)
    return files


def _to_onnx(module: nn.Module, game: Game) -> onnx.ModelProto:
    spec = observation_spec(game)
    example = torch.zeros((2, len(spec.planes), *spec.shape), dtype=torch.uint8)
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        torch.onnx.export(
            _PolicyAndValue(module).eval(),
            (example,),
            buffer,
            input_names=["planes"],
            output_names=["policy", "value"],
            dynamic_axes={name: {0: "batch"} for name in ("planes", "policy", "value")},
            opset_version=OPSET,
            dynamo=False,
        )
    return onnx.load_from_string(buffer.getvalue())


def observations(evaluate: Evaluator, game: Game) -> np.ndarray:
    """Return observations of games that the network plays against itself."""
    selfplay = SelfPlay(game, CALIBRATION, evaluate, "cpu", CALIBRATION_SEED)
    for _ in range(CALIBRATION.ring):
        selfplay.search()
        selfplay.act()
    random = torch.Generator().manual_seed(CALIBRATION_SEED)
    planes: np.ndarray = selfplay.sample(1024, random).planes.numpy()
    return planes.reshape(len(planes), -1, *observation_spec(game).shape)
