"""The contract of a game's package, and `Game`."""

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

MAX_POSITION_TEXT = 10_000
"""Characters of a position text."""

MAX_GAMES = 256
"""Games that a cache remembers: options may be any drawing, so there is no end of games."""

PLAYABLE = "playable"
"""The tier of a game with rules, notation and a board."""
STUDIED = "studied"
"""The tier of a game that also has planes, a rules page, perft counts and test positions."""


@dataclass(frozen=True)
class GameInfo:
    """What a game's `__init__.py` declares, as `INFO`."""

    title: str
    """The name that people read."""
    summary: str
    """One sentence for lists of games."""
    options: Mapping[str, Option]
    """The options by their names, in the order of forms."""
    players: Callable[[Mapping[str, Any]], tuple[str, ...]]
    """Return the names of the seats; players are numbered in this order."""
    teams: Callable[[Mapping[str, Any]], tuple[tuple[int, ...], ...]] | None = None
    """Return the players of each team; by default each player is alone."""
    check: Callable[[dict[str, Any]], None] = lambda options: None
    """Raise `ValueError` for options that are not allowed together."""
    tier: str = PLAYABLE
    """What the game promises and the tests demand: `PLAYABLE` or `STUDIED`."""
    position_options: Callable[[dict[str, Any], str], dict[str, Any]] = lambda options, text: (
        options
    )
    """Return the options that a position text read with these options was written with.

    They differ only for texts of earlier versions, which had other defaults.
    """
    loser_seat: str | None = None
    """The seat that the loser of the previous game takes; by default all seats rotate."""
    peer: str = "y(board_size=7)"
    """The game of OpenSpiel, of a similar size, that benchmarks compare the speed with."""


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
    """A game's `rules.py`. All but `layout` are kernels: no allocation, no exceptions, no I/O."""

    def layout(self, options: Mapping[str, Any]) -> Layout:
        """Return the records for these options."""

    def start(self, board: Any, state: Any, seed: int) -> None:
        """Set every field of the state to the start of a game."""

    def legal(self, board: Any, state: Any, moves: Any) -> int:
        """Write the legal moves in a fixed order and return their number, 0 when over."""

    def play(self, board: Any, state: Any, move: int) -> None:
        """Play a legal move."""

    def winners(self, board: Any, state: Any, scratch: Any) -> int:
        """Return a bit set of the winners of a finished game, 0 for a draw.

        The state may be overwritten. By default the state's field `winners` is returned, which
        `play` has to set.
        """

    def random_move(self, board: Any, state: Any, moves: Any, random: int) -> int:
        """Return the move at index `bounded(random, …)` of the list of legal moves.

        By default the list is written first; a game's own kernel may be faster.
        """

    def playout(self, board: Any, state: Any, moves: Any, random: int) -> int:
        """Play random moves until the game is over, and return their number.

        By default `random_move` and `play` take turns, with `advance(random)` before each move. A
        game's own kernel plays the same moves, and may be faster.
        """

    def evaluate(self, board: Any, state: Any, player: int) -> float:
        """Return the expected score of a player's team, 0 to 1, in an unfinished game.

        This and `playout_move` are defined in `evaluation.py`; by default the score is 0.5.
        """

    def playout_move(self, board: Any, state: Any, moves: Any, random: int) -> int:
        """Return a random legal move for rollouts, good ones more often; by default uniform."""


class Notation(Protocol):
    """A game's `notation.py`: moves and positions as text, over interpreted records."""

    def move_text(self, board: Any, state: Any, move: int) -> str:
        """Return the exact text of a legal move, without spaces."""

    def normalize(self, board: Any, state: Any, text: str) -> str:
        """Return the exact text of a move typed by a person; by default in lower case."""

    def explain(self, board: Any, state: Any, text: str) -> str:
        """Return why this text is not a legal move, as a clause; the default fits every game."""

    def position_text(self, board: Any, state: Any) -> str:
        """Return the complete state as one line without spaces at its ends."""

    def read_position(self, board: Any, state: Any, text: str) -> None:
        """Set every field of a started state from such a line; raise `ValueError` if it is bad."""


