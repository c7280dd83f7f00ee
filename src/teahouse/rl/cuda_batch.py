"""A batch on an NVIDIA GPU: one thread per game, all arrays in device memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.game import Game
from teahouse.core.jit.cuda import cuda_module, launcher
from teahouse.rl import kernels
from teahouse.rl.cpu_batch import check_actions
from teahouse.rl.cuda_kernels import cuda_kernels, words
from teahouse.rl.dlpack import DeviceArray
from teahouse.rl.spec import observation_spec


class CudaBatch:
    """The states and arrays of a `Batch` on a GPU.

    An array that blocks copy by words is kept twice, as bytes and as the words (`…_words`) that
    hold the same memory.
    """

    def __init__(self, game: Game, size: int) -> None:
        self._cuda = cuda = cuda_module()
        spec = observation_spec(game)
        self._game = game
        self._size = size
        self._launch = {
            name: launcher(kernel, size, threads)
            for name, (kernel, threads) in cuda_kernels(game).items()
        }
        self._boards = cuda.to_device(game.layout.board)
        self._offsets = cuda.to_device(spec.cell_offsets())
        states, self._state_words = self._word_array(size, game.layout.state.itemsize)
        self._states = states.view(game.layout.state)
        self._slots = cuda.to_device(kernels.new_slots(spec, size))
        self._legal_counts = cuda.device_array(size, np.int32)
        self._illegal = cuda.to_device(np.array([size], np.int64))  # first illegal game, or size
        self._sampled = cuda.device_array(size, np.int64)
        self._sample = self.public(self._sampled)
        legal, self._legal_words = self._word_array(size, spec.action_count)
        self.legal = legal.reshape(size, spec.action_count)
        self.players = cuda.device_array(size, np.uint8)
        self.rewards = cuda.device_array((size, len(game.players)), np.float32)
        self.done = cuda.device_array(size, np.uint8)
        self._planes: Any = None
        self._plane_words: Any = None
        self._shape = (size, len(spec.planes), spec.shape[0] * spec.shape[1])

    def _word_array(self, count: int, size: int) -> tuple[Any, Any]:
        """Allocate `count` items of `size` bytes; return their bytes and the words they are in."""
        memory = self._cuda.to_device(np.zeros(words(count, size), np.uint64))
        return memory.view(np.uint8)[: count * size], memory

    def as_actions(self, given: Any) -> Any:
        """Return the actions as kernels take them; raise ValueError for a wrong shape or type."""
        if given is self._sample:
            return self._sampled
        if hasattr(given, "__cuda_array_interface__"):
            if hasattr(given, "block_until_ready"):
                given.block_until_ready()  # JAX works on streams of its own
            actions = self._cuda.as_cuda_array(given)
            check_actions(actions.shape, actions.dtype, self._size)
            if actions.dtype in (np.int64, np.int32) and actions.is_c_contiguous():
                return actions
            given = actions.copy_to_host()
        actions = np.asarray(given)
        check_actions(actions.shape, actions.dtype, self._size)
        return self._cuda.to_device(np.ascontiguousarray(actions, np.int64))

    def step(
        self, actions: Any, seed: int, auto_reset: bool, validate: bool
    ) -> tuple[int, int] | None:
        """Take one action in each game, or none and return (index, action) of an illegal one.

        The step is launched right after the check; it does nothing if the check found something.
        """
        if validate:
            self._launch["check"](self.legal, self._legal_counts, actions, self._illegal)
        self._launch["step"](
            self._boards,
            self._states,
            self._state_words,
            self._slots,
            actions,
            self.legal,
            self._legal_words,
            self._legal_counts,
            self.players,
            self.rewards,
            self.done,
            self._illegal,
            seed,
            int(auto_reset),
        )
        if not validate:
            return None
        found = int(self._illegal.copy_to_host()[0])
        if found == self._size:
            return None
        self._illegal.copy_to_device(np.array([self._size], np.int64))
        return found, int(actions[found : found + 1].copy_to_host()[0])

    def observe(self) -> Any:
        """Write the planes of all games and return them."""
        if self._planes is None:
            planes, self._plane_words = self._word_array(
                self._size, self._shape[1] * self._shape[2]
            )
            self._planes = planes.reshape(*self._shape)
        self._launch["observe"](
            self._boards,
            self._states,
            self._state_words,
            self._slots,
            self._offsets,
            self._planes,
            self._plane_words,
        )
        return self._planes

    def sample(self) -> DeviceArray:
        """Return a random legal action for each game."""
        self._launch["sample"](
            self._slots, self.legal, self._legal_words, self._legal_counts, self._sampled
        )
        return self._sample

    def legal_actions(self, index: int) -> list[int]:
        """Return the legal actions of one game."""
        mask = self.legal[index].copy_to_host()
        return [int(action) for action in np.flatnonzero(mask)]

    def state(self, index: int) -> tuple[bytes, int]:
        """Return the bytes of a game's state and its ply."""
        state = self._states[index : index + 1].copy_to_host()[0]
        slot = self._slots[index : index + 1].copy_to_host()[0]
        return state.tobytes(), int(slot["ply"])

    def public(self, array: Any, dtype: type[np.generic] | None = None) -> DeviceArray:
        """Return an array for users, who can pass it on to other libraries."""
        return DeviceArray(
            array,
            np.dtype(dtype or array.dtype),
            self._cuda.get_current_device().id,
            self._cuda.default_stream().synchronize,
        )
