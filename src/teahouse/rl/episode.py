"""One game with the actions and observations of a `Batch`: the adapters are built on it.

It runs on the kernels of a batch of one game. They are interpreted until compiling them pays off.
"""

from __future__ import annotations

from functools import cache, cached_property, partial
from os.path import commonprefix
from typing import Any

import numpy as np

from teahouse.core import jit
from teahouse.core.encoding import encoded_rules, observation_spec
from teahouse.core.errors import IllegalMove, listing, quoted
from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.rl import episode_kernels, kernels
from teahouse.rl.cpu_batch import CpuBatch, new_rows
from teahouse.rl.spec import max_values

KERNELS = ("_start_state", "_list_moves", "_move_action", "_completed_move")
COMPILE_AFTER = 2_000
"""Actions of a game in this process after which compiling its kernels pays, if none are cached."""


class _Usage:
    """The number of actions taken in a game in this process."""

    def __init__(self) -> None:
        self.actions = 0


@cache
def _usage(game: Game) -> _Usage:
    return _Usage()


@cache
def _cached(game: Game) -> bool:
    """Return whether the kernels of a game were in the kernel cache when first asked."""
    rules = encoded_rules(game)
    needed = (kernels.step_games, kernels.observe_games, episode_kernels.start_state)
    return all(jit.ready(kernel, game, rules) for kernel in needed)


def episode_backend(game: Game) -> jit.Backend:
    """Return how a game that starts now is run."""
    if jit.interpreted():
        return jit.INTERPRETED
    compiled = _usage(game).actions >= COMPILE_AFTER or _cached(game)
    return jit.COMPILED if compiled else jit.INTERPRETED


