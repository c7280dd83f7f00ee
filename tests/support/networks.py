"""Small networks with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from teahouse.core.encoding import observation_spec
from teahouse.core.game import Game
from teahouse.search.networks import Network, metadata

WIDTH = 8


def small_model(
    game: Game,
    *,
    options: str | None = None,
    seed: int = 0,
    scale: float = 0.3,
    extra_actions: int = 0,
) -> onnx.ModelProto:
    """Return a network of two layers for a game; 0 for `scale` makes it indifferent."""
    spec = observation_spec(game)
    area = spec.shape[0] * spec.shape[1]
    rng = np.random.default_rng(seed)
    graph_nodes = [
        helper.make_node("Cast", ["planes"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["inputs"]),
        helper.make_node("MatMul", ["inputs", "hidden_weights"], ["hidden"]),
    ]
    outputs = []
    matrix = rng.standard_normal((len(spec.planes) * area, WIDTH)) / 8
    weights = [numpy_helper.from_array(matrix.astype(np.float32), "hidden_weights")]
    sizes = {"policy": spec.action_count + extra_actions, "value": len(game.teams)}
    for name, size in sizes.items():
        matrix = scale * rng.standard_normal((WIDTH, size))
        weights.append(numpy_helper.from_array(matrix.astype(np.float32), f"{name}_weights"))
        graph_nodes.append(helper.make_node("MatMul", ["hidden", f"{name}_weights"], [name]))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", size]))
    shape: list[str | int | None] = ["batch", len(spec.planes), *spec.shape]
    inputs = [helper.make_tensor_value_info("planes", TensorProto.UINT8, shape)]
    graph = helper.make_graph(graph_nodes, "small", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, metadata(game, options))
    return model


def small_network(game: Game, seed: int = 0, scale: float = 0.3) -> Network:
    """Return such a network, loaded."""
    model = small_model(game, seed=seed, scale=scale)
    return Network(game, model.SerializeToString(), "small")


def write_model(path: Path, model: onnx.ModelProto) -> Path:
    """Write a model to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())
    return path
