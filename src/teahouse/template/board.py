"""The board for drawing and clicking."""

from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import Area, Caption, Label, Piece, Scene, Spot

from . import notation

COLOURS = ("black", "white")


def scene(position: Position) -> Scene:
    """Return the scene: a click on a spot plays the move of the same name."""
    side = position.game.options["side"]
    spots = tuple(_spot(side, cell, stone) for cell, stone in enumerate(position.state_view.cells))
    columns, rows = spots[:side], spots[::side]
    low, high = -0.6, side - 0.4
    reason = _reason(position)
    return Scene(
        spots,
        prompt="Place a stone on an empty cell."
        if not position.over
        else result_sentence(position.game, position.winners, reason),
        reason=reason,
        notation_hint="" if position.over else "Type a cell, such as c3.",
        colours=COLOURS,
        labels=(  # on the text board
            *(Label(spot.column, side, spot.name[0]) for spot in columns),
            *(Label(0, spot.line, spot.name[1]) for spot in rows),
        ),
        captions=(  # in pictures
            *(Caption(spot.x, side - 0.1, spot.name[0]) for spot in columns),
            *(Caption(-0.9, spot.y, spot.name[1]) for spot in rows),
        ),
        areas=(Area(((low, low), (high, low), (high, high), (low, high))),),
    )


def _spot(side: int, cell: int, stone: int) -> Spot:
    row, column = divmod(cell, side)
    name = notation.cell_name(side, cell)
    return Spot(
        name,
        *(2 + 2 * column, row, notation.PIECES[stone]),  # on the text board
        *(column, row),  # in pictures
        shape="square",
        label=f"{name}: {COLOURS[stone - 1] + ' stone' if stone else 'empty'}",
        pieces=(Piece("stone", stone - 1),) if stone else (),
    )


def _reason(position: Position) -> str:
    if not position.over:
        return ""
    return "four stones in a line" if position.winners else "the board is full"