class Episode:
    """A game in progress."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.spec = spec = observation_spec(game)
        self.shape: tuple[int, int, int] = (len(spec.planes), *spec.shape)
        """Planes, rows and columns of an observation."""
        self._size = spec.action_count
        self._max_values = max_values(spec)[:, None, None]
        self._has_counts = bool((self._max_values > 1).any())
        self._batch = CpuBatch(game, new_rows(game, 1), backend=episode_backend(game))
        self._action = np.zeros(1, np.int64)
        self._viewer = np.zeros(1, np.uint8)
        self._usage = _usage(game)
        self._bind()
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start the game of `game.start(seed)`."""
        self._choose_backend()
        batch = self._batch
        self._start_state(batch.boards, batch.states, seed)
        self._refresh(0)

    def set(self, position: Position) -> None:
        """Continue from a position."""
        self._choose_backend()
        self._batch.write("states", np.frombuffer(position.state, self.game.layout.state).copy())
        self._refresh(position.ply)
        for winner in position.winners:
            self._batch.rewards[0, winner] = 1.0

    def _choose_backend(self) -> None:
        """Switch to compiled kernels once they pay off, but not within a game."""
        backend = episode_backend(self.game)
        if backend is not self._batch.backend:
            self._batch = CpuBatch(self.game, new_rows(self.game, 1), backend=backend)
            for kernel in KERNELS:
                vars(self).pop(kernel, None)
            self._bind()

    def _refresh(self, ply: int) -> None:
        """Begin without a draft in the state that was set."""
        slots = self._batch.read("slots")
        slots["part"] = 0
        slots["ply"] = ply
        self._batch.write("slots", slots)
        if self._batch.backend.interpreted:
            self._bind()  # the rows are other objects now
        self._take(kernels.REFRESH)

    def _bind(self) -> None:
        """Bind the kernels' arguments: looking them up takes longer than the kernels."""
        batch = self._batch
        self._mask = batch.legal[0]
        self.mask_view = self._mask.view(np.int8)  # a view: changes with every action
        self._is_legal = self._mask.data  # memory views: element access is faster than on arrays
        self._legal_count = batch.legal_counts.data
        self._player = batch.players.data
        self._next_action = self._action.data
        self._next_viewer = self._viewer.data
        self._planes = np.zeros((1, len(self._max_values), self.shape[1] * self.shape[2]), np.uint8)
        self._shaped = self._planes.reshape(self.shape)
        self._step_game = partial(batch.step_call(0, self._action, 0, 0), 0, 1)
        self._observe_game = partial(
            batch.observe_call(batch.states, batch.slots, self._viewer, self._planes), 0, 1
        )

    def _take(self, action: int) -> None:
        self._next_action[0] = action
        self._position: Position | None = None
        self._step_game()

    @property
    def position(self) -> Position:
        """The position, without the draft of a compound move."""
        if self._position is None:
            row = self._batch.row
            state, ply = row("states", 0).tobytes(), int(row("slots", 0)["ply"])
            self._position = Position(self.game, state, ply)
        return self._position

    @property
    def player(self) -> int:
        """The player to move."""
        return self._player[0]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._legal_count[0] == 0

    @property
    def mask(self) -> np.ndarray:
        """A copy of the mask of legal actions, int8."""
        return self.mask_view.copy()

    @property
    def legal(self) -> np.ndarray:
        """A copy of the mask of legal actions, bool."""
        return self._mask.view(np.bool_).copy()

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions in increasing order."""
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    @property
    def rewards(self) -> list[float]:
        """Each player's reward; 0 until the game ends."""
        rewards = [0.0] * len(self.game.players)
        if self.over:
            won = enumerate(self._batch.rewards[0].tolist())
            kernels.assign_rewards(rewards, sum(1 << player for player, value in won if value > 0))
        return rewards

    def step(self, action: int) -> None:
        """Take an action; raise `IllegalMove` and change nothing if it is illegal."""
        # What `check_action` does, without a call for a legal action.
        if type(action) is not int or not 0 <= action < self._size or not self._is_legal[action]:
            action = self.check_action(action)
        self._next_action[0] = action
        self._position = None
        self._step_game()
        self._usage.actions += 1

    def check_action(self, action: int) -> int:
        """Return a legal action; raise `IllegalMove` if it is illegal."""
        if type(action) is not int:
            if isinstance(action, bool) or not isinstance(action, int | np.integer):
                raise IllegalMove(f"action must be an integer, got {quoted(action)}.")
            action = int(action)
        if not 0 <= action < self._size or not self._is_legal[action]:
            if self.over:
                raise IllegalMove(f"Action {action} is illegal: the game is over.")
            allowed = listing(self.legal_actions)
            raise IllegalMove(f"Action {action} is illegal; legal actions: {allowed}.")
        return action

    def play(self, text: str) -> None:
        """Play a complete move, given as text."""
        self._play(self.position.move(text))

    def play_random(self, rng: np.random.Generator) -> None:
        """Play a move that is drawn uniformly from the legal ones."""
        batch = self._batch
        count = self._list_moves(batch.boards, batch.states, batch.moves[0])
        self._play(int(batch.moves[0][rng.integers(count)]))

    def _play(self, move: int) -> None:
        """Play a legal move, part by part; a draft is dropped."""
        batch = self._batch
        if self._draft:
            self._refresh(self.position.ply)
        for part in range(self.spec.max_parts):
            self._take(int(self._move_action(batch.boards, batch.states, move, part)))
            self._usage.actions += 1
            if self.spec.max_parts == 1 or not self._draft:
                return

    @property
    def _draft(self) -> list[int]:
        """The actions of the draft."""
        if self.spec.max_parts == 1:
            return []
        slot = self._batch.row("slots", 0)
        return [int(action) for action in slot["chosen"][: slot["part"]]]

    def observation(self, viewer: int | None = None) -> np.ndarray:
        """Return what a player observes, by default the one to move.

        The shape is (planes, rows, columns), the type float32, and values are from 0 to 1.
        """
        self._next_viewer[0] = self._player[0] if viewer is None else viewer
        self._observe_game()
        scaled: np.ndarray = self._shaped.astype(np.float32)
        if self._has_counts:
            scaled /= self._max_values  # in place: dividing bytes takes four times as long
        return scaled

    @property
    def text(self) -> str:
        """The position text, followed by the actions of the draft."""
        return " ".join([str(self.position), *(f"+{action}" for action in self._draft)])

    def action_text(self, action: int) -> str:
        """Return the move that the action completes, or the common prefix of possible moves."""
        batch, position = self._batch, self.position
        action = self.check_action(action)
        move = int(self._completed_move(batch.boards, batch.states, batch.slots, action))
        if move >= 0:
            return str(self.game.notation.move_text(self.game.board, position.state_view, move))
        chosen = [*self._draft, action]
        texts = [
            text
            for text in position.legal
            if all(
                self._move_action(batch.boards, batch.states, position.move(text), part) == number
                for part, number in enumerate(chosen)
            )
        ]
        return commonprefix(texts)  # noqa: RUF071 - of texts, not paths

    @cached_property
    def _start_state(self) -> jit.Kernel:
        return self._batch.specialize(episode_kernels.start_state)

    @cached_property
    def _list_moves(self) -> jit.Kernel:
        return self._batch.specialize(episode_kernels.list_moves)

    @cached_property
    def _move_action(self) -> jit.Kernel:
        return self._batch.specialize(episode_kernels.move_action)

    @cached_property
    def _completed_move(self) -> jit.Kernel:
        return self._batch.specialize(episode_kernels.completed_move)

    def copy(self) -> Episode:
        """Return an independent copy."""
        twin = object.__new__(Episode)
        vars(twin).update(vars(self))
        twin._batch = self._batch.copy()
        twin._action, twin._viewer = self._action.copy(), self._viewer.copy()
        twin._bind()
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self.position, self._draft))

    def __deepcopy__(self, memo: object) -> Episode:
        return self.copy()


def _restore(position: Position, chosen: list[int]) -> Episode:
    episode = Episode(position.game)
    episode.set(position)
    for action in chosen:
        episode.step(action)
    return episode
