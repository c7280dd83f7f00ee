"""A board described for drawing: what a game's `board.py` says about a position and its moves.

One description serves the text board, the terminal, pictures and the web page. Places in pictures
are in board units, x to the right and y downwards; a unit is about the distance of two spots.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from teahouse.core.position import Position

WRITTEN = re.compile(r" \([^)]*\)")
"""How moves are written, in a prompt."""


@dataclass(frozen=True)
class Piece:
    """What stands on a spot or lies in a hand.

    `kind` is one of the shared shapes (stone, cup, pebble, pawn, chip, tile, cylinder, waiter,
    card), or a symbol of the game's own `symbols.svg`.
    """

    kind: str
    player: int | None = None
    """Whose colour it has."""
    sign: str = ""
    """A symbol of the game's `symbols.svg` that it carries."""
    text: str = ""
    """Letters that it carries."""
    count: int = 1
    """How many lie on a stack; the pips of a card."""
    turned: bool = False
    """Lying instead of standing, face down instead of up."""


@dataclass(frozen=True)
class Spot:
    """A place on the board: a cell, a seat, a tile; named as in move texts.

    `glyph` stands at `column` and `line` of the text board, whose first line is 0.
    """

    name: str
    column: int
    line: int
    glyph: str
    x: float = 0.0
    y: float = 0.0
    size: float = 0.5
    """Half the width of its shape."""
    shape: str = "circle"
    """circle, hex (with corners above and below) or square."""
    kind: str = "cell"
    """cell, free (not part of the board yet), wall, table, seat or card."""
    label: str = ""
    """The place and what is there, in words."""
    pieces: tuple[Piece, ...] = ()
    """What is there, from the bottom up."""
    marks: tuple[str, ...] = ()
    """due (something must happen here), lit (to be used now), barred (may not be used now)."""
    owner: int | None = None
    """The player who has claimed it."""
    within: str = ""
    """The larger spot it lies on; pointing at this one may stand for pointing at that one."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(vars(self).values()))

    def __hash__(self) -> int:
        return self._hash  # kept, since what is drawn of a spot is remembered by it


@dataclass(frozen=True)
class Choice:
    """Something beside the board that one can point at: a colour to take, a button."""

    name: str
    label: str
    """In a few words."""
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class Hand:
    """A stack beside the board: what a player has left, or has lost."""

    name: str
    player: int
    label: str
    """Whose and what, in words, with the number."""
    piece: Piece
    away: bool = False
    """Whether these are pieces that have left the board."""


@dataclass(frozen=True)
class Label:
    """Writing on the text board that is not a place: a row's letter, a frame."""

    column: int
    line: int
    text: str


@dataclass(frozen=True)
class Writing:
    """Writing in pictures: the letter of a row, the number of a column."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Area:
    """A part of the ground that spots lie on, by its corners or by its middle and radius."""

    corners: tuple[tuple[float, float], ...]
    radius: float = 0.0
    """If not 0, a circle around the only corner."""
    kind: str = "wood"
    """What it is made of: wood or floor."""


@dataclass(frozen=True)
class Group:
    """Spots that belong together and are outlined, with a few letters."""

    spots: tuple[str, ...]
    player: int
    text: str


@dataclass(frozen=True)
class Animation:
    """How a piece goes when a move is played, for moving pictures.

    The path names spots, hands and choices. A path of one spot means that it changes there.
    """

    piece: Piece
    path: tuple[str, ...]
    way: str = "slide"
    """slide, jump (in an arc from place to place) or turn (over, where it is)."""
    after: int = 0
    """How many steps of other pieces come first."""


@dataclass(frozen=True)
class Scene:
    """Everything to be shown of a position."""

    spots: tuple[Spot, ...]
    """Larger spots come before those that lie on them."""
    prompt: str
    """Who decides what, or how the game ended: one sentence; in brackets how moves are written."""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    """What lies beside the board: hands, counts, markers; a line each."""
    colours: tuple[str, ...] = ()
    """Each player's colour: white, black, red, blue, yellow or green."""
    choices: tuple[Choice, ...] = ()
    """All that the game has; which of them can be pointed at now follows from the legal moves."""
    hands: tuple[Hand, ...] = ()
    writings: tuple[Writing, ...] = ()
    areas: tuple[Area, ...] = ()
    groups: tuple[Group, ...] = ()

    @property
    def instruction(self) -> str:
        """The prompt without how moves are written, for those who point."""
        return WRITTEN.sub("", self.prompt)


class Board(Protocol):
    """A game's `board.py`. Moves are exact texts of legal moves."""

    def scene(self, position: Position) -> Scene:
        """What is where, and who decides what."""

    def click_paths(self, position: Position, move: str) -> tuple[tuple[str, ...], ...]:
        """The spots and choices to point at, in order, to make a move; the plainest way first.

        No way to a move of a position begins with a way to another one.
        """

    def describe(self, position: Position, move: str) -> str:
        """A move as a sentence without a full stop; no two moves of a position sound the same."""

    def animations(self, position: Position, move: str) -> tuple[Animation, ...]:
        """How pieces go when a move is played."""
