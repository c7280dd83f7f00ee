"""Launch the kernels of self-play: one game after another on a CPU, a thread per game on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from teahouse.core import jit
from teahouse.core.encoding import encoded_rules
from teahouse.core.game import Game
from teahouse.core.jit.cuda import bind_device, cuda_module
from teahouse.learn.episodes import act, start_game
from teahouse.learn.tree import backup, begin_search, expand_leaf, select_leaf

rules: Any = None  # replaced when a kernel is bound

THREADS = 32  # per block: few games, so that all multiprocessors get some

SEARCH_ARRAYS = ("runs", "boards", "states", "drafts", "nodes", "edges", "trees", "masks")
ARRAYS = {
    "start": SEARCH_ARRAYS,
    "begin": SEARCH_ARRAYS,
    "select": (*SEARCH_ARRAYS, "schedule", "offsets", "planes"),
    "expand": (*SEARCH_ARRAYS, "logits", "values"),
    "act": (
        *SEARCH_ARRAYS,
        *("replay_states", "replay_drafts", "finals", "policies", "targets", "exact", "ends"),
    ),
    "observe": (
        *("boards", "replay_states", "replay_drafts", "finals", "no_draft", "offsets"),
        *("index", "final_index", "planes", "final_planes"),
    ),
}
"""Arrays that each kernel takes, in the order of its parameters."""


def start(
    runs: Any, boards: Any, states: Any, drafts: Any, nodes: Any, edges: Any, trees: Any,
    masks: Any, moves: Any, step: int, game: int,
) -> None:  # fmt: skip
    """Start a game."""
    start_game(runs[0], boards[0], states, drafts, trees, moves, masks[game], step, game)


def begin(
    runs: Any, boards: Any, states: Any, drafts: Any, nodes: Any, edges: Any, trees: Any,
    masks: Any, moves: Any, step: int, game: int,
) -> None:  # fmt: skip
    """Begin the search of a game's position."""
    begin_search(runs[0], states, nodes, trees, game)


def select(
    runs: Any, boards: Any, states: Any, drafts: Any, nodes: Any, edges: Any, trees: Any,
    masks: Any, schedule: Any, offsets: Any, planes: Any, moves: Any, step: int, game: int,
) -> None:  # fmt: skip
    """Select a leaf and write its planes, which are 0, if it has to be evaluated."""
    run, board = runs[0], boards[0]
    if select_leaf(run, board, states, drafts, nodes, edges, trees, schedule, moves, game):
        leaf = int(trees[game].leaf)
        player = int(states[leaf].player)
        rules.observe(board, states[leaf], drafts[leaf], player, offsets, planes[game])


def expand(
    runs: Any, boards: Any, states: Any, drafts: Any, nodes: Any, edges: Any, trees: Any,
    masks: Any, logits: Any, values: Any, moves: Any, step: int, game: int,
) -> None:  # fmt: skip
    """Expand the selected leaf and back up its value."""
    run = runs[0]
    expand_leaf(
        run, boards[0], states, drafts, nodes, edges, trees, moves,
        masks[game], logits[game], values[game], game,
    )  # fmt: skip
    backup(run, nodes, edges, trees, game)


def take(
    runs: Any, boards: Any, states: Any, drafts: Any, nodes: Any, edges: Any, trees: Any,
    masks: Any, replay_states: Any, replay_drafts: Any, finals: Any, policies: Any, targets: Any,
    exact: Any, ends: Any, moves: Any, step: int, game: int,
) -> None:  # fmt: skip
    """Take the chosen action and record the position."""
    act(
        runs[0], boards[0], states, drafts, nodes, edges, trees, moves, masks[game],
        replay_states, replay_drafts, finals, policies, targets, exact, ends, step, game,
    )  # fmt: skip


def observe(
    boards: Any, replay_states: Any, replay_drafts: Any, finals: Any, no_draft: Any, offsets: Any,
    index: Any, final_index: Any, planes: Any, final_planes: Any, moves: Any, step: int, game: int,
) -> None:  # fmt: skip
    """Write the planes of a row of the replay buffer and of the end of its game."""
    board = boards[0]
    row = int(index[game])
    viewer = int(replay_states[row].player)
    rules.observe(board, replay_states[row], replay_drafts[row], viewer, offsets, planes[game])
    final = int(final_index[game])
    rules.observe(board, finals[final], no_draft[0], viewer, offsets, final_planes[game])


