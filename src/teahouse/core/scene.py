"""The scene graph: a renderer-independent description of a position.

A game's `board.py` builds one `Scene` for each position. The text board, the terminal, SVG and the
web page all draw that scene. Coordinates in pictures are in board units, x to the right and y
downwards; neighbouring spots are about one unit apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from teahouse.core.position import Position

Tense = Literal["past", "imperative"]


@dataclass(frozen=True)
class Piece:
    """A piece on a spot or in a hand.

    `kind` is one of the shared shapes (stone, cup, pebble, pawn, chip, tile, cylinder, waiter,
    card), or a symbol in the game's own `symbols.svg`.
    """

    kind: str
    player: int | None = None
    """The player whose colour it has."""
    sign: str = ""
    """The symbol of `symbols.svg` drawn on it."""
    text: str = ""
    """The letters drawn on it."""
    count: int = 1
    """The height of a stack, or the number of pips on a card."""
    turned: bool = False
    """Whether it lies on its side, or face down."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the board (a cell, a seat, a tile), named as in move texts.

    `glyph` is drawn at `column` and `line` of the text board; both start at 0.
    """

    name: str
    """As in move texts."""
    column: int
    line: int
    glyph: str
    x: float = 0.0
    """Centre in pictures, in board units."""
    y: float = 0.0
    """Centre in pictures, in board units."""
    size: float = 0.5
    """Half the width of its shape."""
    shape: str = "circle"
    """circle, hex (pointy-topped) or square."""
    kind: str = "cell"
    """cell, free (not part of the board yet), wall, table, seat or card."""
    label: str = ""
    """The place and its contents in words, for screen readers."""
    pieces: tuple[Piece, ...] = ()
    """The pieces on it, from the bottom up."""
    marks: tuple[str, ...] = ()
    """due (a decision here is pending), lit (may be used now), barred (may not be used now)."""
    owner: int | None = None
    """The player who has claimed it."""
    within: str = ""
    """The larger spot that contains it; a click on this spot may count as a click on that one."""

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom edge of its shape."""
        radius = self.size * (1.16 if self.shape == "hex" else 1.0)
        return self.x - radius, self.y - radius, self.x + radius, self.y + radius


@dataclass(frozen=True)
class Choice:
    """A clickable item outside the board: a colour to place, a button."""

    name: str
    """As in click paths."""
    label: str
    """A short label for the button."""
    pieces: tuple[Piece, ...] = ()
    """The pieces drawn on the button."""


@dataclass(frozen=True)
class Hand:
    """A stack outside the board: a player's supply, or captured pieces."""

    name: str
    """As in click paths."""
    player: int
    """The owner."""
    label: str
    """The owner, the contents and their number in words."""
    piece: Piece
    """What it is a stack of."""
    captured: bool = False
    """Whether these pieces have left the board for good."""


@dataclass(frozen=True)
class Label:
    """Text on the text board that is not a spot: a row's letter, a frame."""

    column: int
    """The first column, from 0."""
    line: int
    """The line, from 0."""
    text: str
    """What is written there."""


@dataclass(frozen=True)
class Caption:
    """Text in pictures that is not a spot: a row's letter, a column's number."""

    x: float
    """Centre in board units."""
    y: float
    """Centre in board units."""
    text: str
    """What is written there."""


@dataclass(frozen=True)
class Area:
    """A background shape below the spots: a polygon, or a circle."""

    corners: tuple[tuple[float, float], ...]
    """The polygon in board units."""
    radius: float = 0.0
    """If not 0, a circle around the only corner."""
    kind: str = "wood"
    """The material: wood or floor."""


@dataclass(frozen=True)
class Group:
    """Spots that are outlined together, with a short text."""

    spots: tuple[str, ...]
    """The names of its spots."""
    player: int
    """Whose colour the outline has."""
    text: str
    """A few characters, such as a count."""


@dataclass(frozen=True)
class Score:
    """The number that decides the game for a player, shown large at the player's seat.

    Players of a team have the same one.
    """

    player: int
    """Whose number it is."""
    value: str
    """A few characters: "3", "3 / 5"."""
    label: str
    """What it counts, as a sentence: "Green has claimed 3 of the 5 tables needed."."""
    hand: str = ""
    """The hand whose number it is, if any: pages then show that number once."""


