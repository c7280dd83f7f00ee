"""Immutable positions of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from teahouse.core.errors import IllegalMove, OptionError, listing, quoted
from teahouse.core.game import Game
from teahouse.core.packages import game_module
from teahouse.core.pyrecord import PyRecord, pack, unpack
from teahouse.core.scene import lower_first
from teahouse.core.validate import check_type

if TYPE_CHECKING:
    from teahouse.core.playouts import Counts
    from teahouse.core.scene import Animation, Board, Scene, Tense

MAX_MOVE_TEXT = 200
"""Characters of a move as it is typed; far more than any notation needs."""


def check_position(position: Any) -> Position:
    """Return an argument that must be a position; raise `OptionError` if it is none."""
    return check_type("position", position, Position, "game.start(), record.position")


class Position:
    """A position, equal to others with the same game, state and ply."""

    def __init__(self, game: Game, state: bytes, ply: int) -> None:
        self._game = game
        self._state = state
        self._ply = ply

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def ply(self) -> int:
        """The number of moves played so far."""
        return self._ply

    @property
    def state(self) -> bytes:
        """The bytes of the state record, whose type is `game.layout.state`."""
        return self._state

    @cached_property
    def player(self) -> int:
        """The player to move."""
        return int(self._record["player"])

    @cached_property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._record["over"])

    @cached_property
    def winners(self) -> tuple[int, ...]:
        """The winners; empty for a draw and for unfinished games."""
        if not self.over:
            return ()
        scratch = [0] * self._game.layout.max_moves
        winners = self._game.rules.winners(self._game.board, self.unpack(), scratch)
        return tuple(player for player in range(len(self._game.players)) if winners >> player & 1)

    @cached_property
    def legal(self) -> tuple[str, ...]:
        """The texts of all legal moves in a fixed order; empty if the game is over."""
        return tuple(self._moves)

    def play(self, text: str) -> Position:
        """Return the position after a move; raise `IllegalMove` with the reason."""
        move = self.move(text)
        state = self.unpack()
        self._game.rules.play(self._game.board, state, move)
        return Position(self._game, pack(state, self._game.layout.state), self._ply + 1)

    def move(self, text: str) -> int:
        """Return the number of a legal move, as kernels take it."""
        if not isinstance(text, str):
            raise IllegalMove(f"A move must be a string, got {quoted(text)}.")
        if len(text) > MAX_MOVE_TEXT:
            raise IllegalMove(
                f"Illegal move {quoted(text)}: a move has at most {MAX_MOVE_TEXT} characters, got"
                f" {len(text)}."
            )
        move = self._moves.get(text)
        if move is None:
            move = self._moves.get(self.normalize(text))
        if move is not None:
            return move
        if self.over:
            raise IllegalMove(f"Illegal move {quoted(text)}: the game is over.")
        reason = self._game.notation.explain(self._game.board, self.unpack(), text.strip())
        raise IllegalMove(
            f"Illegal move {quoted(text)}: {reason}; legal moves: {listing(self.legal)}."
        )

    def exact(self, text: str) -> str:
        """Return the canonical text of a legal move given in any accepted form."""
        if isinstance(text, str) and text in self._moves:
            return text
        move = self.move(text)
        return next(exact for exact, number in self._moves.items() if number == move)

    def normalize(self, text: str) -> str:
        """Return the canonical text of user input if the notation recognises it, else the input."""
        normalized: str = self._game.notation.normalize(
            self._game.board, self.unpack(), text.strip()
        )
        return normalized

    def playouts(
        self,
        games: int,
        *,
        seed: int = 0,
        threads: int = 1,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> Counts:
        """Play uniformly random games from this position and count the results."""
        from teahouse.core.playouts import count_games

        return count_games(self._game, self, games, seed, threads, device, progress)

    def actions_of(self, text: str) -> tuple[int, ...]:
        """Return the actions of `teahouse.rl` that make a legal move: one for each of its parts."""
        from teahouse.core.actions import actions_of

        return actions_of(self, text)

    def move_of(self, actions: int | Sequence[int]) -> str:
        """Return the move that actions make; raise `IllegalMove` if they make none."""
        from teahouse.core.actions import move_of

        return move_of(self, actions)

    def action_mask(self, chosen: int | Sequence[int] = ()) -> np.ndarray:
        """Return whether each action is legal, after the first parts of a compound move: bool."""
        from teahouse.core.actions import action_mask

        return action_mask(self, chosen)

    def planes(self, chosen: int | Sequence[int] = (), viewer: int | None = None) -> np.ndarray:
        """Return the observation of a player, by default the one to move.

        The shape is (planes, rows, columns), uint8, as in `teahouse.rl.Batch`. `chosen` are actions
        of the first parts of a compound move.
        """
        from teahouse.core.actions import planes

        return planes(self, chosen, viewer)

    def unpack(self) -> PyRecord:
        """Return a copy of the state for interpreted kernels."""
        return unpack(self._record)

    @cached_property
    def state_view(self) -> PyRecord:
        """A shared copy of the state for interpreted kernels that do not modify it."""
        return unpack(self._record)

    @cached_property
    def scene(self) -> Scene:
        """The board's spots, pieces and choices, for drawing and clicking."""
        return self._board.scene(self)

    def click_paths(self, move: str) -> tuple[tuple[str, ...], ...]:
        """Return every sequence of clicks on spots and choices of the scene that makes a move."""
        exact = self.exact(move)
        found = self._click_paths.get(exact)
        if found is None:
            found = self._click_paths[exact] = self._board.click_paths(self, exact)
        return found

    def legal_click_paths(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Return the click paths of every legal move, in order."""
        known, board = self._click_paths, self._board
        paths = {move: known.get(move) or board.click_paths(self, move) for move in self._moves}
        self._click_paths = paths
        return paths

    def click_path(self, move: str) -> tuple[str, ...]:
        """Return the preferred sequence of clicks that makes a move."""
        return self.click_paths(move)[0]

    @property
    def status(self) -> str:
        """Who is to move and what to do, or the result and its reason."""
        prompt = self.scene.prompt
        if self.over:
            return prompt
        return f"{self._game.players[self.player]} to move: {lower_first(prompt)}"

    def describe(self, move: str, tense: Tense = "past") -> str:
        """Return a move in words: "White flipped d6 to black", or "Flip d6 to black"."""
        return self._board.describe(self, self.exact(move), tense)

    def legal_descriptions(self, tense: Tense) -> list[str]:
        """Return every legal move in words, in order."""
        board = self._board
        return [board.describe(self, move, tense) for move in self._moves]

    def animations(self, move: str) -> tuple[Animation, ...]:
        """Return how pieces move when the move is played."""
        exact = self.exact(move)
        if exact not in self._animations:
            self._animations[exact] = self._board.animations(self, exact)
        return self._animations[exact]

    def explain(self, name: str) -> str:
        """Return what a spot, hand or choice of the scene is and does."""
        self._check_name(name)
        return self._board.explain(self, name)

    def refuse(self, name: str, clicked: Sequence[str] = ()) -> str:
        """Return why a spot, hand or choice cannot be clicked after others; empty if it can.

        Clicks that begin no move are ignored.
        """
        self._check_name(name)
        if self.over:
            return f"The game is over. {self.scene.prompt}"
        names = self._enclosing(name)
        start = tuple(clicked) if self.targets(clicked) else ()
        if any(not names.isdisjoint(self.targets(path)) for path in (start, ())):
            return ""
        return self._board.refuse(self, start, name)

    def targets(self, clicked: Sequence[str] = ()) -> set[str]:
        """Return the names that continue a click path after those clicked so far."""
        start, depth = tuple(clicked), len(clicked)
        found = self._targets.get(start)
        if found is None:
            paths = [path for move in self.legal for path in self.click_paths(move)]
            if start:
                paths = [path for path in paths if path[:depth] == start]
            found = {path[depth] for path in paths if len(path) > depth}
            self._targets[start] = found
        return found

    def _check_name(self, name: str) -> None:
        """Raise `OptionError` if the scene has no spot, hand or choice of a name."""
        names = self.scene.item_labels
        if name not in names:
            raise OptionError(
                f"Unknown name {quoted(name)}; spots, hands and choices: {listing(names)}."
            )

    def _enclosing(self, name: str) -> set[str]:
        """Return a name and the larger spots that contain it."""
        within = {spot.name: spot.within for spot in self.scene.spots}
        names: set[str] = set()
        while name and name not in names:
            names.add(name)
            name = within.get(name, "")
        return names

    def text(self) -> str:
        """Return the board in plain characters, with its status and how to type a move."""
        from teahouse.draw.text import render_text

        return render_text(self)

    def svg(self, **arguments: Any) -> str:
        """Return the board as SVG.

        Keyword arguments: `size` (width in pixels), `theme` (light, dark, auto), `colours`
        (classic, colour-blind), `last` (the previous position and the move that led here),
        `selected` (spots clicked so far), `targets` (show which spots can be clicked next),
        `hint` (a move), `coordinates`, `turned` (seen from the opposite side), `tray` (seats, hands
        and choices), `animate` (the last move), `page` (no stylesheet), `prefix` (of ids).
        """
        from teahouse.draw.svg import svg

        return svg(self, **arguments)

    def _repr_svg_(self) -> str:
        """Return the board for notebooks."""
        return self.svg(size=420, prefix=f"p{crc32(str(self).encode()):x}-")

    @property
    def _board(self) -> Board:
        return _board(self._game.name)

    @cached_property
    def _click_paths(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Click paths computed so far, by move."""
        return {}

    @cached_property
    def _animations(self) -> dict[str, tuple[Animation, ...]]:
        """Animations computed so far, by move."""
        return {}

    @cached_property
    def _targets(self) -> dict[tuple[str, ...], set[str]]:
        """Targets computed so far, by the names clicked before them."""
        return {}

    @cached_property
    def _record(self) -> np.void:
        record: np.void = np.frombuffer(self._state, self._game.layout.state)[0]
        return record

    @cached_property
    def _moves(self) -> dict[str, int]:
        """The numbers of the legal moves by their texts, in order."""
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
