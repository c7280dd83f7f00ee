"""A batch on an NVIDIA GPU: one thread per game, all arrays in device memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.game import Game
from teahouse.core.jit.cuda import cuda_module, host_copy, launcher
from teahouse.core.packed import word_count
from teahouse.rl import kernels
from teahouse.rl.cpu_batch import ROWS, check_actions
from teahouse.rl.cuda_kernels import cuda_kernels, words
from teahouse.rl.cuda_rows import row_kernels
from teahouse.rl.dlpack import DeviceArray
from teahouse.rl.rows import as_rows
from teahouse.rl.spec import max_values, observation_spec

WORD_ROWS = ("states", "finals", "legal")
"""Rows that blocks copy by words: their memory is a whole number of them."""


class CudaBatch:
    """The rows of a `Batch` on a GPU.

    Rows that blocks copy by words are kept twice, as records or bytes and as the words (`_words`)
    that hold the same memory.
    """

    states: Any
    finals: Any
    slots: Any
    legal: Any
    legal_counts: Any
    players: Any
    rewards: Any
    done: Any

    def __init__(self, game: Game, rows: dict[str, np.ndarray]) -> None:
        self._cuda = cuda = cuda_module()
        self._spec = spec = observation_spec(game)
        self._game = game
        self._boards = cuda.to_device(game.layout.board)
        self._offsets = cuda.to_device(spec.cell_offsets())
        self._max_values = cuda.to_device(max_values(spec))
        self._plane_shape = (len(spec.planes), spec.shape[0] * spec.shape[1])
        self._prepare(len(rows["done"]))
        for name, array in rows.items():
            if name in WORD_ROWS:
                self._allocate_words(name, array.dtype, array.shape)
                self.write(name, array)
            else:
                setattr(self, name, self._cuda.to_device(array))

    def _prepare(self, size: int) -> None:
        """Allocate the buffers that depend on the number of games, except the rows."""
        cuda = self._cuda
        self.size = size
        self._launch = {
            name: launcher(kernel, size, *block)
            for name, (kernel, *block) in (cuda_kernels(self._game) | row_kernels()).items()
        }
        self._illegal = cuda.to_device(np.array([size], np.int64))  # first illegal game, or size
        self._found = host_copy(self._illegal)
        self._packed = cuda.device_array((size, word_count(self._spec.action_count)), np.int64)
        self._outdated = True  # whether `_packed` is out of date with `legal`
        self._sampled = cuda.device_array(size, np.int64)
        self._sample = self.public(self._sampled)
        self._words: dict[str, Any] = {}
        self._planes: dict[bool, tuple[Any, Any]] = {}  # and the words they are in
        self._scaled: dict[bool, Any] = {}
        self._final_players: Any = None
        self._blank_slots: Any = None
        self.over = cuda.device_array(size, np.uint8)

    def _word_array(self, count: int, size: int) -> tuple[Any, Any]:
        """Allocate `count` items of `size` bytes; return their bytes and the words they are in."""
        memory = self._cuda.to_device(np.zeros(words(count, size), np.uint64))
        return memory.view(np.uint8)[: count * size], memory

    def _allocate_words(self, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> None:
        """Allocate rows that blocks copy by words."""
        row = dtype.itemsize * int(np.prod(shape[1:]))
        memory, self._words[name] = self._word_array(self.size, row)
        setattr(self, name, memory.view(dtype) if dtype.names else memory.reshape(*shape))

    def read(self, name: str) -> np.ndarray:
        """Return a copy of the rows of this name in host memory."""
        rows: np.ndarray = getattr(self, name).copy_to_host()
        return rows

    def write(self, name: str, array: np.ndarray) -> None:
        """Replace the rows of this name."""
        getattr(self, name).copy_to_device(np.ascontiguousarray(array))
        self._outdated = True

    def copy(self) -> CudaBatch:
        """Return an independent copy."""
        twin = self._blank(self.size)
        twin.assign(self)
        return twin

    def assign(self, other: CudaBatch) -> None:
        """Copy the rows of another batch of the same size."""
        self._outdated = True
        for name in ROWS:
            if name in WORD_ROWS:
                self._words[name].copy_to_device(other._words[name])
            else:
                _flat(getattr(self, name)).copy_to_device(_flat(getattr(other, name)))

    def gather(self, index: Any) -> CudaBatch:
        """Return a batch of the games at these indices, numbered afresh."""
        if isinstance(index, np.ndarray):
            index = self._cuda.to_device(index)
        twin = self._blank(len(index))
        for name in ROWS:
            twin._launch["gather"](_flat(getattr(self, name)), index, _flat(getattr(twin, name)))
        twin._launch["number"](twin.slots)
        return twin

    def _blank(self, size: int) -> CudaBatch:
        """Return a batch of this game whose rows are not set."""
        twin = object.__new__(CudaBatch)
        vars(twin).update(vars(self))
        twin._prepare(size)
        for name in ROWS:
            rows = getattr(self, name)
            shape = (size, *rows.shape[1:])
            if name in WORD_ROWS:
                twin._allocate_words(name, rows.dtype, shape)
            else:
                setattr(twin, name, self._cuda.device_array(shape, rows.dtype))
        return twin

    def as_index(self, rows: Any, validate: bool) -> Any:
        """Return indices as `gather` takes them; raise IndexError or ValueError.

        Indices in device memory stay there, and are checked on the host with `validate`.
        """
        if not hasattr(rows, "__cuda_array_interface__"):
            return as_rows(rows, self.size)
        if hasattr(rows, "block_until_ready"):
            rows.block_until_ready()
        index = self._cuda.as_cuda_array(rows)
        if index.dtype.kind not in "iu" or index.ndim != 1 or not index.is_c_contiguous():
            return as_rows(index.copy_to_host(), self.size)
        if validate:
            host = as_rows(index.copy_to_host(), self.size)
            if index.dtype.kind == "i" and (index.copy_to_host() < 0).any():
                return host
        return index

    def as_actions(self, given: Any) -> Any:
        """Return the actions as kernels take them; raise ValueError for a wrong shape or type."""
        if given is self._sample:
            return self._sampled
        if hasattr(given, "__cuda_array_interface__"):
            if hasattr(given, "block_until_ready"):
                given.block_until_ready()  # JAX works on streams of its own
            actions = self._cuda.as_cuda_array(given)
            check_actions(actions.shape, actions.dtype, self.size)
            if actions.dtype in (np.int64, np.int32) and actions.is_c_contiguous():
                return actions
            given = actions.copy_to_host()
        actions = np.asarray(given)
        check_actions(actions.shape, actions.dtype, self.size)
        return self._cuda.to_device(np.ascontiguousarray(actions, np.int64))

    def step(
        self, actions: Any, seed: int, auto_reset: bool, validate: bool
    ) -> tuple[int, int] | None:
        """Take one action in each game, or none and return (index, action) of an illegal one.

        The step is launched right after the check; it does nothing if the check found something.
        The host waits for the check alone.
        """
        packed = self._packed_masks()
        if validate:
            self._launch["check"](packed, self.legal_counts, actions, self._illegal)
            self._found.request()
        self._launch["step"](
            self._boards,
            self.states,
            self._words["states"],
            self.finals,
            self.slots,
            actions,
            packed,
            self._words["legal"],
            self.legal_counts,
            self.players,
            self.rewards,
            self.done,
            self._illegal,
            seed,
            int(auto_reset),
        )
        if not validate:
            return None
        found = self._found.wait()
        if found == self.size:
            return None
        self._illegal.copy_to_device(np.array([self.size], np.int64))
        return found, int(actions[found : found + 1].copy_to_host()[0])

    def observe(self, finals: bool, scaled: bool) -> Any:
        """Write what the player to move observes of each game, or observed in its last state.

        With `scaled`, each plane is divided by its largest value.
        """
        if finals not in self._planes:
            planes, plane_words = self._word_array(self.size, int(np.prod(self._plane_shape)))
            self._planes[finals] = (planes.reshape(self.size, *self._plane_shape), plane_words)
        planes, plane_words = self._planes[finals]
        if finals:
            if self._blank_slots is None:
                self._blank_slots = self._cuda.to_device(kernels.new_slots(self._spec, self.size))
            players = self.final_players()
            source = (self.finals, self._words["finals"], self._blank_slots, players)
        else:
            source = (self.states, self._words["states"], self.slots, self.players)
        self._launch["observe"](self._boards, *source, self._offsets, planes, plane_words)
        if not scaled:
            return planes
        if finals not in self._scaled:
            self._scaled[finals] = self._cuda.device_array(planes.shape, np.float32)
        self._launch["scale"](planes, self._max_values, self._scaled[finals])
        return self._scaled[finals]

    def final_players(self) -> Any:
        """Return the player to move in the last state of each slot's game that ended last."""
        if self._final_players is None:
            self._final_players = self._cuda.device_array(self.size, np.uint8)
        self._launch["final_players"](self.finals, self._final_players)
        return self._final_players

    def sample(self) -> DeviceArray:
        """Return a random legal action for each game."""
        self._draw(self.slots, self._sampled)
        return self._sample

    def sample_with(self, slots: np.ndarray) -> DeviceArray:
        """Return a legal action for each game, drawn by the generators of other slots.

        The array is a new one, which later samples do not overwrite.
        """
        actions = self._cuda.device_array(self.size, np.int64)
        self._draw(self._cuda.to_device(slots), actions)
        return self.public(actions)

    def _draw(self, slots: Any, actions: Any) -> None:
        self._launch["sample"](slots, self._packed_masks(), self.legal_counts, actions)

    def _packed_masks(self) -> Any:
        """Return the masks as words, which kernels use in place of `legal`."""
        if self._outdated:
            self._launch["pack"](self.legal, self._packed)
            self._outdated = False
        return self._packed

    def update_over(self) -> None:
        """Write whether each game is over."""
        self._launch["update_over"](self.legal_counts, self.over)

    def row(self, name: str, index: int) -> np.void:
        """Return one row of an array of records."""
        row: np.void = getattr(self, name)[index : index + 1].copy_to_host()[0]
        return row

    def legal_actions(self, index: int) -> list[int]:
        """Return the legal actions of one game."""
        mask = self.legal[index].copy_to_host()
        return [int(action) for action in np.flatnonzero(mask)]

    def public(self, array: Any, dtype: type[np.generic] | None = None) -> DeviceArray:
        """Return an array for users, who can pass it on to other libraries."""
        return DeviceArray(
            array,
            np.dtype(dtype or array.dtype),
            self._cuda.get_current_device().id,
            self._cuda.default_stream().synchronize,
        )


def _flat(rows: Any) -> Any:
    """Return the bytes of rows."""
    return rows.reshape(rows.size).view(np.uint8)