@dataclass(frozen=True)
class Animation:
    """The movement of one piece when a move is played.

    The path names spots, hands and choices. A path of one spot is a change in place.
    """

    piece: Piece
    """What moves."""
    path: tuple[str, ...]
    """Where it goes: names of spots, hands and choices."""
    motion: str = "slide"
    """slide, jump (in an arc from stop to stop) or turn (over, in place)."""
    delay: int = 0
    """The number of steps of other pieces to wait for."""


@dataclass(frozen=True)
class Scene:
    """A complete description of what to show of a position."""

    spots: tuple[Spot, ...]
    """Larger spots come before those that they contain."""
    prompt: str
    """What the player to move has to do, as an imperative sentence; the result when over."""
    labels: tuple[Label, ...] = ()
    """Text of the text board."""
    footer: tuple[str, ...] = ()
    """Lines below the text board: hands, counts, a legend."""
    colours: tuple[str, ...] = ()
    """Each player's colour: white, black, red, blue, yellow or green."""
    choices: tuple[Choice, ...] = ()
    """All choices of the game; the legal moves say which are enabled."""
    hands: tuple[Hand, ...] = ()
    """Stacks outside the board."""
    captions: tuple[Caption, ...] = ()
    """Text in pictures."""
    areas: tuple[Area, ...] = ()
    """Shapes below the spots."""
    groups: tuple[Group, ...] = ()
    """Spots outlined together."""
    notation_hint: str = ""
    """How to type the moves that the prompt asks for, as a sentence."""
    reason: str = ""
    """Why the game ended, as a clause that can follow "White wins: "; empty while it goes on."""
    scores: tuple[Score, ...] = ()
    """At most one for each player; empty while there is nothing to compare."""
    deciding: tuple[str, ...] = ()
    """The spots that decided the game; empty while it goes on."""

    @cached_property
    def item_labels(self) -> dict[str, str]:
        """The label of every spot, hand and choice by its name."""
        labels = {spot.name: spot.label or spot.name for spot in self.spots}
        labels |= {hand.name: hand.label for hand in self.hands}
        return labels | {choice.name: choice.label for choice in self.choices}


class Board(Protocol):
    """A game's `board.py`. Moves are exact texts of legal moves."""

    def scene(self, position: Position) -> Scene:
        """Return the scene of a position."""

    def click_paths(self, position: Position, move: str) -> tuple[tuple[str, ...], ...]:
        """Return the sequences of spots and choices that enter a move, the simplest first.

        No sequence for a move of a position is a prefix of another one.
        """

    def describe(self, position: Position, move: str, tense: Tense) -> str:
        """Return a move in words without a full stop, different for every move of a position.

        "past" has the player's name for a subject; "imperative" has none.
        """

    def animations(self, position: Position, move: str) -> tuple[Animation, ...]:
        """Return the movements of pieces when a move is played."""

    def explain(self, position: Position, name: str) -> str:
        """Return what a spot, hand or choice is and does, in one or two sentences."""

    def refuse(self, position: Position, clicked: tuple[str, ...], name: str) -> str:
        """Return why a spot, hand or choice cannot be clicked after others, as a sentence.

        The game is not over, no click path continues with the name, and none begins with it.
        """


def lower_first(text: str) -> str:
    """Return a sentence with its first letter in lower case, to follow a colon."""
    return text[:1].lower() + text[1:]


def in_tense(text: str, subject: str, tense: Tense) -> str:
    """Return a sentence whose verbs are written as pairs, imperative/past.

    >>> in_tense("move/moved a tile and enter/entered a piece", "Blue", "past")
    'Blue moved a tile and entered a piece'
    >>> in_tense("move/moved a tile and enter/entered a piece", "Blue", "imperative")
    'Move a tile and enter a piece'
    """
    first, *others = text.split("/")  # not a regular expression: that takes five times as long
    if tense == "past":
        sentence = f"{subject} "
        for part in others:
            sentence += first[: first.rfind(" ") + 1]
            first = part
        return sentence + first
    for part in others:
        first += part[len(part.partition(" ")[0]) :]
    return first[0].upper() + first[1:]
