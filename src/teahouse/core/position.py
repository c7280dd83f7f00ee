"""Positions: immutable values with everything a game's next move needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from teahouse.core.errors import IllegalMove, listing, quoted
from teahouse.core.game import Game
from teahouse.core.packages import game_module
from teahouse.core.pyrecord import PyRecord, pack, unpack

if TYPE_CHECKING:
    from teahouse.core.playouts import Counts
    from teahouse.core.scene import Animation, Board, Scene, Tense


class Position:
    """A position of a game. Two are equal if the game, the state and the ply are."""

    def __init__(self, game: Game, state: bytes, ply: int) -> None:
        self._game = game
        self._state = state
        self._ply = ply

    @property
    def game(self) -> Game:
        """The game this is a position of."""
        return self._game

    @property
    def ply(self) -> int:
        """How many decisions were taken so far."""
        return self._ply

    @property
    def state(self) -> bytes:
        """The state record's bytes, of type `game.layout.state`."""
        return self._state

    @property
    def player(self) -> int:
        """The number of the player who takes the next decision."""
        return int(self._record["player"])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._record["over"])

    @cached_property
    def winners(self) -> tuple[int, ...]:
        """The players who have won; empty for a draw and while the game goes on."""
        if not self.over:
            return ()
        scratch = [0] * self._game.layout.max_moves
        winners = self._game.rules.winners(self._game.board, self.unpack(), scratch)
        return tuple(player for player in range(len(self._game.players)) if winners >> player & 1)

    @cached_property
    def legal(self) -> tuple[str, ...]:
        """The texts of all legal moves, in a fixed order; empty when the game is over."""
        return tuple(self._moves)

    def play(self, text: str) -> Position:
        """The position after a move; IllegalMove says why if there is none."""
        move = self.move(text)
        state = self.unpack()
        self._game.rules.play(self._game.board, state, move)
        return Position(self._game, pack(state, self._game.layout.state), self._ply + 1)

    def move(self, text: str) -> int:
        """The number that kernels know a legal move by."""
        if not isinstance(text, str):
            raise IllegalMove(f"a move is a text, not {quoted(text)}")
        move = self._moves.get(text)
        if move is None:
            move = self._moves.get(self.normalize(text))
        if move is not None:
            return move
        if self.over:
            raise IllegalMove(f"{quoted(text)} cannot be played: the game is over")
        why = self._game.notation.explain(self._game.board, self.unpack(), text.strip())
        raise IllegalMove(
            f"{quoted(text)} cannot be played: {why}; legal here: {listing(self.legal)}"
        )

    def exact(self, text: str) -> str:
        """The exact text of a legal move that was perhaps typed more loosely."""
        if isinstance(text, str) and text in self._moves:
            return text
        move = self.move(text)
        return next(exact for exact, number in self._moves.items() if number == move)

    def normalize(self, text: str) -> str:
        """The exact text of what a person typed, as far as it can be told."""
        tidied: str = self._game.notation.normalize(self._game.board, self.unpack(), text.strip())
        return tidied

    def playouts(
        self,
        games: int,
        *,
        seed: int = 0,
        threads: int = 1,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> Counts:
        """Play uniformly random games from here and count how they end."""
        from teahouse.core.playouts import count_games

        return count_games(self._game, self, games, seed, threads, device, progress)

    def unpack(self) -> PyRecord:
        """A fresh copy of the state for interpreted kernels."""
        return unpack(self._record)

    @cached_property
    def state_view(self) -> PyRecord:
        """The same for those who only read it, who share one copy."""
        return unpack(self._record)

    @cached_property
    def scene(self) -> Scene:
        """What is where, and who decides what: the board described for drawing."""
        return self._board.scene(self)

    def click_paths(self, move: str) -> tuple[tuple[str, ...], ...]:
        """All ways to point at spots and choices of the scene, in order, to make a move."""
        exact = self.exact(move)
        found = self._click_paths.get(exact)
        if found is None:
            found = self._click_paths[exact] = self._board.click_paths(self, exact)
        return found

    def click_path(self, move: str) -> tuple[str, ...]:
        """The plainest way to make a move by pointing."""
        return self.click_paths(move)[0]

    @property
    def status(self) -> str:
        """Who is to move and what to do, or the result and its reason."""
        prompt = self.scene.prompt
        if self.over:
            return prompt
        return f"{self._game.players[self.player]} to move: {prompt[0].lower()}{prompt[1:]}"

    def describe(self, move: str, tense: Tense = "past") -> str:
        """Return a move in words: "White flipped d6 to black", or "Flip d6 to black"."""
        return self._board.describe(self, self.exact(move), tense)

    def animations(self, move: str) -> tuple[Animation, ...]:
        """How pieces go when a move is played, for moving pictures."""
        return self._board.animations(self, self.exact(move))

    def text(self) -> str:
        """Return the board in plain characters, with its status and how to type a move."""
        from teahouse.draw.text import render_text

        return render_text(self)

    def svg(self, **shown: Any) -> str:
        """Return the board as SVG.

        Keyword arguments: `size` (width in pixels), `theme` (light, dark, auto), `colours` (classic,
        colour-blind), `last` (the previous position and the move that led here), `selected` (spots
        clicked so far), `targets` (show which spots can be clicked next), `hint` (a move),
        `coordinates`, `turned` (seen from the opposite side), `tray` (seats, hands and choices),
        `animate` (the last move), `page` (no stylesheet), `prefix` (of ids).
        """
        from teahouse.draw.svg import svg

        return svg(self, **shown)

    def _repr_svg_(self) -> str:
        """The picture that notebooks show."""
        return self.svg(size=420, prefix=f"p{hash(self) & 0xFFFFFFFF:x}-")

    @property
    def _board(self) -> Board:
        return _board(self._game.name)

    @cached_property
    def _click_paths(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Those that were asked for: who draws a board needs them as well as who points."""
        return {}

    @cached_property
    def _record(self) -> np.void:
        record: np.void = np.frombuffer(self._state, self._game.layout.state)[0]
        return record

    @cached_property
    def _moves(self) -> dict[str, int]:
        """Every legal move's number by its text, in order."""
        board = self._game.board
        state = self.state_view
        moves = [0] * self._game.layout.max_moves
        count = self._game.rules.legal(board, state, moves)
        text = self._game.notation.move_text
        return {text(board, state, move): move for move in moves[:count]}

    def __str__(self) -> str:
        return f"{self._game.notation.position_text(self._game.board, self.state_view)} {self._ply}"

    def __repr__(self) -> str:
        return f"<{self._game.title} position {quoted(str(self), 200)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Game, bytes, int]:
        return (self._game, self._state, self._ply)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Position, self._key)


@cache
def _board(game: str) -> Board:
    from teahouse.core.defaults.board import complete_board

    return complete_board(game_module(game, "board"))
