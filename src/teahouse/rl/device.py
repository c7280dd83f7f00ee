"""Games side by side on an NVIDIA GPU: a thread for each game, arrays that stay there."""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.game import Game
from teahouse.core.jit.cuda import cuda_module, launcher
from teahouse.rl import kernels
from teahouse.rl.cuda_kernels import cuda_kernels, words
from teahouse.rl.dlpack import DeviceArray
from teahouse.rl.host import check_actions
from teahouse.rl.spec import view_of


class DeviceGames:
    """The states of all games and what is known of them; see `Batch` for the arrays."""

    def __init__(self, game: Game, size: int) -> None:
        self._cuda = cuda = cuda_module()
        view = view_of(game)
        self._game = game
        self._size = size
        self._launch = {
            name: launcher(kernel, size, threads)
            for name, (kernel, threads) in cuda_kernels(game).items()
        }
        slot_type = kernels.slot_type(view)
        self._boards = cuda.to_device(game.layout.board)
        self._places = cuda.to_device(view.flat_places())
        states, self._state_store = self._stored(size, game.layout.state.itemsize)
        self._states = states.view(game.layout.state)
        self._slots = cuda.to_device(np.zeros(size, slot_type))
        self._counts = cuda.device_array(size, np.int32)
        self._illegal = cuda.to_device(np.array([size], np.int64))  # the first game of that kind
        self._sampled = cuda.device_array(size, np.int64)
        self._sample = self.public(self._sampled)
        legal, self._legal_store = self._stored(size, view.action_count)
        self.legal = legal.reshape(size, view.action_count)
        self.players = cuda.device_array(size, np.uint8)
        self.rewards = cuda.device_array((size, len(game.players)), np.float32)
        self.done = cuda.device_array(size, np.uint8)
        self._planes: Any = None
        self._plane_store: Any = None
        self._shape = (size, len(view.planes), view.shape[0] * view.shape[1])

    def _stored(self, count: int, size: int) -> tuple[Any, Any]:
        """So many things of a size, as bytes and as the words that hold them."""
        store = self._cuda.to_device(np.zeros(words(count, size), np.uint64))
        return store.view(np.uint8)[: count * size], store

    def actions(self, given: Any) -> Any:
        """The actions as kernels take them; a ValueError says what is wrong with them."""
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
        self, actions: Any, seed: int, restart: bool, validate: bool
    ) -> tuple[int, int] | None:
        """Take one action in each game; if one is illegal none is taken, and it is named.

        The step is on its way before it is known here whether it is taken: the GPU sees to that.
        """
        if validate:
            self._launch["check"](self.legal, self._counts, actions, self._illegal)
        self._launch["step"](
            *(self._boards, self._states, self._state_store, self._slots, actions),
            *(self.legal, self._legal_store, self._counts, self.players, self.rewards, self.done),
            *(self._illegal, seed, int(restart)),
        )
        if not validate:
            return None
        found = int(self._illegal.copy_to_host()[0])
        if found == self._size:
            return None
        self._illegal.copy_to_device(np.array([self._size], np.int64))
        return found, int(actions[found : found + 1].copy_to_host()[0])

    def see(self) -> Any:
        """The planes, written anew."""
        if self._planes is None:
            planes, self._plane_store = self._stored(self._size, self._shape[1] * self._shape[2])
            self._planes = planes.reshape(*self._shape)
        self._launch["see"](
            *(self._boards, self._states, self._state_store, self._slots, self._places),
            *(self._planes, self._plane_store),
        )
        return self._planes

    def sample(self) -> DeviceArray:
        """A random legal action for each game."""
        self._launch["sample"](
            self._slots, self.legal, self._legal_store, self._counts, self._sampled
        )
        return self._sample

    def legal_actions(self, index: int) -> list[int]:
        """The legal actions of one game."""
        row = self.legal[index].copy_to_host()
        return [int(action) for action in np.flatnonzero(row)]

    def state(self, index: int) -> tuple[bytes, int]:
        """The bytes of a game's state, and how many decisions were taken in it."""
        state = self._states[index : index + 1].copy_to_host()[0]
        slot = self._slots[index : index + 1].copy_to_host()[0]
        return state.tobytes(), int(slot["ply"])

    def public(self, array: Any, dtype: type[np.generic] | None = None) -> DeviceArray:
        """An array as users get it."""
        return DeviceArray(
            array,
            np.dtype(dtype or array.dtype),
            self._cuda.get_current_device().id,
            self._cuda.default_stream().synchronize,
        )
