"""The contract between a game's folder and everything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from teahouse.core.defaults import notation as default_notation
from teahouse.core.defaults import rules as default_rules
from teahouse.core.errors import PositionError, quoted
from teahouse.core.options import Option, resolve
from teahouse.core.packages import game_module, game_text, optional_module
from teahouse.core.pyrecord import PyRecord, pack, unpack
from teahouse.core.validate import check_seed

if TYPE_CHECKING:
    from teahouse.core.playouts import Counts
    from teahouse.core.position import Position


PLAYABLE = "playable"
"""The tier of a game with rules, notation and a board."""
STUDIED = "studied"
"""The tier of a game that also has planes, a rules page, perft counts and test positions."""


@dataclass(frozen=True)
class GameInfo:
    """What a game's `__init__.py` declares, as `INFO`."""

    title: str
    summary: str
    options: Mapping[str, Option]
    players: Callable[[Mapping[str, Any]], tuple[str, ...]]
    teams: Callable[[Mapping[str, Any]], tuple[tuple[int, ...], ...]] | None = None
    check: Callable[[dict[str, Any]], None] = lambda options: None
    tier: str = PLAYABLE
    """What the game promises, and the tests demand: `PLAYABLE` or `STUDIED`."""
    loser_seat: str | None = None
    """The seat that the loser of the last game takes; else all move on by a seat."""


class Layout:
    """The records of a game with its options: the board's constants and the state's fields.

    Every state has the fields `player` (the player to move) and `over`. Fields are aligned, since a
    GPU cannot read them otherwise. `legal` lists at most `max_moves` moves. Default actions are
    the numbers below `move_limit`, by default `max_moves`; games with `planes.py` do not need it.
    """

    def __init__(
        self, board: np.ndarray, state: np.dtype, max_moves: int, move_limit: int | None = None
    ) -> None:
        aligned = np.dtype(board.dtype.descr, align=True)
        self.board = board.astype(aligned)
        self.board.flags.writeable = False
        self.state = np.dtype(state.descr, align=True)
        self.max_moves = max_moves
        self.move_limit = max_moves if move_limit is None else move_limit


class Rules(Protocol):
    """A game's `rules.py`. All but `layout` are kernels: they allocate, raise and print nothing."""

    def layout(self, options: Mapping[str, Any]) -> Layout: ...

    def start(self, board: Any, state: Any, seed: int) -> None:
        """Set every field of the state to the start of a game."""

    def legal(self, board: Any, state: Any, moves: Any) -> int:
        """Write the legal moves in their fixed order and tell how many; none when over."""

    def play(self, board: Any, state: Any, move: int) -> None:
        """Play a legal move."""

    def winners(self, board: Any, state: Any, scratch: Any) -> int:
        """A bit for each winner of a game that is over, none for a draw; may spoil the state.

        A game may leave this out and have `play` set a field `winners` instead.
        """

    def random_move(self, board: Any, state: Any, moves: Any, random: int) -> int:
        """The move that `bounded(random, …)` picks from the list of legal moves.

        A game may leave this out; it pays where the list need not be written to find the move.
        """

    def evaluate(self, board: Any, state: Any, player: int) -> float:
        """How much of a win a player's side can expect, 0 to 1, while the game is not over.

        A game that has this and `lean` keeps them in `evaluation.py`.
        """

    def playout_move(self, board: Any, state: Any, moves: Any, random: int) -> int:
        """A legal move by chance, good ones more often: for a bot's playouts."""


class Notation(Protocol):
    """A game's `notation.py`: moves and positions as text, over the interpreted records."""

    def move_text(self, board: Any, state: Any, move: int) -> str:
        """The exact text of a legal move."""

    def normalize(self, board: Any, state: Any, text: str) -> str:
        """What a person typed, as the exact text it stands for, or unchanged."""

    def explain(self, board: Any, state: Any, text: str) -> str:
        """Why this text is not a legal move here: a sentence without a full stop."""

    def position_text(self, board: Any, state: Any) -> str:
        """One line without spaces at its ends that holds everything in the state."""

    def read_position(self, board: Any, state: Any, text: str) -> None:
        """Set every field of a started state from such a line; a ValueError says what is wrong."""


