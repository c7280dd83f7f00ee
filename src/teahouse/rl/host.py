"""Games side by side on the processor, with NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.game import Game
from teahouse.core.pyrecord import PyRecords, pack
from teahouse.rl import kernels
from teahouse.rl.spec import kernels_of, view_of


class HostGames:
    """The states of all games and what is known of them; see `Batch` for the arrays."""

    def __init__(self, game: Game, size: int, threads: int) -> None:
        view = view_of(game)
        layout = game.layout
        self._game = game
        self._rules = kernels_of(game)
        self._bounds = [size * share // threads for share in range(threads + 1)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._boards = jit.as_records(layout.board)
        self._places = view.flat_places()
        self._states = jit.as_records(np.zeros(size, layout.state))
        self._slots = jit.as_records(np.zeros(size, kernels.slot_type(view)))
        self._spares = [jit.as_records(np.zeros(1, layout.state)) for _ in range(threads)]
        self._moves = jit.move_buffers(threads, layout.max_moves)
        self._counts = np.zeros(size, np.int32)
        self.legal = np.zeros((size, view.action_count), np.uint8)
        self.players = np.zeros(size, np.uint8)
        self.rewards = np.zeros((size, len(game.players)), np.float32)
        self.done = np.zeros(size, np.uint8)
        self._planes = np.zeros((size, len(view.planes), view.shape[0] * view.shape[1]), np.uint8)

    def actions(self, given: Any) -> np.ndarray:
        """The actions as kernels take them; a ValueError says what is wrong with them."""
        actions = np.asarray(given)
        check_actions(actions.shape, actions.dtype, len(self.done))
        return np.ascontiguousarray(actions, np.int64)

    def step(
        self, actions: np.ndarray, seed: int, restart: bool, validate: bool
    ) -> tuple[int, int] | None:
        """Take one action in each game; if one is illegal none is taken, and it is named."""
        if validate:
            found = int(self._ready(kernels.find_illegal)(self.legal, self._counts, actions))
            if found >= 0:
                return found, int(actions[found])
        self._share(
            lambda work, share, first, end: work(
                *(self._boards, self._states, self._spares[share], self._slots, actions),
                *(self._moves[share], self.legal, self._counts, self.players, self.rewards),
                *(self.done, seed, int(restart), first, end),
            ),
            kernels.step_games,
        )
        return None

    def see(self) -> np.ndarray:
        """The planes, written anew."""
        self._share(
            lambda work, share, first, end: work(
                *(self._boards, self._states, self._slots, self._places, self._planes, first, end)
            ),
            kernels.see_games,
        )
        return self._planes

    def sample(self) -> np.ndarray:
        """A random legal action for each game."""
        actions = np.empty(len(self.done), np.int64)
        self._share(
            lambda work, share, first, end: work(
                self._slots, self.legal, self._counts, actions, first, end
            ),
            kernels.sample_games,
        )
        return actions

    def state(self, index: int) -> tuple[bytes, int]:
        """The bytes of a game's state, and how many decisions were taken in it."""
        if isinstance(self._states, PyRecords):
            state = pack(self._states[index], self._game.layout.state)
            return state, int(self._slots[index].ply)
        return self._states[index].tobytes(), int(self._slots[index]["ply"])

    def legal_actions(self, index: int) -> list[int]:
        """The legal actions of one game."""
        return [int(action) for action in np.flatnonzero(self.legal[index])]

    def public(self, array: np.ndarray, dtype: type[np.generic] | None = None) -> np.ndarray:
        """An array as users get it: they may look at it but not change it."""
        shown = array.view(dtype) if dtype else array.view()
        shown.flags.writeable = False
        return shown

    def _ready(self, kernel: jit.Kernel) -> jit.Kernel:
        return jit.specialize(kernel, self._game, self._rules)

    def _share(self, call: Callable[[Any, int, int, int], None], kernel: jit.Kernel) -> None:
        """Let each thread work on its share of the games."""
        work = self._ready(kernel)
        shares = range(len(self._bounds) - 1)
        if self._pool is None:
            call(work, 0, 0, self._bounds[-1])
            return
        tasks = [
            self._pool.submit(call, work, share, self._bounds[share], self._bounds[share + 1])
            for share in shares
        ]
        for task in tasks:
            task.result()


def check_actions(shape: tuple[int, ...], dtype: np.dtype, size: int) -> None:
    """See that these are whole numbers, one for each game."""
    if shape != (size,):
        raise ValueError(f"actions are of shape ({size},), one for each game, not {shape}")
    if dtype.kind not in "iu":
        raise ValueError(f"actions are whole numbers, such as int64, not {dtype}")
