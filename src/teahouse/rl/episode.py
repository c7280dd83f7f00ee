"""One game with the actions and observations of a `Batch`, interpreted.

The adapters to other libraries are built on it.
"""

from __future__ import annotations

from copy import deepcopy
from os.path import commonprefix
from typing import Any

import numpy as np

from teahouse.core.encoding import encoded_rules, mask_game, observation_spec
from teahouse.core.errors import IllegalMove, listing, quoted
from teahouse.core.game import Game
from teahouse.core.jit import interpret
from teahouse.core.position import Position
from teahouse.core.pyrecord import pack, unpack
from teahouse.rl import kernels


class Episode:
    """A game in progress."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.spec = observation_spec(game)
        self._rules = encoded_rules(game)
        self._slot: Any = unpack(kernels.new_slots(self.spec, 1)[0])
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start the game of `game.start(seed)`."""
        self.set(self.game.start(seed))

    def set(self, position: Position) -> None:
        """Continue from a position."""
        self._state = position.unpack()
        self._slot.part = 0
        self._slot.ply = position.ply
        self._winners = position.winners
        self._update_mask()

    @property
    def position(self) -> Position:
        """The position, without the draft of a compound move."""
        state = pack(self._state, self.game.layout.state)
        return Position(self.game, state, int(self._slot.ply))

    @property
    def player(self) -> int:
        """The player to move."""
        return int(self._state.player)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state.over)

    @property
    def legal(self) -> np.ndarray:
        """A copy of the mask of legal actions."""
        return self._mask.astype(np.bool_)

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions in increasing order."""
        return [int(action) for action in np.flatnonzero(self._mask)]

    @property
    def rewards(self) -> list[float]:
        """Each player's reward; 0 until the game ends."""
        rewards = [0.0] * len(self.game.players)
        if self.over:
            kernels.assign_rewards(rewards, sum(1 << winner for winner in self._winners))
        return rewards

    def step(self, action: int) -> None:
        """Take an action; raise `IllegalMove` and change nothing if it is illegal."""
        action = self.check_action(action)
        move = self._rules.move(self.game.board, self._state, self._slot, action)
        if move < 0:
            self._slot.chosen[self._slot.part] = action
            self._slot.part += 1
            self._update_mask()
        else:
            self._play(move)

    def check_action(self, action: int) -> int:
        """Return a legal action; raise `IllegalMove` if it is illegal."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise IllegalMove(f"action must be an integer, got {quoted(action)}.")
        if self.over:
            raise IllegalMove(f"Action {action} is illegal: the game is over.")
        if not 0 <= action < len(self._mask) or not self._mask[action]:
            allowed = listing(self.legal_actions)
            raise IllegalMove(f"Action {action} is illegal; legal actions: {allowed}.")
        return int(action)

    def play(self, text: str) -> None:
        """Play a complete move, given as text."""
        self._play(self.position.move(text))

    def observation(self, viewer: int | None = None) -> np.ndarray:
        """Return what a player observes, by default the one to move.

        The shape is (planes, rows, columns), the type float32, and values are from 0 to 1.
        """
        spec = self.spec
        planes = np.zeros((len(spec.planes), spec.shape[0] * spec.shape[1]), np.uint8)
        player = self.player if viewer is None else viewer
        observe = self._rules.observe
        observe(self.game.board, self._state, self._slot, player, spec.cell_offsets(), planes)
        max_values = np.array([[plane.max_value] for plane in spec.planes], np.float32)
        return (planes / max_values).reshape(self.shape)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation."""
        return (len(self.spec.planes), *self.spec.shape)

    @property
    def text(self) -> str:
        """The position text, followed by the actions of the draft."""
        chosen = self._slot.chosen[: self._slot.part]
        return " ".join([str(self.position), *(f"+{action}" for action in chosen)])

    def action_text(self, action: int) -> str:
        """Return the move that the action completes, or the common prefix of possible moves."""
        board, state, slot = self.game.board, self._state, self._slot
        text = self.game.notation.move_text
        move = self._rules.move(board, state, slot, self.check_action(action))
        if move >= 0:
            return str(text(board, state, move))
        moves = [0] * self.game.layout.max_moves
        count = self._rules.legal(board, state, moves)
        chosen = [*slot.chosen[: slot.part], action]
        return commonprefix(  # noqa: RUF071 - of texts, not paths
            [
                text(board, state, move)
                for move in moves[:count]
                if all(
                    self._rules.action(board, state, move, part) == number
                    for part, number in enumerate(chosen)
                )
            ]
        )

    def _play(self, move: int) -> None:
        self._slot.part = 0
        self._slot.ply += 1
        self._rules.play(self.game.board, self._state, move)
        self._winners = self.position.winners
        self._update_mask()

    def _update_mask(self) -> None:
        self._mask = np.zeros(self.spec.action_count, np.uint8)
        write_mask = interpret(mask_game, self._rules)
        moves = [0] * self.game.layout.max_moves
        write_mask(self.game.board, self._state, self._slot, moves, self._mask)

    def copy(self) -> Episode:
        """Return an independent copy."""
        twin = object.__new__(Episode)
        vars(twin).update(vars(self))
        twin._state = deepcopy(self._state)
        twin._slot = deepcopy(self._slot)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self.position, self._slot.chosen[: self._slot.part]))

    def __deepcopy__(self, memo: object) -> Episode:
        return self.copy()


def _restore(position: Position, chosen: list[int]) -> Episode:
    episode = Episode(position.game)
    episode.set(position)
    for action in chosen:
        episode.step(action)
    return episode
