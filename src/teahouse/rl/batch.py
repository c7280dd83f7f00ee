"""A batch of games that are stepped together, one action for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.errors import IllegalMove, OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.planes import ObservationSpec
from teahouse.core.playouts import DEVICES
from teahouse.core.position import Position
from teahouse.core.symmetries import Symmetries
from teahouse.core.validate import check_choice, check_int, check_seed
from teahouse.rl.cpu_batch import CpuBatch
from teahouse.rl.kernels import RESET_FIRST, RESET_NEXT, SKIP
from teahouse.rl.spec import observation_spec, resolve_game

MAX_SIZE = 1 << 26
MAX_THREADS = 1024


class Batch:
    """A vectorised environment: `size` games of the same kind.

    The arrays belong to the batch: the next step overwrites them, so copy what you keep. They are
    NumPy arrays with device "cpu"; with "cuda" they are GPU arrays that PyTorch, JAX and CuPy take
    without a copy.

    >>> batch = Batch("orochi", size=4, side=3)
    >>> batch.legal.shape, batch.observation.shape
    ((4, 57), (4, 4, 5, 5))
    >>> for _ in range(100):
    ...     batch.step(batch.sample())
    """

    def __init__(
        self,
        game: str | Game,
        size: int = 1024,
        *,
        device: str = "cpu",
        seed: int = 0,
        threads: int = 1,
        auto_reset: bool = True,
        validate: bool = True,
        **options: Any,
    ) -> None:
        self._game = resolve_game(game, options)
        self._spec = observation_spec(self._game)
        self._size = check_int("size", size, 1, MAX_SIZE)
        self._auto_reset = bool(auto_reset)
        self._validate = bool(validate)
        self._backend: Any
        threads = min(check_int("threads", threads, 1, MAX_THREADS), self._size)
        self._seed = check_seed(seed)
        if check_choice("device", device, DEVICES) == "cpu":
            self._backend = CpuBatch(self._game, self._size, threads)
        else:
            from teahouse.rl.cuda_batch import CudaBatch

            self._backend = CudaBatch(self._game, self._size)
        self._device = device
        backend = self._backend
        self._legal = backend.public(backend.legal, np.bool_)
        self._player = backend.public(backend.players)
        self._rewards = backend.public(backend.rewards)
        self._done = backend.public(backend.done, np.bool_)
        self._observation: Any = None
        self._outdated = True  # whether `_observation` is of an earlier step
        self.reset(seed=self._seed)

    @property
    def game(self) -> Game:
        """The game played."""
        return self._game

    @property
    def spec(self) -> ObservationSpec:
        """What actions and planes mean."""
        return self._spec

    @property
    def size(self) -> int:
        """The number of games."""
        return self._size

    @property
    def device(self) -> str:
        """Where the games are played: cpu or cuda."""
        return self._device

    @property
    def legal(self) -> Any:
        """The mask of legal actions: (size, actions), bool. All False if the game is over."""
        return self._legal

    @property
    def player(self) -> Any:
        """The player to move: (size,), uint8."""
        return self._player

    @property
    def rewards(self) -> Any:
        """Each player's reward of the last step: (size, players), float32.

        0 until the game ends and in a draw; else 1 for each winner and equal negative shares for
        the others, so that the sum is 0.
        """
        return self._rewards

    @property
    def done(self) -> Any:
        """Whether the last step ended the game: (size,), bool."""
        return self._done

    @property
    def observation(self) -> Any:
        """What the player to move observes: (size, planes, rows, columns), uint8."""
        if self._observation is None or self._outdated:
            shape = (self._size, len(self._spec.planes), *self._spec.shape)
            self._observation = self._backend.public(self._backend.observe().reshape(shape))
            self._outdated = False
        return self._observation

    @property
    def symmetries(self) -> Symmetries:
        """The game's symmetries as index tables."""
        return Symmetries.of(self._game)

    def reset(self, *, seed: int | None = None, where: Any = None) -> None:
        """Start new games, all of them or those where a bool array is True.

        The first game in slot i has the number i, and each next one there a number greater by the
        size of the batch. A seed restarts the numbering.
        """
        if seed is not None and where is not None:
            raise OptionError("Give either seed or where, not both: a seed resets all games.")
        actions = np.full(self._size, RESET_NEXT if seed is None else RESET_FIRST, np.int64)
        if where is not None:
            where = np.asarray(where)
            if where.shape != (self._size,) or where.dtype != np.bool_:
                raise ValueError(
                    f"where must be a bool array of shape ({self._size},), got {where.dtype} of"
                    f" shape {where.shape}."
                )
            actions[~where] = SKIP
        if seed is not None:
            self._seed = check_seed(seed)
        self._backend.step(
            self._backend.as_actions(actions), self._seed, self._auto_reset, validate=False
        )
        self._outdated = True

    def step(self, actions: Any) -> None:
        """Take one action in each game; raise `IllegalMove` and take none if one is illegal.

        A game that ends is replaced by a new one in the same step: `rewards` and `done` are of the
        old game, all else of the new one. Without `auto_reset` it stays over and ignores actions.
        """
        actions = self._backend.as_actions(actions)
        illegal = self._backend.step(actions, self._seed, self._auto_reset, self._validate)
        if illegal is not None:
            raise self._illegal_move(*illegal)
        self._outdated = True

    def sample(self) -> Any:
        """Return a uniformly random legal action for each game, by the game's own generator."""
        return self._backend.sample()

    def position(self, index: int) -> Position:
        """Return the position of one game, without the draft of a compound move."""
        if not 0 <= index < self._size:
            raise IndexError(f"index must be from 0 to {self._size - 1}, got {quoted(index)}.")
        return Position(self._game, *self._backend.state(index))

    def _illegal_move(self, index: int, action: int) -> IllegalMove:
        last = self._spec.action_count - 1
        if not 0 <= action <= last:
            return IllegalMove(f"Game {index}: actions must be from 0 to {last}, got {action}.")
        allowed = listing(self._backend.legal_actions(index))
        return IllegalMove(f"Game {index}: action {action} is illegal; legal actions: {allowed}.")

    def __repr__(self) -> str:
        return f"<Batch of {self._size} games of {self._game!r} on {self._device}>"