class Game:
    """A game with its options; created by `teahouse.load`."""

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        declared = game_info(name)
        self.name = name
        self.title = declared.title
        self.summary = declared.summary
        self._options = resolve(name, declared.options, options, declared.check)
        self._named = {
            option: value
            for option, value in self._options.items()
            if not declared.options[option].house_rule or value != declared.options[option].default
        }
        self.players = declared.players(self._options)
        self.teams = (
            declared.teams(self._options)
            if declared.teams
            else tuple((player,) for player in range(len(self.players)))
        )
        self.rules = _complete_rules(name)
        self.notation = _complete_notation(name)
        self._hash = hash((name, tuple(self._options.items())))

    @property
    def options(self) -> dict[str, Any]:
        """The options with their values, defaults filled in; house rules only if they differ.

        So texts and keys that were written before a house rule became an option stay the same.
        """
        return dict(self._named)

    @property
    def all_options(self) -> dict[str, Any]:
        """Every option with its value, also house rules that have their default."""
        return dict(self._options)

    def side(self, player: int) -> int:
        """Return the index of a player's team in `teams`."""
        return next(side for side, team in enumerate(self.teams) if player in team)

    def start(self, seed: int = 0) -> Position:
        """Return the position before the first move; the seed matters if the setup is random."""
        from teahouse.core.position import Position

        state = self.blank_state()
        self.rules.start(self.board, state, check_seed(seed))
        return Position(self, pack(state, self.layout.state), 0)

    def position(self, text: str) -> Position:
        """Return the position with this text; raise `PositionError` if it cannot be read.

        A text of an earlier version gives a position of the game with its options at that time.
        """
        from teahouse.core.position import Position

        if not isinstance(text, str):
            raise PositionError(f"A position must be a text, not {quoted(text)}.")
        if len(text) > MAX_POSITION_TEXT:
            raise PositionError(
                f"A position has at most {MAX_POSITION_TEXT} characters, got {len(text)}."
            )
        body, _, ply = text.strip().rpartition(" ")
        if not (ply.isascii() and ply.isdigit() and len(ply) < 10):
            raise PositionError(
                f"A position must end with the number of moves so far, not {quoted(ply)}."
            )
        options = game_info(self.name).position_options(self.all_options, body.strip())
        if options != self._options:
            return Game(self.name, options).position(text)
        state = self.blank_state()
        self.rules.start(self.board, state, 0)
        try:
            self.notation.read_position(self.board, state, body.strip())
        except PositionError:
            raise
        except ValueError as error:
            raise PositionError(f"Invalid position {quoted(text)}: {error}.") from None
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
        """The records of the game, computed on first use."""
        layout: Layout = self.rules.layout(self._options)
        return layout

    @cached_property
    def board(self) -> PyRecord:
        """The board's constants for interpreted kernels."""
        return unpack(self.layout.board[0])

    def blank_state(self) -> PyRecord:
        """Return a zeroed state for interpreted kernels."""
        return unpack(np.zeros(1, self.layout.state)[0])

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"teahouse.load({self.name!r}{options})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self._options) == (
            other.name,
            other._options,
        )

    def __hash__(self) -> int:
        return self._hash  # cached: positions are hashed often

    def __reduce__(self) -> tuple[Any, ...]:
        return (Game, (self.name, self._options))


def game_info(name: str) -> GameInfo:
    """Return what a game's package declares as `INFO`."""
    info: GameInfo = game_module(name).INFO
    return info


def non_default_options(game: Game) -> dict[str, Any]:
    """Return the options of a game whose values differ from their defaults."""
    declared = game_info(game.name).options
    return {name: value for name, value in game.options.items() if value != declared[name].default}


def house_rules(game: Game) -> dict[str, Any]:
    """Return the house rules of a game that differ from their defaults."""
    declared = game_info(game.name).options
    return {
        name: value
        for name, value in non_default_options(game).items()
        if declared[name].house_rule
    }


@cache
def _complete_rules(name: str) -> ModuleType:
    """Return a game's rules with default kernels for those it leaves out."""
    rules = game_module(name, "rules")
    evaluation = optional_module(name, "evaluation")
    for kernel in ("random_move", "playout", "winners", "playout_move", "evaluate"):
        modules = (rules, evaluation, default_rules)
        source = next(module for module in modules if hasattr(module, kernel))
        setattr(rules, kernel, getattr(source, kernel))
    return rules


@cache
def _complete_notation(name: str) -> ModuleType:
    """Return a game's notation with default functions for those it leaves out."""
    notation = game_module(name, "notation")
    for function in ("normalize", "explain"):
        if not hasattr(notation, function):
            setattr(notation, function, getattr(default_notation, function))
    return notation
