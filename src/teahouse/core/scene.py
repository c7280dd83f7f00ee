"""A board described for drawing: what a game's `board.py` says about a position."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Spot:
    """A place one can point at: a cell, a seat, a tile; named as in move texts.

    `glyph` stands at `column` and `line` of the text board, whose first line is 0.
    """

    name: str
    column: int
    line: int
    glyph: str


@dataclass(frozen=True)
class Label:
    """Writing on the board that is not a place: a row's letter, a frame."""

    column: int
    line: int
    text: str


@dataclass(frozen=True)
class Scene:
    """Everything to be shown of a position."""

    spots: tuple[Spot, ...]
    prompt: str
    """Who decides what, or how the game ended: one sentence."""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What lies beside the board: hands, counts, markers; a line each."""
