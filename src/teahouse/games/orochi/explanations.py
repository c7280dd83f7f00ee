"""Explanations of Orochi's cells, stones and choices, and reasons why a click is refused."""

from teahouse.core import hexgrid
from teahouse.core.position import Position
from teahouse.games.orochi import rules
from teahouse.games.orochi.groups import COLOURS, colour_at, group_at, same_neighbours
from teahouse.games.orochi.notation import SWAP

OVER_CONNECTED = 4  # neighbours of one's own colour (C4)


def explain(position: Position, name: str) -> str:
    """Return what a cell or a choice is and does."""
    if name == SWAP:
        return (
            "Black's answer to White's first stone may be to swap sides: the stone changes its"
            " colour, as if Black had placed it, and White is to move."
        )
    if name in COLOURS:
        return (
            f"A {name} stone: choose it, then an empty cell. You may place either colour;"
            f" the {name} serpent plays for {name.capitalize()}."
        )
    cell = hexgrid.names(position.game.options["side"]).index(name)
    colour = colour_at(position, cell)
    if colour is None:
        return _empty_cell(position)
    same = same_neighbours(position, cell)
    if same >= OVER_CONNECTED:
        return (
            f"This {COLOURS[colour]} stone touches {same} of its own colour: it is over-connected,"
            f" and has to be flipped to {COLOURS[1 - colour]}."
        )
    size = len(group_at(position, cell))
    group = f"part of a serpent of {size} stones" if size > 1 else "on its own"
    return (
        f"A {COLOURS[colour]} stone, {group}. It touches {same or 'none'} of its own colour;"
        f" with {OVER_CONNECTED} or more it would have to be flipped."
    )


def _empty_cell(position: Position) -> str:
    if position.state_view.empty > 1:
        return "An empty cell: a white or a black stone can be placed here."
    return "The last empty cell: the longer serpent next to it wins."  # C8


def refuse(position: Position, clicked: tuple[str, ...], name: str) -> str:
    """Return why a cell or a choice cannot be clicked (C3, C5, C10)."""
    if name == SWAP:
        return (
            "Black has swapped already: place a stone."
            if position.state_view.empty < len(position.game.board.cell)
            else "White places the first stone; then Black may swap sides."
        )
    if not rules.is_forced(position.state_view):
        return f"{name} is taken: place your stone on an empty cell."
    if name in COLOURS or not _has_stone(position, name):
        return "You cannot place a stone yet: first flip a marked one."
    return f"Flip a marked stone: the one on {name} touches fewer than four of its own colour."


def _has_stone(position: Position, name: str) -> bool:
    cell = hexgrid.names(position.game.options["side"]).index(name)
    return colour_at(position, cell) is not None


def last_empty_cell(position: Position) -> str:
    """Return the name of the only empty cell of a finished game."""
    names = hexgrid.names(position.game.options["side"])
    return next(name for cell, name in enumerate(names) if colour_at(position, cell) is None)
