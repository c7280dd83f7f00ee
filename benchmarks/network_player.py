"""Measure evaluations per second of networks on one CPU core, and simulations of a search with one.

Networks have random weights: speed depends on their size alone. Rates are by CPU time, so that
other work on the machine matters little; the best round counts. The small network in integers is
what a search kernel could evaluate by itself, incrementally as pieces are placed.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from rich.console import Console
from rich.table import Table

import teahouse as th
from teahouse.core.encoding import observation_spec
from teahouse.learn.quantize import quantize, store_as_float16
from teahouse.rl import Batch
from teahouse.search.networks import Network, load_network, metadata
from teahouse.search.puct.params import PuctParams
from teahouse.search.puct.search import PuctSearch

SIZES = ((6, 64), (4, 48), (4, 32), (3, 16))
BATCHES = (1, 8, 16, 32)
GAMES: tuple[tuple[str, dict[str, object]], ...] = (
    ("orochi", {"side": 4}),
    ("fillit", {"mode": "2"}),
)
THREAD_BATCHES = 60
WIDTH = 64  # of the small network
CHANGED = 4  # inputs that a move changes


class GraphBuilder:
    """Builds a network with random weights."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def add(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        """Add an operator and return the name of its output."""
        output = f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def random(self, *shape: int) -> str:
        """Return the name of random weights."""
        scale = 1 / np.sqrt(np.prod(shape[1:]) if len(shape) > 1 else 1000)
        return self.constant((scale * self._random.standard_normal(shape)).astype(np.float32))

    def constant(self, array: np.ndarray) -> str:
        """Return the name of a constant."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def conv(self, source: str, inputs: int, outputs: int, size: int = 3) -> str:
        """Add a convolution that keeps the shape of the board."""
        weights, bias = self.random(outputs, inputs, size, size), self.random(outputs)
        return self.add("Conv", [source, weights, bias], pads=[size // 2] * 4)

    def linear(self, source: str, inputs: int, outputs: int) -> str:
        """Add a fully connected layer."""
        return self.add(
            "Gemm", [source, self.random(outputs, inputs), self.random(outputs)], transB=1
        )


def build(game: th.Game, blocks: int, channels: int) -> onnx.ModelProto:
    """Return a network with random weights for a game."""
    spec = observation_spec(game)
    area, planes, sides = spec.shape[0] * spec.shape[1], len(spec.planes), len(game.teams)
    graph = GraphBuilder()
    scale = np.array([1 / plane.max_value for plane in spec.planes], np.float32).reshape(-1, 1, 1)
    scaled = graph.add("Cast", ["planes"], to=TensorProto.FLOAT)
    scaled = graph.add("Mul", [scaled, graph.constant(scale)])
    trunk = graph.add("Relu", [graph.conv(scaled, planes, channels)])
    for _ in range(blocks):
        inner = graph.add("Relu", [graph.conv(trunk, channels, channels)])
        trunk = graph.add(
            "Relu", [graph.add("Add", [trunk, graph.conv(inner, channels, channels)])]
        )
    policy = graph.add("Flatten", [graph.add("Relu", [graph.conv(trunk, channels, 16, 1)])])
    policy = graph.linear(policy, 16 * area, spec.action_count)
    value = graph.add("Flatten", [graph.add("Relu", [graph.conv(trunk, channels, 8, 1)])])
    value = graph.linear(graph.add("Relu", [graph.linear(value, 8 * area, 64)]), 64, sides)
    for name, source in (("policy", policy), ("value", value)):
        graph.nodes.append(helper.make_node("Identity", [source], [name]))

    def tensor(name: str, kind: int, *shape: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, ["batch", *shape])

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "network",
            [tensor("planes", TensorProto.UINT8, planes, *spec.shape)],
            [
                tensor("policy", TensorProto.FLOAT, spec.action_count),
                tensor("value", TensorProto.FLOAT, sides),
            ],
            graph.weights,
        ),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    helper.set_model_props(model, metadata(game))
    return model


def observations(game: th.Game, count: int) -> np.ndarray:
    """Return the observations of positions of random games."""
    batch = Batch(game, count)
    for _ in range(12):
        batch.step(batch.sample())
    return np.array(batch.observation)


def rate(call: Callable[[], int], seconds: float, rounds: int) -> float:
    """Return the best rate of a function that returns how much it has done, by CPU time."""
    call()
    best = 0.0
    for _ in range(rounds):
        begin, done = time.process_time(), call()
        while time.process_time() - begin < seconds:
            done += call()
        best = max(best, done / (time.process_time() - begin))
    return best


def threads_rate(model: bytes, planes: np.ndarray, calls: int, threads: int, rounds: int) -> float:
    """Return evaluations per CPU second of `calls` at the same time, each with some threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def evaluate(_: int) -> None:
        for _ in range(THREAD_BATCHES // calls):
            session.run(None, {"planes": planes})

    def call() -> int:
        with ThreadPoolExecutor(calls) as pool:
            list(pool.map(evaluate, range(calls)))
        return THREAD_BATCHES * len(planes)

    return rate(call, 0.0, rounds)


@numba.njit
def small_network(
    columns: np.ndarray, changed: np.ndarray, hidden: np.ndarray, second: np.ndarray, count: int
) -> int:
    """Evaluate a two-layer network of integers `count` times, after `CHANGED` inputs each."""
    total = 0
    for number in range(count):
        for index in range(CHANGED):
            column = columns[changed[(number * CHANGED + index) % len(changed)]]
            for unit in range(WIDTH):
                hidden[unit] += column[unit] if number & 1 else -column[unit]
        value = 0
        for unit in range(WIDTH):
            value += min(127, max(0, hidden[unit] >> 6)) * second[unit]
        total += value
    return total


def small_network_rate(seconds: float, rounds: int) -> float:
    """Return the evaluations per second of the small network."""
    random = np.random.default_rng(0)
    columns = random.integers(-64, 64, (200, WIDTH)).astype(np.int16)
    changed = random.integers(0, 200, 1 << 12).astype(np.int32)
    hidden, second = np.zeros(WIDTH, np.int16), random.integers(-64, 64, WIDTH).astype(np.int16)

    def call() -> int:
        small_network(columns, changed, hidden, second, 100_000)
        return 100_000

    return rate(call, seconds, rounds)


def evaluation_rate(network: Network, planes: np.ndarray, seconds: float, rounds: int) -> float:
    """Return the evaluations per second of a network in batches of this size."""

    def call() -> int:
        network.evaluate(planes)
        return len(planes)

    return rate(call, seconds, rounds)


def search_rate(game: th.Game, network: Network, seconds: float, rounds: int) -> float:
    """Return the simulations per second of PUCT search from a fresh tree."""

    def call() -> int:
        search = PuctSearch(game.start(), 0, 64 << 20, 2000, network, PuctParams())
        search.run(2000)
        return search.simulations

    return rate(call, seconds, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each measurement in a round")
    arguments = parser.parse_args()
    timing = (arguments.seconds, arguments.rounds)
    console = Console(width=140)
    table = Table(
        "board", "network", "weights", "size, kB", *(f"batch {n}" for n in BATCHES), "search"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, options in GAMES:
            game = th.load(name, **options)
            planes = observations(game, 256)
            for blocks, channels in SIZES:
                files = {"float32": Path(folder) / "a.onnx", "int8": Path(folder) / "b.onnx"}
                model = build(game, blocks, channels)
                onnx.save(store_as_float16(model), files["float32"])
                onnx.save(store_as_float16(quantize(model, planes)), files["int8"])
                for kind, file in files.items():
                    network = load_network(game, file)
                    rates = [evaluation_rate(network, planes[:count], *timing) for count in BATCHES]
                    search = search_rate(game, network, *timing)
                    shape = "×".join(map(str, observation_spec(game).shape))
                    figures = [f"{value:,.0f}" for value in (*rates, search)]
                    size = f"{file.stat().st_size / 1000:,.0f}"
                    table.add_row(f"{name} {shape}", f"{blocks}×{channels}", kind, size, *figures)
    console.print(table)
    game = th.load(GAMES[0][0], **GAMES[0][1])
    planes = observations(game, 64)
    model = quantize(build(game, *SIZES[0]), planes).SerializeToString()
    for calls, threads in ((1, 1), (2, 1), (1, 2)):
        figure = threads_rate(model, planes[:16], calls, threads, arguments.rounds)
        console.print(
            f"{calls} calls at once, {threads} threads each: {figure:,.0f} per CPU second"
        )
    figure = small_network_rate(*timing)
    console.print(f"{WIDTH}-wide network in integers inside a kernel: {figure:,.0f} evaluations/s")


if __name__ == "__main__":
    main()