class Game:
    """A game of the house with its options; made by `teahouse.load`."""

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        declared = game_info(name)
        self.name = name
        self.title = declared.title
        self.summary = declared.summary
        self._options = resolve(name, declared.options, options, declared.check)
        self.players = declared.players(self._options)
        self.teams = (
            declared.teams(self._options)
            if declared.teams
            else tuple((player,) for player in range(len(self.players)))
        )
        self.rules = _complete_rules(name)
        self.notation = _complete_notation(name)

    @property
    def options(self) -> dict[str, Any]:
        """Every option with its value, defaults filled in."""
        return dict(self._options)

    def side(self, player: int) -> int:
        """The number of a player's team among `teams`."""
        return next(side for side, team in enumerate(self.teams) if player in team)

    def start(self, seed: int = 0) -> Position:
        """The position before the first move. The seed matters only where setup is random."""
        from teahouse.core.position import Position

        state = self.blank()
        self.rules.start(self.board, state, check_seed(seed))
        return Position(self, pack(state, self.layout.state), 0)

    def position(self, text: str) -> Position:
        """The position that `str(position)` wrote."""
        from teahouse.core.position import Position

        if not isinstance(text, str):
            raise PositionError(f"a position is a text, not {quoted(text)}")
        body, _, ply = text.strip().rpartition(" ")
        if not (ply.isascii() and ply.isdigit() and len(ply) < 10):
            raise PositionError(
                f"a position ends with the number of decisions taken so far, not {quoted(ply)}"
            )
        state = self.blank()
        self.rules.start(self.board, state, 0)
        try:
            self.notation.read_position(self.board, state, body.strip())
        except PositionError:
            raise
        except ValueError as error:
            raise PositionError(f"{quoted(text)}: {error}") from None
        return Position(self, pack(state, self.layout.state), int(ply))

    def playouts(
        self,
        games: int,
        *,
        seed: int = 0,
        threads: int = 1,
        device: str = "cpu",
        progress: Callable[[int, int], None] | None = None,
    ) -> Counts:
        """Play uniformly random games from the start and count how they end."""
        from teahouse.core.playouts import count_games

        return count_games(self, None, games, seed, threads, device, progress)

    @property
    def rules_page(self) -> str:
        """The rules for players, as Markdown: the game's `rules.md`, or else its summary."""
        page = game_text(self.name, "rules.md")
        return f"# {self.title}\n\n{self.summary}\n" if page is None else page

    @cached_property
    def layout(self) -> Layout:
        """The records of the game; worked out when they are needed, since games are told apart
        by their options alone."""
        layout: Layout = self.rules.layout(self._options)
        return layout

    @cached_property
    def board(self) -> PyRecord:
        """The board's constants for interpreted kernels."""
        return unpack(self.layout.board[0])

    def blank(self) -> PyRecord:
        """A state for interpreted kernels, all zero."""
        return unpack(np.zeros(1, self.layout.state)[0])

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"teahouse.load({self.name!r}{options})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self._options) == (
            other.name,
            other._options,
        )

    def __hash__(self) -> int:
        return hash((self.name, tuple(self._options.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Game, (self.name, self._options))


def game_info(name: str) -> GameInfo:
    """Return what a game's package declares as `INFO`."""
    info: GameInfo = game_module(name).INFO
    return info


@cache
def _complete_rules(name: str) -> ModuleType:
    """Return a game's rules with default kernels for those it leaves out."""
    rules = game_module(name, "rules")
    evaluation = optional_module(name, "evaluation")
    for kernel in ("random_move", "winners", "playout_move", "evaluate"):
        sources = (
            module for module in (rules, evaluation, default_rules) if hasattr(module, kernel)
        )
        setattr(rules, kernel, getattr(next(sources), kernel))
    return rules


@cache
def _complete_notation(name: str) -> ModuleType:
    """Return a game's notation with default functions for those it leaves out."""
    notation = game_module(name, "notation")
    for function in ("normalize", "explain"):
        if not hasattr(notation, function):
            setattr(notation, function, getattr(default_notation, function))
    return notation
