"""Networks in eight and in sixteen bits: as accurate as needed, and smaller."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from support.networks import small_model

import teahouse as th
from teahouse.core.encoding import observation_spec
from teahouse.learn.quantize import quantize, store_as_float16
from teahouse.search.networks import Network, metadata

GAME = th.load("orochi", side=3)
CHANNELS = 16


def convolutional_model() -> onnx.ModelProto:
    """Return a network of three convolutions with random weights."""
    spec = observation_spec(GAME)
    rng = np.random.default_rng(1)
    area = spec.shape[0] * spec.shape[1]
    shapes = {
        "stem": (CHANNELS, len(spec.planes), 3, 3),
        "first": (CHANNELS, CHANNELS, 3, 3),
        "second": (CHANNELS, CHANNELS, 3, 3),
        "policy_weights": (CHANNELS * area, spec.action_count),
        "value_weights": (CHANNELS * area, len(GAME.teams)),
    }
    weights = []
    for name, shape in shapes.items():
        fan_in = np.prod(shape[1:]) if len(shape) == 4 else shape[0]
        array = rng.standard_normal(shape) * np.sqrt(2 / fan_in)
        weights.append(numpy_helper.from_array(array.astype(np.float32), name))
    nodes = [helper.make_node("Cast", ["planes"], ["x"], to=TensorProto.FLOAT)]
    source = "x"
    for name in ("stem", "first", "second"):
        nodes.append(helper.make_node("Conv", [source, name], [f"{name}_out"], pads=[1] * 4))
        nodes.append(helper.make_node("Relu", [f"{name}_out"], [f"{name}_relu"]))
        source = f"{name}_relu"
    nodes.append(helper.make_node("Flatten", [source], ["flat"]))
    for name in ("policy", "value"):
        nodes.append(helper.make_node("MatMul", ["flat", f"{name}_weights"], [name]))
    model = small_model(GAME)  # has the same inputs and outputs
    graph = helper.make_graph(nodes, "conv", model.graph.input, model.graph.output, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, metadata(GAME, minutes="1"))
    return model


@pytest.fixture
def planes() -> np.ndarray:
    """Random observations."""
    spec = observation_spec(GAME)
    shape = (384, len(spec.planes), *spec.shape)
    return np.random.default_rng(2).integers(0, 2, shape).astype(np.uint8)


@pytest.mark.parametrize("bits", [8, 16])
def test_fewer_bits_change_little(bits: int, planes: np.ndarray) -> None:
    model = convolutional_model()
    smaller = store_as_float16(quantize(model, planes[:192]) if bits == 8 else model)
    onnx.checker.check_model(smaller)
    exact = Network(GAME, model.SerializeToString(), "exact")
    rounded = Network(GAME, smaller.SerializeToString(), "rounded")
    assert rounded.metadata == exact.metadata
    assert smaller.ByteSize() < 0.6 * model.ByteSize()
    for before, after in zip(
        exact.evaluate(planes[192:]), rounded.evaluate(planes[192:]), strict=True
    ):
        error = np.abs(before - after).mean() / before.std()
        assert 0 < error < (0.05 if bits == 8 else 0.002)


def test_convolutions_run_in_integers(planes: np.ndarray) -> None:
    quantized = quantize(convolutional_model(), planes[:64])
    kinds = [node.op_type for node in quantized.graph.node]
    assert "QuantizeLinear" in kinds and "DequantizeLinear" in kinds
    types = {weights.name: weights.data_type for weights in quantized.graph.initializer}
    assert types["stem"] == TensorProto.FLOAT  # the value depends on it most
    assert TensorProto.INT8 in types.values()
