"""A batch on the CPU, in NumPy arrays shared by several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.pyrecord import PyRecords, pack
from teahouse.rl import kernels
from teahouse.rl.spec import encoded_rules, observation_spec


class CpuBatch:
    """The states and arrays of a `Batch` on the CPU; every thread works on a range of games.

    Kernels are called with positional arguments: matching keywords costs 4 % of a step of 64 games.
    """

    def __init__(self, game: Game, size: int, threads: int) -> None:
        spec = observation_spec(game)
        layout = game.layout
        self._game = game
        self._rules = encoded_rules(game)
        self._bounds = [size * thread // threads for thread in range(threads + 1)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._boards = jit.as_records(layout.board)
        self._offsets = spec.cell_offsets()
        self._states = jit.as_records(np.zeros(size, layout.state))
        self._slots = jit.as_records(kernels.new_slots(spec, size))
        self._scratch = [jit.as_records(np.zeros(1, layout.state)) for _ in range(threads)]
        self._moves = jit.move_buffers(threads, layout.max_moves)
        self._legal_counts = np.zeros(size, np.int32)
        self.legal = np.zeros((size, spec.action_count), np.uint8)
        self.players = np.zeros(size, np.uint8)
        self.rewards = np.zeros((size, len(game.players)), np.float32)
        self.done = np.zeros(size, np.uint8)
        self._planes = np.zeros((size, len(spec.planes), spec.shape[0] * spec.shape[1]), np.uint8)

    def as_actions(self, given: Any) -> np.ndarray:
        """Return the actions as kernels take them; raise ValueError for a wrong shape or type."""
        actions = np.asarray(given)
        check_actions(actions.shape, actions.dtype, len(self.done))
        return np.ascontiguousarray(actions, np.int64)

    def step(
        self, actions: np.ndarray, seed: int, auto_reset: bool, validate: bool
    ) -> tuple[int, int] | None:
        """Take one action in each game, or none and return (index, action) of an illegal one."""
        if validate:
            found = int(
                self._specialized(kernels.find_illegal)(self.legal, self._legal_counts, actions)
            )
            if found >= 0:
                return found, int(actions[found])

        def run(kernel: jit.Kernel, thread: int, first: int, end: int) -> None:
            kernel(
                self._boards,
                self._states,
                self._scratch[thread],
                self._slots,
                actions,
                self._moves[thread],
                self.legal,
                self._legal_counts,
                self.players,
                self.rewards,
                self.done,
                seed,
                int(auto_reset),
                first,
                end,
            )

        self._run_threads(kernels.step_games, run)
        return None

    def observe(self) -> np.ndarray:
        """Write the planes of all games and return them."""

        def run(kernel: jit.Kernel, thread: int, first: int, end: int) -> None:
            kernel(
                self._boards,
                self._states,
                self._slots,
                self._offsets,
                self._planes,
                first,
                end,
            )

        self._run_threads(kernels.observe_games, run)
        return self._planes

    def sample(self) -> np.ndarray:
        """Return a random legal action for each game."""
        actions = np.empty(len(self.done), np.int64)

        def run(kernel: jit.Kernel, thread: int, first: int, end: int) -> None:
            kernel(
                self._slots,
                self.legal,
                self._legal_counts,
                actions,
                first,
                end,
            )

        self._run_threads(kernels.sample_games, run)
        return actions

    def state(self, index: int) -> tuple[bytes, int]:
        """Return the bytes of a game's state and its ply."""
        if isinstance(self._states, PyRecords):
            state = pack(self._states[index], self._game.layout.state)
            return state, int(self._slots[index].ply)
        return self._states[index].tobytes(), int(self._slots[index]["ply"])

    def legal_actions(self, index: int) -> list[int]:
        """Return the legal actions of one game."""
        return [int(action) for action in np.flatnonzero(self.legal[index])]

    def public(self, array: np.ndarray, dtype: type[np.generic] | None = None) -> np.ndarray:
        """Return a read-only view of an array for users."""
        view = array.view(dtype) if dtype else array.view()
        view.flags.writeable = False
        return view

    def _specialized(self, kernel: jit.Kernel) -> jit.Kernel:
        return jit.specialize(kernel, self._game, self._rules)

    def _run_threads(self, kernel: jit.Kernel, run: Any) -> None:
        """Call run(kernel, thread, first, end) for every thread's range of games."""
        specialized = self._specialized(kernel)
        if self._pool is None:
            run(specialized, 0, 0, self._bounds[-1])
            return
        tasks = [
            self._pool.submit(run, specialized, thread, self._bounds[thread], end)
            for thread, end in enumerate(self._bounds[1:])
        ]
        for task in tasks:
            task.result()


def check_actions(shape: tuple[int, ...], dtype: np.dtype, size: int) -> None:
    """Raise ValueError unless there is one integer for each game."""
    if shape != (size,):
        raise ValueError(f"actions must have shape ({size},), one for each game, got {shape}.")
    if dtype.kind not in "iu":
        raise ValueError(f"actions must be integers, such as int64, got {dtype}.")
