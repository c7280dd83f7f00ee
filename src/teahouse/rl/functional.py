"""Batches in a functional style: `state = step(state, actions)`, with states that never change.

For programs written for Pgx and other libraries of pure functions. A step copies the state first;
`Batch.step` does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from teahouse.core.errors import OptionError, quoted
from teahouse.core.game import Game
from teahouse.core.planes import ObservationSpec
from teahouse.core.position import Position
from teahouse.core.validate import check_seed
from teahouse.rl.batch import Batch


class State:
    """An immutable batch of games; its arrays may be kept, since no step overwrites them."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch.copy()

    @classmethod
    def _own(cls, batch: Batch) -> State:
        """Wrap a batch that no other object refers to."""
        state = object.__new__(cls)
        state._batch = batch
        return state

    @property
    def game(self) -> Game:
        """The game played."""
        return self._batch.game

    @property
    def spec(self) -> ObservationSpec:
        """What actions and planes mean."""
        return self._batch.spec

    @property
    def size(self) -> int:
        """The number of games."""
        return self._batch.size

    @property
    def legal(self) -> Any:
        """The mask of legal actions; see `Batch.legal`."""
        return self._batch.legal

    @property
    def player(self) -> Any:
        """The player to move."""
        return self._batch.player

    @property
    def rewards(self) -> Any:
        """Each player's reward of the step that led here; see `Batch.rewards`."""
        return self._batch.rewards

    @property
    def done(self) -> Any:
        """Whether the step that led here ended the game."""
        return self._batch.done

    @property
    def over(self) -> Any:
        """Whether the game is over."""
        return self._batch.over

    @property
    def observation(self) -> Any:
        """What the player to move observes; see `Batch.observation`."""
        return self._batch.observation

    @property
    def final_observation(self) -> Any:
        """The last observation of a game that ended; valid where `done`."""
        return self._batch.final_observation

    @property
    def final_player(self) -> Any:
        """The player who was to move when the game ended; valid where `done`."""
        return self._batch.final_player

    def position(self, index: int) -> Position:
        """Return the position of one game, without the draft of a compound move."""
        return self._batch.position(index)

    def positions(self) -> list[Position]:
        """Return the position of every game, without drafts of compound moves."""
        return self._batch.positions()

    def set(self, positions: Position | str | Iterable[Position | str], rows: Any = None) -> State:
        """Return a state in which games are set to positions; see `Batch.set`."""
        batch = self._batch.copy()
        batch.set(positions, rows)
        return State._own(batch)

    def gather(self, rows: Any) -> State:
        """Return a state of these games; see `Batch.gather`."""
        return State._own(self._batch.gather(rows))

    def __getitem__(self, rows: Any) -> State:
        return self.gather(rows)

    def __len__(self) -> int:
        return self._batch.size

    def batch(self) -> Batch:
        """Return the games as a batch, which can be stepped in place."""
        return self._batch.copy()

    def __repr__(self) -> str:
        return f"<State of {self._batch.size} games of {self.game!r} on {self._batch.device}>"


def init(game: str | Game, size: int = 1024, **settings: Any) -> State:
    """Return the start of `size` games; settings and options are those of `Batch`.

    >>> state = init("orochi", 4, side=3, seed=1)
    >>> after = step(state, sample(state, seed=1))
    >>> state.position(0).ply, after.position(0).ply
    (0, 1)
    """
    return State._own(Batch(game, size, **settings))


def step(state: State, actions: Any) -> State:
    """Return the state after one action in each game; raise `IllegalMove` if one is illegal."""
    batch = _batch_of(state).copy()
    batch.step(actions)
    return State._own(batch)


def sample(state: State, seed: int) -> Any:
    """Return a random legal action for each game, which depends on the state and the seed only."""
    return _batch_of(state).sample(check_seed(seed))


def _batch_of(state: State) -> Batch:
    if not isinstance(state, State):
        raise OptionError(f"state must be a State, such as that of init, got {quoted(state)}.")
    return state._batch