def start_games(arrays: Any, moves: Any, step: int, count: int) -> None:
    """Run `start` for all games."""
    for game in range(count):
        start(*arrays, moves, step, game)  # type: ignore[call-arg]


def begin_games(arrays: Any, moves: Any, step: int, count: int) -> None:
    """Run `begin` for all games."""
    for game in range(count):
        begin(*arrays, moves, step, game)  # type: ignore[call-arg]


def select_games(arrays: Any, moves: Any, step: int, count: int) -> None:
    """Run `select` for all games."""
    for game in range(count):
        select(*arrays, moves, step, game)  # type: ignore[call-arg]


def expand_games(arrays: Any, moves: Any, step: int, count: int) -> None:
    """Run `expand` for all games."""
    for game in range(count):
        expand(*arrays, moves, step, game)  # type: ignore[call-arg]


def act_games(arrays: Any, moves: Any, step: int, count: int) -> None:
    """Run `take` for all games."""
    for game in range(count):
        take(*arrays, moves, step, game)  # type: ignore[call-arg]


def observe_rows(arrays: Any, moves: Any, step: int, count: int) -> None:
    """Run `observe` for all rows."""
    for game in range(count):
        observe(*arrays, moves, step, game)  # type: ignore[call-arg]


KERNELS: dict[str, tuple[Callable[..., None], Callable[..., None]]] = {
    "start": (start, start_games),
    "begin": (begin, begin_games),
    "select": (select, select_games),
    "expand": (expand, expand_games),
    "act": (take, act_games),
    "observe": (observe, observe_rows),
}
"""For each name the kernel of one game, which a GPU's threads run, and that of all games."""


class CpuKernels:
    """Runs kernels on one core."""

    def __init__(self, game: Game) -> None:
        module = encoded_rules(game)
        self._kernels = {
            name: jit.specialize(of_all, game, module) for name, (_, of_all) in KERNELS.items()
        }
        self._moves = np.zeros(game.layout.max_moves, np.int32)

    def put(self, array: np.ndarray) -> Any:
        """Return the array where kernels can use it."""
        return array

    def get(self, array: Any) -> np.ndarray:
        """Return a copy of an array in the host's memory."""
        return np.array(array)

    def share(self, tensor: torch.Tensor) -> Any:
        """Return a view of a tensor for kernels."""
        return tensor.numpy()

    def launch(self, name: str, count: int, arrays: Mapping[str, Any], step: int = 0) -> None:
        """Run a kernel for `count` games."""
        chosen = tuple(arrays[one] for one in ARRAYS[name])
        self._kernels[name](chosen, self._moves, step, count)


class CudaKernels:
    """Runs kernels on PyTorch's current CUDA stream, so that its graphs can capture them."""

    def __init__(self, game: Game) -> None:
        self._cuda = cuda_module()
        module = encoded_rules(game)
        self._kernels = {
            name: _entry(self._cuda, bind_device(of_one, module), game.layout.max_moves)
            for name, (of_one, _) in KERNELS.items()
        }

    def put(self, array: np.ndarray) -> Any:
        """Return a copy of the array in the GPU's memory."""
        return self._cuda.to_device(array)

    def get(self, array: Any) -> np.ndarray:
        """Return a copy of an array in the host's memory."""
        torch.cuda.synchronize()
        copy: np.ndarray = array.copy_to_host()
        return copy

    def share(self, tensor: torch.Tensor) -> Any:
        """Return a view of a tensor for kernels."""
        return self._cuda.as_cuda_array(tensor)

    def launch(self, name: str, count: int, arrays: Mapping[str, Any], step: int = 0) -> None:
        """Launch a kernel for `count` games."""
        chosen = tuple(arrays[one] for one in ARRAYS[name])
        stream = self._cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        blocks = -(-count // THREADS)
        self._kernels[name][blocks, THREADS, stream](chosen, step, count)


def _entry(cuda: Any, kernel: Any, max_moves: int) -> Any:
    def entry(arrays: Any, step: int, count: int) -> None:
        moves = cuda.local.array(max_moves, np.int32)
        game = cuda.grid(1)
        if game < count:
            kernel(*arrays, moves, step, game)

    return cuda.jit(entry)
