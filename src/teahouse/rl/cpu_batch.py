"""A batch on the CPU, in NumPy arrays shared by several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np

from teahouse.core.game import Game
from teahouse.core.jit import Backend, Kernel, default_backend
from teahouse.rl import kernels
from teahouse.rl.rows import as_rows, copy_rows
from teahouse.rl.spec import encoded_rules, max_values, observation_spec

Call = Callable[[int, int], None]
"""A kernel with its arguments but the last two: the first game and the end of the range."""

ROWS = ("states", "finals", "slots", "legal", "legal_counts", "players", "rewards", "done")
"""The arrays of a batch, each with a row for each game."""

THREAD_SECONDS = 3e-4
"""Work for which other threads are woken: less takes as long as waking them."""


def new_rows(game: Game, size: int) -> dict[str, np.ndarray]:
    """Return the arrays of a batch whose games are not started."""
    spec, state = observation_spec(game), game.layout.state
    arrays = (
        np.zeros(size, state),
        np.zeros(size, state),  # the last state of the slot's game that ended last
        kernels.new_slots(spec, size),
        np.zeros((size, spec.action_count), np.uint8),
        np.zeros(size, np.int32),  # legal actions
        np.zeros(size, np.uint8),
        np.zeros((size, len(game.players)), np.float32),
        np.zeros(size, np.uint8),
    )
    return dict(zip(ROWS, arrays, strict=True))


class CpuBatch:
    """The rows of a `Batch` on the CPU; every thread works on a range of games.

    Kernels are called with positional arguments: matching keywords costs 4 % of a step of 64 games.
    """

    states: Any
    finals: Any
    slots: Any
    legal: np.ndarray
    legal_counts: np.ndarray
    players: np.ndarray
    rewards: np.ndarray
    done: np.ndarray

    def __init__(
        self,
        game: Game,
        rows: dict[str, np.ndarray],
        threads: int = 1,
        backend: Backend | None = None,
    ) -> None:
        self.backend = backend or default_backend()
        self._game = game
        self._spec = spec = observation_spec(game)
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._game_seconds: dict[Kernel, float] = {}
        self.boards = self.backend.as_records(game.layout.board)
        self._offsets = spec.cell_offsets()
        self._plane_shape = (len(spec.planes), spec.shape[0] * spec.shape[1])
        self._attach(rows)

    def _attach(self, rows: dict[str, Any]) -> None:
        """Set the rows, as arrays or as kernels take them, and what depends on their number."""
        self.size = size = len(rows["done"])
        for name, array in rows.items():
            is_plain = isinstance(array, np.ndarray) and array.dtype.names is not None
            setattr(self, name, self.backend.as_records(array) if is_plain else array)
        threads = min(self._threads, size)
        self._bounds = [size * thread // threads for thread in range(threads + 1)]
        self.moves = self.backend.move_buffers(threads, self._game.layout.max_moves)
        self._planes: dict[bool, np.ndarray] = {}
        self._scaled: dict[bool, np.ndarray] = {}
        self.over = np.zeros(size, np.bool_)

    def read(self, name: str) -> np.ndarray:
        """Return the rows of this name; not a copy where the kernels use them as they are."""
        rows = getattr(self, name)
        if isinstance(rows, np.ndarray):
            return rows
        return self.backend.to_array(rows, 0, self.size)

    def write(self, name: str, array: np.ndarray) -> None:
        """Replace the rows of this name."""
        rows = getattr(self, name)
        if isinstance(rows, np.ndarray):
            rows[...] = array
        else:
            setattr(self, name, self.backend.as_records(array))

    def copy(self) -> CpuBatch:
        """Return an independent copy."""
        return self._new_like({name: _copy(getattr(self, name)) for name in ROWS})

    def gather(self, index: np.ndarray) -> CpuBatch:
        """Return a batch of the games at these indices, numbered afresh."""
        rows = {name: copy_rows(self.read(name), index) for name in ROWS}
        rows["slots"]["game"] = np.arange(len(index))
        return self._new_like(rows)

    def assign(self, other: CpuBatch) -> None:
        """Copy the rows of another batch of the same size."""
        for name in ROWS:
            self.write(name, other.read(name))

    def _new_like(self, rows: dict[str, Any]) -> CpuBatch:
        """Return a batch with other rows that shares the threads of this one."""
        twin = object.__new__(CpuBatch)
        vars(twin).update(vars(self))
        twin._attach(rows)
        return twin

    def as_index(self, rows: Any, validate: bool) -> np.ndarray:
        """Return indices as `gather` takes them; raise IndexError or ValueError."""
        return as_rows(rows, self.size)

    def as_actions(self, given: Any) -> np.ndarray:
        """Return the actions as kernels take them; raise ValueError for a wrong shape or type."""
        actions = np.asarray(given)
        check_actions(actions.shape, actions.dtype, self.size)
        return np.ascontiguousarray(actions, np.int64)

    def step(
        self, actions: np.ndarray, seed: int, auto_reset: bool, validate: bool
    ) -> tuple[int, int] | None:
        """Take one action in each game, or none and return (index, action) of an illegal one."""
        if validate:
            found = int(self._find_illegal(self.legal, self.legal_counts, actions))
            if found >= 0:
                return found, int(actions[found])

        self._run_threads(
            self._step_games, lambda thread: self.step_call(thread, actions, seed, int(auto_reset))
        )
        return None

    def step_call(self, thread: int, actions: np.ndarray, seed: int, auto_reset: int) -> Call:
        """Return the kernel that takes actions, with a thread's arguments."""
        return partial(
            self._step_games,
            self.boards,
            self.states,
            self.finals,
            self.slots,
            actions,
            self.moves[thread],
            self.legal,
            self.legal_counts,
            self.players,
            self.rewards,
            self.done,
            seed,
            auto_reset,
        )

    def observe(self, finals: bool, scaled: bool) -> np.ndarray:
        """Write what the player to move observes of each game, or observed in its last state.

        With `scaled`, each plane is divided by its largest value.
        """
        if finals not in self._planes:
            self._planes[finals] = np.zeros((self.size, *self._plane_shape), np.uint8)
        planes = self._planes[finals]
        if finals:
            slots = self.backend.as_records(kernels.new_slots(self._spec, self.size))
            self.observe_states(self.finals, slots, self.final_players(), planes)
        else:
            self.observe_states(self.states, self.slots, self.players, planes)
        if not scaled:
            return planes
        out = self._scaled.get(finals)
        self._scaled[finals] = out = np.divide(planes, max_values(self._spec)[:, None], out=out)
        return out

    def observe_states(self, states: Any, slots: Any, viewers: np.ndarray, planes: Any) -> None:
        """Write what viewers observe of states."""
        call = self.observe_call(states, slots, viewers, planes)
        self._run_threads(self._observe_games, lambda _: call)

    def observe_call(self, states: Any, slots: Any, viewers: np.ndarray, planes: Any) -> Call:
        """Return the kernel that observes states, with its arguments."""
        return partial(
            self._observe_games, self.boards, states, slots, viewers, self._offsets, planes
        )

    def final_players(self) -> np.ndarray:
        """Return the player to move in the last state of each slot's game that ended last."""
        return np.ascontiguousarray(self.read("finals")["player"], np.uint8)

    def sample(self) -> np.ndarray:
        """Return a random legal action for each game."""
        return self._sample(self.slots)

    def sample_with(self, slots: np.ndarray) -> np.ndarray:
        """Return a legal action for each game, drawn by the generators of other slots."""
        return self._sample(self.backend.as_records(slots))

    def _sample(self, slots: Any) -> np.ndarray:
        actions = np.empty(self.size, np.int64)
        call = partial(self._sample_games, slots, self.legal, self.legal_counts, actions)
        self._run_threads(self._sample_games, lambda _: call)
        return actions

    def update_over(self) -> None:
        """Write whether each game is over."""
        np.equal(self.legal_counts, 0, out=self.over)

    def row(self, name: str, index: int) -> np.void:
        """Return one row of an array of records."""
        rows = getattr(self, name)
        found: np.void = self.backend.to_array(rows, index, index + 1)[0]
        return found

    def legal_actions(self, index: int) -> list[int]:
        """Return the legal actions of one game."""
        return [int(action) for action in np.flatnonzero(self.legal[index])]

    def public(self, array: np.ndarray, dtype: type[np.generic] | None = None) -> np.ndarray:
        """Return a read-only view of an array for users."""
        view = array.view(dtype) if dtype else array.view()
        view.flags.writeable = False
        return view

    @cached_property
    def _find_illegal(self) -> Kernel:
        return self.specialize(kernels.find_illegal)

    @cached_property
    def _step_games(self) -> Kernel:
        return self.specialize(kernels.step_games)

    @cached_property
    def _observe_games(self) -> Kernel:
        return self.specialize(kernels.observe_games)

    @cached_property
    def _sample_games(self) -> Kernel:
        return self.specialize(kernels.sample_games)

    def specialize(self, kernel: Kernel) -> Kernel:
        """Return a kernel for this batch's game and back end."""
        return self.backend.specialize(kernel, self._game, encoded_rules(self._game))

    def _run_threads(self, kernel: Kernel, call: Callable[[int], Call]) -> None:
        """Call a kernel for all games, with a range of them for each thread where that is faster.

        The calling thread takes the first range. Its time tells what a game costs at present.
        """
        if self._pool is None:
            call(0)(0, self.size)
            return
        bounds = self._bounds
        seconds = self._game_seconds.get(kernel, 0.0) * (self.size - bounds[1])
        tasks = []
        if seconds < THREAD_SECONDS:
            bounds = [0, self.size]
        else:
            tasks = [
                self._pool.submit(call(thread), bounds[thread], end)
                for thread, end in enumerate(bounds[2:], 1)
            ]
        try:
            begin = perf_counter()
            call(0)(0, bounds[1])
            self._game_seconds[kernel] = (perf_counter() - begin) / bounds[1]
        finally:
            for task in tasks:
                task.result()


def _copy(rows: Any) -> Any:
    return copy_rows(rows) if isinstance(rows, np.ndarray) else rows.copy()


def check_actions(shape: tuple[int, ...], dtype: np.dtype, size: int) -> None:
    """Raise ValueError unless there is one integer for each game."""
    if shape != (size,):
        raise ValueError(f"actions must have shape ({size},), one for each game, got {shape}.")
    if dtype.kind not in "iu":
        raise ValueError(f"actions must be integers, such as int64, got {dtype}.")
