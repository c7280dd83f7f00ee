"""Many games side by side: one action for each game, and all of them step at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from teahouse.core.errors import IllegalMove, OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.planes import View
from teahouse.core.playouts import DEVICES
from teahouse.core.position import Position
from teahouse.core.validate import check_choice, check_int, check_seed
from teahouse.rl.host import HostGames
from teahouse.rl.kernels import BEGIN_FIRST, BEGIN_NEXT, LEAVE
from teahouse.rl.spec import loaded, view_of
from teahouse.rl.symmetries import Symmetries


class Batch:
    """So many games of one kind, each in its place in the batch.

    The arrays are the batch's own: a step overwrites them, so copy what is to be kept. With device
    "cpu" they are NumPy arrays, with "cuda" arrays on the GPU that PyTorch, JAX and CuPy take over
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
        self._game = loaded(game, options)
        self._view = view_of(self._game)
        self._size = check_int("size", size, 1, 1 << 26)
        self._auto_reset = bool(auto_reset)
        self._validate = bool(validate)
        self._games: Any
        threads = min(check_int("threads", threads, 1, 1024), self._size)
        self._seed = check_seed(seed)
        if check_choice("device", device, DEVICES) == "cpu":
            self._games = HostGames(self._game, self._size, threads)
        else:
            from teahouse.rl.device import DeviceGames

            self._games = DeviceGames(self._game, self._size)
        self._device = device
        games = self._games
        self._legal = games.public(games.legal, np.bool_)
        self._player = games.public(games.players)
        self._rewards = games.public(games.rewards)
        self._done = games.public(games.done, np.bool_)
        self._observation: Any = None
        self._unseen = True
        self.reset(seed=self._seed)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._game

    @property
    def view(self) -> View:
        """What the actions and the planes mean."""
        return self._view

    @property
    def size(self) -> int:
        """How many games there are."""
        return self._size

    @property
    def device(self) -> str:
        """Where they are played: cpu or cuda."""
        return self._device

    @property
    def legal(self) -> Any:
        """Whether each action is legal: (size, actions), bool. None is in a game that is over."""
        return self._legal

    @property
    def player(self) -> Any:
        """The player who decides: (size,), uint8."""
        return self._player

    @property
    def rewards(self) -> Any:
        """What the last step brought each player: (size, players), float32.

        Nothing while a game goes on and in a draw; at its end 1 for each winner, and the others pay
        for that in equal shares.
        """
        return self._rewards

    @property
    def done(self) -> Any:
        """Whether the last step ended the game: (size,), bool."""
        return self._done

    @property
    def observation(self) -> Any:
        """What the player sees who decides: (size, planes, rows, columns), uint8."""
        if self._observation is None or self._unseen:
            shape = (self._size, len(self._view.planes), *self._view.shape)
            self._observation = self._games.public(self._games.see().reshape(shape))
            self._unseen = False
        return self._observation

    @property
    def symmetries(self) -> Symmetries:
        """The game's symmetries as tables, for NumPy arrays and others alike."""
        return Symmetries.of(self._game)

    def reset(self, *, seed: int | None = None, where: Any = None) -> None:
        """Begin games anew, in all places or `where` a bool array says so.

        The first game in place i has the number i, and the next one there a number greater by the
        size of the batch; with a seed numbers begin anew.
        """
        if seed is not None and where is not None:
            raise OptionError("a seed begins all games anew, so it does not go with where")
        actions = np.full(self._size, BEGIN_NEXT if seed is None else BEGIN_FIRST, np.int64)
        if where is not None:
            where = np.asarray(where)
            if where.shape != (self._size,) or where.dtype != np.bool_:
                raise ValueError(
                    f"where is a bool array of shape ({self._size},), not one of {where.dtype}"
                    f" and shape {where.shape}"
                )
            actions[~where] = LEAVE
        if seed is not None:
            self._seed = check_seed(seed)
        self._games.step(self._games.actions(actions), self._seed, self._auto_reset, validate=False)
        self._unseen = True

    def step(self, actions: Any) -> None:
        """Take one action in each game; IllegalMove says which one is not legal, and none is taken.

        A game that ends is begun anew in the same step: `rewards` and `done` tell of its end, all
        else of the new game. Without `auto_reset` it stays over, and its actions are ignored.
        """
        actions = self._games.actions(actions)
        illegal = self._games.step(actions, self._seed, self._auto_reset, self._validate)
        if illegal is not None:
            raise self._illegal(*illegal)
        self._unseen = True

    def sample(self) -> Any:
        """A uniformly random legal action for each game, from the game's own random numbers."""
        return self._games.sample()

    def position(self, index: int) -> Position:
        """The position of one game; the draft of a move of several actions is not part of it."""
        if not 0 <= index < self._size:
            raise IndexError(f"games are numbered 0 to {self._size - 1}, not {quoted(index)}")
        return Position(self._game, *self._games.state(index))

    def _illegal(self, index: int, action: int) -> IllegalMove:
        last = self._view.action_count - 1
        if not 0 <= action <= last:
            return IllegalMove(f"game {index}: actions are 0 to {last}, not {action}")
        allowed = listing(self._games.legal_actions(index))
        return IllegalMove(f"game {index}: action {action} is not legal; legal here: {allowed}")

    def __repr__(self) -> str:
        return f"<Batch of {self._size} games of {self._game!r} on {self._device}>"
