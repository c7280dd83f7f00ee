"""One game as learners know it, interpreted: what the adapters to other libraries are built on."""

from __future__ import annotations

from copy import deepcopy
from os.path import commonprefix
from typing import Any

import numpy as np

from teahouse.core.errors import IllegalMove, listing, quoted
from teahouse.core.game import Game
from teahouse.core.jit import interpret
from teahouse.core.position import Position
from teahouse.core.pyrecord import pack, unpack
from teahouse.rl import kernels
from teahouse.rl.spec import kernels_of, view_of


class Single:
    """A game in play, with the same actions and planes as a `Batch`."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        self.game = game
        self.view = view_of(game)
        self._kernels = kernels_of(game)
        self._slot: Any = unpack(np.zeros(1, kernels.slot_type(self.view))[0])
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Begin the game of `game.start(seed)`."""
        self.set(self.game.start(seed))

    def set(self, position: Position) -> None:
        """Go on from a position."""
        self._state = position.unpack()
        self._slot.part = 0
        self._slot.ply = position.ply
        self._winners = position.winners
        self._mark()

    @property
    def position(self) -> Position:
        """The position, without the draft of a move of several actions."""
        state = pack(self._state, self.game.layout.state)
        return Position(self.game, state, int(self._slot.ply))

    @property
    def player(self) -> int:
        """The player who decides."""
        return int(self._state.player)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._state.over)

    @property
    def legal(self) -> np.ndarray:
        """Whether each action is legal; a copy."""
        return self._legal.astype(np.bool_)

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions from the lowest."""
        return [int(action) for action in np.flatnonzero(self._legal)]

    @property
    def rewards(self) -> list[float]:
        """What the game brought each player: nothing as long as it goes on."""
        rewards = [0.0] * len(self.game.players)
        if self.over:
            kernels.pay(rewards, sum(1 << winner for winner in self._winners))
        return rewards

    def step(self, action: int) -> None:
        """Take an action; an IllegalMove says what is legal, and nothing has happened."""
        action = self.checked(action)
        move = self._kernels.move(self.game.board, self._state, self._slot, action)
        if move < 0:
            self._slot.chosen[self._slot.part] = action
            self._slot.part += 1
            self._mark()
        else:
            self._play(move)

    def checked(self, action: int) -> int:
        """The action, if it is legal."""
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise IllegalMove(f"an action is a whole number, not {quoted(action)}")
        if self.over:
            raise IllegalMove(f"action {action} cannot be taken: the game is over")
        if not 0 <= action < len(self._legal) or not self._legal[action]:
            raise IllegalMove(
                f"action {action} is not legal; legal here: {listing(self.legal_actions)}"
            )
        return int(action)

    def play(self, text: str) -> None:
        """Play a whole move, given as text."""
        self._play(self.position.move(text))

    def observation(self, viewer: int | None = None) -> np.ndarray:
        """What a player sees, by default who decides: (planes, rows, columns), from 0.0 to 1.0."""
        view = self.view
        planes = np.zeros((len(view.planes), view.shape[0] * view.shape[1]), np.uint8)
        seat = self.player if viewer is None else viewer
        see = self._kernels.see
        see(self.game.board, self._state, self._slot, seat, view.flat_places(), planes)
        most = np.array([[plane.most] for plane in view.planes], np.float32)
        return (planes / most).reshape(self.shape)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation."""
        return (len(self.view.planes), *self.view.shape)

    @property
    def text(self) -> str:
        """The position as one line of text, with the actions of the draft if there are any."""
        chosen = self._slot.chosen[: self._slot.part]
        return " ".join([str(self.position), *(f"+{action}" for action in chosen)])

    def action_text(self, action: int) -> str:
        """The text of the move that an action makes, or what all moves it leads to begin with."""
        board, state, slot = self.game.board, self._state, self._slot
        text = self.game.notation.move_text
        move = self._kernels.move(board, state, slot, self.checked(action))
        if move >= 0:
            return str(text(board, state, move))
        moves = [0] * self.game.layout.max_moves
        count = self._kernels.legal(board, state, moves)
        chosen = [*slot.chosen[: slot.part], action]
        return commonprefix(  # noqa: RUF071 - of texts, not paths
            [
                text(board, state, move)
                for move in moves[:count]
                if all(
                    self._kernels.action(board, state, move, part) == number
                    for part, number in enumerate(chosen)
                )
            ]
        )

    def _play(self, move: int) -> None:
        self._slot.part = 0
        self._slot.ply += 1
        self._kernels.play(self.game.board, self._state, move)
        self._winners = self.position.winners
        self._mark()

    def _mark(self) -> None:
        self._legal = np.zeros(self.view.action_count, np.uint8)
        mark = interpret(kernels.mark_game, self._kernels)
        moves = [0] * self.game.layout.max_moves
        mark(self.game.board, self._state, self._slot, moves, self._legal)

    def copy(self) -> Single:
        """A copy that goes its own way."""
        twin = object.__new__(Single)
        vars(twin).update(vars(self))
        twin._state = deepcopy(self._state)
        twin._slot = deepcopy(self._slot)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.position, self._slot.chosen[: self._slot.part]))

    def __deepcopy__(self, memo: object) -> Single:
        return self.copy()


def _restored(position: Position, chosen: list[int]) -> Single:
    single = Single(position.game)
    single.set(position)
    for action in chosen:
        single.step(action)
    return single
